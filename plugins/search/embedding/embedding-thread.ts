import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Embedder, EmbedderRecipe } from '../../../kernel/plugin-api.ts';
import { answerCalls } from '../threads/answer-calls.ts';

/*
 * The body of a thread of its own, which makes vectors of documents.
 */

type Maker = (...given: readonly unknown[]) => Embedder | Promise<Embedder>;

const { module, create, given } = workerData as EmbedderRecipe;
const made = import(module).then((exported: Record<string, Maker>) => (exported[create] as Maker)(...given));

answerCalls(parentPort as MessagePort, {
  /** All vectors in a row. */
  answer: async (_call, texts) => {
    const embedder = await made;
    const vectors = await embedder.embed(texts as readonly string[], 'document');
    const row = new Float32Array(vectors.length * embedder.dimensions);
    for (const [at, vector] of vectors.entries()) row.set(vector, at * embedder.dimensions);
    return row;
  },
});
