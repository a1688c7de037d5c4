import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { SentenceModelPlace } from './sentence-model-package.ts';
import { serveTexts } from './serve-texts.ts';

/** The entry point of the thread that runs a sentence model. */

interface Engine {
  createEmbedder(parts: { readonly model: unknown }): Promise<{ embed(texts: string[]): Promise<number[][]> }>;
}

const { engine, model } = workerData as SentenceModelPlace;

serveTexts(parentPort as MessagePort, async () => {
  const { createEmbedder } = (await import(engine)) as Engine;
  const embedder = await createEmbedder({ model: ((await import(model)) as { readonly default: unknown }).default });
  // Embeds one text at a time, because for several the package starts threads, each with a copy of the model.
  return async (text) => (await embedder.embed([text]))[0] as number[];
});
