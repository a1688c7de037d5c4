/** A vector in a quarter of its size: component = code × scale. */
export interface CodeVector {
  /** From -127 to 127. */
  readonly code: Int8Array;
  /** 0 for a vector of length 0. */
  readonly scale: number;
}

const MOST = 127;

export const quantise = (vector: Float32Array): CodeVector => {
  const scale = Math.fround(largestOf(vector) / MOST);
  const code = new Int8Array(vector.length);
  if (scale === 0) return { code, scale };
  for (let at = 0; at < code.length; at++) {
    code[at] = Math.max(-MOST, Math.min(MOST, Math.round((vector[at] as number) / scale)));
  }
  return { code, scale };
};

/**
 * The query as integers, padded with zeros to the length of a row, each in units of `step`. They are as fine as a row's
 * sum allows within 32 bits. Integer sums are equal in any order and on every machine.
 */
export const quantiseQuery = (query: Float32Array, length: number): { components: Int16Array; step: number } => {
  const most = Math.min(32_767, Math.floor(2 ** 31 / (MOST * length)) - 1);
  const step = largestOf(query) / most;
  const components = new Int16Array(length);
  if (step === 0) return { components, step };
  for (let at = 0; at < query.length; at++) components[at] = Math.round((query[at] as number) / step);
  return { components, step };
};

const largestOf = (vector: Float32Array): number => {
  let largest = 0;
  for (let at = 0; at < vector.length; at++) {
    const size = Math.abs(vector[at] as number);
    if (size > largest) largest = size;
  }
  return largest;
};
