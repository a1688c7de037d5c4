import type { EmbedderRecipe } from '../../../kernel/internal-api.ts';
import type { Embedder } from '../../../kernel/plugin-api.ts';
import { createCodeSpace } from '../codes/code-space.ts';
import { ThreadCalls } from '../threads/thread-calls.ts';
import type { VectorCode } from '../vectors/fresh-vectors.ts';

/** Computes the vectors of documents, in the form in which they are stored. */
export interface DocumentCoder {
  /** True if all of the work runs in another thread or another process. */
  readonly isElsewhere: boolean;
  /** Returns codes in the order of the texts. Rejects as the embedder does. */
  code(texts: readonly string[]): Promise<readonly VectorCode[]>;
  /** Rejects the work in progress. Idempotent. */
  close(): Promise<void>;
}

/** The codes of several texts in one array, as a thread sends them. */
export interface CodedTexts {
  readonly codes: Int8Array;
  readonly scales: Float32Array;
}

/** Uses a separate thread if that is wanted and the embedder can be created there, otherwise this thread. */
export const createDocumentCoder = (embedder: Embedder, isThreaded: boolean): DocumentCoder =>
  isThreaded && embedder.recipe !== undefined ? inThread(embedder, embedder.recipe) : inPlace(embedder);

const inPlace = (embedder: Embedder): DocumentCoder => {
  const { dimensions, recipe } = embedder;
  const { quantise } = createCodeSpace({ dimensions });
  return {
    // An embedder without a recipe for another thread is remote, or has threads of its own.
    isElsewhere: recipe === undefined,
    code: async (texts) => (await embedder.embed(texts, 'document')).map(quantise),
    async close() {},
  };
};

/** The thread starts with the first documents, and again after a crash. */
const inThread = ({ dimensions }: Embedder, recipe: EmbedderRecipe): DocumentCoder => {
  let thread: ThreadCalls | undefined;
  let isClosed = false;
  const begin = (): ThreadCalls =>
    new ThreadCalls({
      module: new URL('./embedding-thread.js', import.meta.url),
      data: recipe,
      gone: (why, cause) => new Error(`facts cannot be embedded: ${why}`, { cause }),
    });
  return {
    isElsewhere: true,
    async code(texts) {
      if (isClosed) throw new Error('facts cannot be embedded any more: the node stops');
      if (thread === undefined || thread.hasEnded) thread = begin();
      const { codes, scales } = (await thread.ask('code', texts)) as CodedTexts;
      return texts.map((_, at) => ({
        code: codes.subarray(at * dimensions, (at + 1) * dimensions),
        scale: scales[at] as number,
      }));
    },
    async close() {
      isClosed = true;
      await thread?.close();
    },
  };
};
