import type { Embedder, EmbedderRecipe } from '../../../kernel/plugin-api.ts';
import { ThreadCalls } from '../threads/thread-calls.ts';

/** An embedder whose documents are embedded in a thread. */
export interface DocumentEmbedder extends Embedder {
  /** Ends the thread; what it works on is rejected. Idempotent. */
  close(): Promise<void>;
}

/**
 * Embeds documents in a thread of its own, which begins with the first of them and is begun anew after it was lost.
 * Queries stay here: one is sooner embedded than handed over.
 */
export const createDocumentEmbedder = (embedder: Embedder, recipe: EmbedderRecipe): DocumentEmbedder => {
  let thread: ThreadCalls | undefined;
  let isClosed = false;
  const begin = (): ThreadCalls =>
    new ThreadCalls({
      module: new URL('./embedding-thread.js', import.meta.url),
      data: recipe,
      gone: (why, cause) => new Error(`facts cannot be embedded: ${why}`, { cause }),
    });
  return {
    ...embedder,
    async embed(texts, purpose) {
      if (purpose === 'query') return embedder.embed(texts, purpose);
      if (isClosed) throw new Error('facts cannot be embedded any more: the node stops');
      if (thread === undefined || thread.hasEnded) thread = begin();
      const row = (await thread.ask('embed', texts)) as Float32Array;
      const { dimensions } = embedder;
      return texts.map((_, at) => row.subarray(at * dimensions, (at + 1) * dimensions));
    },
    async close() {
      isClosed = true;
      await thread?.close();
    },
  };
};
