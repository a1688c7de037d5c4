import { createHash } from 'node:crypto';
import type { Embedder } from '../../ports/ports.ts';

/** Returns given vectors; any other text gets a vector derived from the text alone. */
export const createScriptedEmbedder = (
  script: Readonly<Record<string, readonly number[]>> = {},
  dimensions = 8,
): Embedder => ({
  id: `scripted-${dimensions}`,
  dimensions,
  similarityFloor: 0.2,
  embed: async (texts) => texts.map((text) => unit(script[text] ?? digestVector(text, dimensions))),
});

const digestVector = (text: string, dimensions: number): number[] => {
  const bytes = createHash('sha512').update(text).digest();
  return Array.from({ length: dimensions }, (_, at) => (bytes[at % bytes.length] as number) - 127.5);
};

const unit = (vector: readonly number[]): Float32Array => {
  const length = Math.hypot(...vector);
  return Float32Array.from(vector, (component) => component / length);
};
