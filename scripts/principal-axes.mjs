/** Returns the unit axes of the covariance of centred rows, by descending variance, with cyclic Jacobi rotations. */
export const principalAxes = (rows, width) => {
  const covariance = covarianceOf(rows, width);
  const axes = Array.from({ length: width }, (_, at) => Float64Array.from({ length: width }, (_, n) => Number(n === at)));
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    for (let p = 0; p < width; p += 1) for (let q = p + 1; q < width; q += 1) rotate(covariance, axes, p, q);
  }
  return axes
    .map((axis, at) => ({ axis, variance: covariance[at][at] }))
    .sort((a, b) => b.variance - a.variance)
    .map(({ axis }) => upright(axis));
};

/** The number of sweeps over all pairs of axes. Further sweeps change nothing. */
const SWEEPS = 10;

const covarianceOf = (rows, width) => {
  const sums = Array.from({ length: width }, () => new Float64Array(width));
  for (const row of rows) {
    for (let p = 0; p < width; p += 1) {
      const [sum, left] = [sums[p], row[p]];
      for (let q = p; q < width; q += 1) sum[q] += left * row[q];
    }
  }
  for (let p = 0; p < width; p += 1) for (let q = 0; q < p; q += 1) sums[p][q] = sums[q][p];
  return sums.map((sum) => sum.map((value) => value / rows.length));
};

/** Makes the element at p, q zero; `axes` has eigenvectors as its rows. */
const rotate = (matrix, axes, p, q) => {
  const off = matrix[p][q];
  if (Math.abs(off) < 1e-18) return;
  const theta = (matrix[q][q] - matrix[p][p]) / (2 * off);
  const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  const [rowP, rowQ] = [matrix[p], matrix[q]];
  for (let k = 0; k < rowP.length; k += 1) {
    const [left, right] = [matrix[k][p], matrix[k][q]];
    matrix[k][p] = c * left - s * right;
    matrix[k][q] = s * left + c * right;
  }
  turn(rowP, rowQ, c, s);
  turn(axes[p], axes[q], c, s);
};

const turn = (left, right, c, s) => {
  for (let k = 0; k < left.length; k += 1) {
    const [a, b] = [left[k], right[k]];
    left[k] = c * a - s * b;
    right[k] = s * a + c * b;
  }
};

/** Gives an axis a direction: its largest component becomes positive. */
const upright = (axis) => {
  const largest = axis.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most), 0);
  return largest < 0 ? axis.map((value) => -value) : axis;
};
