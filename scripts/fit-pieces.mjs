/**
 * Vectors of pieces, such that the mean of the pieces of a word is near the vector of the word: ridge regression by
 * conjugate gradients, all components side by side. `rows` are the pieces of each word, by number.
 */
export const fitPieces = (rows, targets, count) => {
  const width = targets[0].length;
  const fitted = new Float32Array(count * width);
  const residual = spread(rows, targets, count, width);
  const direction = residual.slice();
  let squares = squaresOf(residual, width);
  for (let step = 0; step < STEPS; step += 1) {
    const turned = spread(rows, gather(rows, direction, width), count, width);
    for (let at = 0; at < turned.length; at += 1) turned[at] += RIDGE * direction[at];
    const lengths = productsOf(direction, turned, width);
    const ahead = squares.map((square, n) => square / Math.max(lengths[n], 1e-12));
    for (let at = 0; at < fitted.length; at += 1) {
      fitted[at] += ahead[at % width] * direction[at];
      residual[at] -= ahead[at % width] * turned[at];
    }
    const next = squaresOf(residual, width);
    const kept = next.map((square, n) => square / Math.max(squares[n], 1e-12));
    for (let at = 0; at < direction.length; at += 1) direction[at] = residual[at] + kept[at % width] * direction[at];
    squares = next;
  }
  return Array.from({ length: count }, (_, at) => fitted.subarray(at * width, (at + 1) * width));
};

/** The number of steps of conjugate gradients. Further steps change nothing measurable. */
const STEPS = 20;
/** The strength of the regularisation, which keeps vectors of rare pieces short. */
const RIDGE = 0.2;

/** Returns the mean of the pieces of each row. */
const gather = (rows, pieces, width) =>
  rows.map((row) => {
    const mean = new Float32Array(width);
    for (const piece of row) for (let n = 0; n < width; n += 1) mean[n] += pieces[piece * width + n] / row.length;
    return mean;
  });

/** The transposed operation: adds the values of the rows to their pieces. */
const spread = (rows, given, count, width) => {
  const sums = new Float32Array(count * width);
  rows.forEach((row, at) => {
    for (const piece of row) for (let n = 0; n < width; n += 1) sums[piece * width + n] += given[at][n] / row.length;
  });
  return sums;
};

const squaresOf = (values, width) => productsOf(values, values, width);

const productsOf = (left, right, width) => {
  const sums = new Float64Array(width);
  for (let at = 0; at < left.length; at += 1) sums[at % width] += left[at] * right[at];
  return sums;
};
