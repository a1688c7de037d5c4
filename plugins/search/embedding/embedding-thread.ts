import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { EmbedderRecipe } from '../../../kernel/internal-api.ts';
import type { Embedder } from '../../../kernel/plugin-api.ts';
import { createCodeSpace } from '../codes/code-space.ts';
import { answerCalls } from '../threads/answer-calls.ts';
import type { CodedTexts } from './document-coder.ts';

/*
 * The entry module of the thread that computes vectors of documents.
 */

type Maker = (...given: readonly unknown[]) => Embedder | Promise<Embedder>;

const { module, create, given } = workerData as EmbedderRecipe;

const made = import(module).then(async (exported: Record<string, Maker>) => {
  const embedder = await (exported[create] as Maker)(...given);
  return { embedder, quantise: createCodeSpace({ dimensions: embedder.dimensions }).quantise };
});

answerCalls(parentPort as MessagePort, {
  answer: async (_call, texts): Promise<CodedTexts> => {
    const { embedder, quantise } = await made;
    const vectors = await embedder.embed(texts as readonly string[], 'document');
    const codes = new Int8Array(vectors.length * embedder.dimensions);
    const scales = new Float32Array(vectors.length);
    for (const [at, vector] of vectors.entries()) {
      const { code, scale } = quantise(vector);
      codes.set(code, at * embedder.dimensions);
      scales[at] = scale;
    }
    return { codes, scales };
  },
});
