import type { Tensor } from './model-runtime.ts';
import { unitVector } from './unit-vector.ts';

export interface Pooling {
  readonly dimensions: number;
  readonly layerNorm: boolean;
}

/**
 * Returns one unit vector per text from the states of its tokens (texts × tokens × width). It is the mean over the
 * tokens that the mask (texts × tokens) marks, normalised over its components if requested, and cut to `dimensions`.
 * Returns undefined when a mean has no direction, because all its components are 0.
 */
export const poolVectors = (
  states: Tensor,
  mask: Tensor,
  { dimensions, layerNorm }: Pooling,
): Float32Array[] | undefined => {
  const [texts = 0, tokens = 0, width = 0] = states.dims;
  const vectors: Float32Array[] = [];
  for (let text = 0; text < texts; text++) {
    const mean = meanOver(states.data, mask.data, { first: text * tokens, tokens, width });
    const vector = unitVector((layerNorm ? normalised(mean) : mean).subarray(0, dimensions));
    if (vector === undefined) return undefined;
    vectors.push(vector);
  }
  return vectors;
};

const meanOver = (
  states: Tensor['data'],
  mask: Tensor['data'],
  { first, tokens, width }: { readonly first: number; readonly tokens: number; readonly width: number },
): Float64Array => {
  const sum = new Float64Array(width);
  let count = 0;
  for (let token = first; token < first + tokens; token++) {
    if (Number(mask[token]) === 0) continue;
    count++;
    for (let at = 0; at < width; at++) sum[at] = (sum[at] as number) + Number(states[token * width + at]);
  }
  return sum.map((component) => component / Math.max(1, count));
};

/** Applies layer norm without learned weights, with the usual 1e-5 against a division by 0. */
const normalised = (vector: Float64Array): Float64Array => {
  const mean = vector.reduce((sum, component) => sum + component, 0) / vector.length;
  const variance = vector.reduce((sum, component) => sum + (component - mean) ** 2, 0) / vector.length;
  const spread = Math.sqrt(variance + 1e-5);
  return vector.map((component) => (component - mean) / spread);
};
