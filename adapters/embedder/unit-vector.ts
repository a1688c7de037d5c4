/** Scales a vector to length 1; undefined when all components are 0 or one is not finite. */
export const unitVector = (components: ArrayLike<number>): Float32Array | undefined => {
  let square = 0;
  for (let at = 0; at < components.length; at++) square += (components[at] as number) ** 2;
  if (!(square > 0) || square === Number.POSITIVE_INFINITY) return undefined;
  const length = Math.sqrt(square);
  // Uses a loop, because `from` with a function takes twenty times as long.
  const vector = new Float32Array(components.length);
  for (let at = 0; at < vector.length; at++) vector[at] = (components[at] as number) / length;
  return vector;
};

/** Returns the fixed direction for texts whose vector is 0. */
export const firstAxis = (dimensions: number): Float32Array => {
  const vector = new Float32Array(dimensions);
  vector[0] = 1;
  return vector;
};
