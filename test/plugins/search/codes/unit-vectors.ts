/** Returns vectors of unit length in directions that depend on a seed. */
export const unitVectors = (dimensions: number, seed: number): (() => Float32Array) => {
  let state = seed >>> 0;
  const uniform = (): number => {
    // The random generator Mulberry32.
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
  return () => {
    // The sum of three uniform numbers is near enough to normal for unbiased directions.
    const vector = Float32Array.from({ length: dimensions }, () => uniform() + uniform() + uniform() - 1.5);
    const length = Math.hypot(...vector);
    return vector.map((component) => component / length);
  };
};
