/**
 * Applies the fast Walsh-Hadamard transform to a block in place. The size of the block is a power of two. The transform
 * preserves all angles.
 */
export const spreadBlock = (sums: Float64Array, start: number, size: number): void => {
  for (let half = 1; half < size; half *= 2) {
    for (let pair = start; pair < start + size; pair += 2 * half) {
      for (let at = pair; at < pair + half; at++) {
        const left = sums[at] as number;
        const right = sums[at + half] as number;
        sums[at] = left + right;
        sums[at + half] = left - right;
      }
    }
  }
};
