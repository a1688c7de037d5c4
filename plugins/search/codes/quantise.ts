import { rotate, rotateBack } from './rotation.ts';

/** A rotated vector of three bits a component: component = code × scale. */
export interface CodeVector {
  /** Odd, from -7 to 7, so that each code keeps the sign of its component. */
  readonly code: Int8Array;
  /** 0 for a vector of length 0. The product with the vector itself is exact, so that similarities have no bias. */
  readonly scale: number;
}

const MOST = 7;
/** The number of levels on either side of zero. */
const LEVELS = 4;
/** The ratio of two tried steps. */
const FINER = 0.85;

export const quantise = (given: Float32Array): CodeVector => {
  const vector = rotate(given);
  const largest = largestOf(vector);
  if (largest === 0) return { code: new Int8Array(vector.length).fill(1), scale: 0 };
  let best = codeWith(vector, largest / LEVELS);
  // Finer steps cut the largest components, which costs less than coarse steps for all others.
  for (let step = (largest / LEVELS) * FINER; ; step *= FINER) {
    const next = codeWith(vector, step);
    if (!(next.closeness > best.closeness)) break;
    best = next;
  }
  return { code: best.code, scale: Math.fround(dot(vector, vector) / dot(vector, best.code)) };
};

/** Returns the vector that a code stands for. */
export const vectorOfCode = ({ code, scale }: CodeVector): Float32Array => {
  const rotated = new Float64Array(code);
  for (let at = 0; at < rotated.length; at++) rotated[at] = (rotated[at] as number) * scale;
  return rotateBack(rotated);
};

/** Also returns the cosine of vector and code, times the length of the vector. */
const codeWith = (vector: Float64Array, step: number): { readonly code: Int8Array; readonly closeness: number } => {
  const code = new Int8Array(vector.length);
  for (let at = 0; at < code.length; at++) {
    const level = Math.floor((vector[at] as number) / step);
    code[at] = 2 * Math.max(-LEVELS, Math.min(LEVELS - 1, level)) + 1;
  }
  return { code, closeness: dot(vector, code) / Math.sqrt(dot(code, code)) };
};

/**
 * The rotated query as integers, padded with zeros to the length of a row, each in units of `step`. They are as fine as
 * a row's sum allows within 32 bits. Integer sums are equal in any order and on every machine.
 */
export const quantiseQuery = (query: Float32Array, length: number): { components: Int16Array; step: number } => {
  const most = Math.min(32_767, Math.floor(2 ** 31 / (MOST * length)) - 1);
  const rotated = rotate(query);
  const step = largestOf(rotated) / most;
  const components = new Int16Array(length);
  if (step === 0) return { components, step };
  for (let at = 0; at < rotated.length; at++) components[at] = Math.round((rotated[at] as number) / step);
  return { components, step };
};

const largestOf = (vector: Float64Array): number => {
  let largest = 0;
  for (let at = 0; at < vector.length; at++) {
    const size = Math.abs(vector[at] as number);
    if (size > largest) largest = size;
  }
  return largest;
};

const dot = (a: Float64Array | Int8Array, b: Float64Array | Int8Array): number => {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number);
  return sum;
};
