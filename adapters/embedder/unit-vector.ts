/** The same direction at length 1; undefined when there is none: all components 0, or one not finite. */
export const unitVector = (components: ArrayLike<number>): Float32Array | undefined => {
  let square = 0;
  for (let at = 0; at < components.length; at++) square += (components[at] as number) ** 2;
  if (!(square > 0) || square === Number.POSITIVE_INFINITY) return undefined;
  const length = Math.sqrt(square);
  // A loop: `from` with a function takes twenty times as long.
  const vector = new Float32Array(components.length);
  for (let at = 0; at < vector.length; at++) vector[at] = (components[at] as number) / length;
  return vector;
};

/** The direction of a text without one. */
export const firstAxis = (dimensions: number): Float32Array => {
  const vector = new Float32Array(dimensions);
  vector[0] = 1;
  return vector;
};
