import type { MessagePort } from 'node:worker_threads';

/** Texts for a thread that embeds them. */
export interface TextsToEmbed {
  readonly number: number;
  readonly texts: readonly string[];
  readonly purpose: 'document' | 'query';
}

/** All vectors in a row, or why there are none. */
export type EmbeddedTexts = { readonly number: number } & (
  | { readonly vectors: Float32Array<ArrayBuffer> }
  | { readonly error: unknown }
);

/** A model in this thread, which embeds one text at a time. */
export type TextEngine = (text: string) => Promise<ArrayLike<number>>;

interface Job extends TextsToEmbed {
  readonly done: ArrayLike<number>[];
}

/**
 * Embeds texts for the requests of the port, one at a time, so that queries come between the texts of documents: a
 * caller waits for a query. The first text loads the model. A failure to load it, or one that leaves it in an unknown
 * state, ends the thread.
 */
export const serveTexts = (port: MessagePort, load: () => Promise<TextEngine>): void => {
  const jobs: Record<TextsToEmbed['purpose'], Job[]> = { query: [], document: [] };
  let loading: Promise<TextEngine> | undefined;
  let isWorking = false;
  const work = async (): Promise<void> => {
    loading ??= load();
    const embed = await loading;
    for (let queue = busy(jobs); queue !== undefined; queue = busy(jobs)) {
      const job = queue[0] as Job;
      const reply = await step(job, embed);
      if (reply === undefined) {
        // A query that has come meanwhile goes first.
        await new Promise(setImmediate);
        continue;
      }
      queue.shift();
      port.postMessage(reply, 'vectors' in reply ? [reply.vectors.buffer] : []);
      if ('error' in reply && isBroken(reply.error)) throw reply.error;
    }
    isWorking = false;
  };
  port.on('message', (asked: TextsToEmbed) => {
    jobs[asked.purpose].push({ ...asked, done: [] });
    if (isWorking) return;
    isWorking = true;
    void work();
  });
};

const busy = ({ query, document }: Readonly<Record<TextsToEmbed['purpose'], Job[]>>): Job[] | undefined =>
  [query, document].find((jobs) => jobs.length > 0);

/** Embeds one more text of the job; the reply when that was the last. */
const step = async ({ number, texts, done }: Job, embed: TextEngine): Promise<EmbeddedTexts | undefined> => {
  try {
    if (done.length < texts.length) done.push(await embed(texts[done.length] as string));
  } catch (error) {
    return { number, error };
  }
  return done.length < texts.length ? undefined : { number, vectors: inRow(done) };
};

const inRow = (vectors: readonly ArrayLike<number>[]): Float32Array<ArrayBuffer> => {
  const width = vectors[0]?.length ?? 0;
  const row = new Float32Array(vectors.length * width);
  for (const [at, vector] of vectors.entries()) row.set(vector, at * width);
  return row;
};

/** The memory of WebAssembly is in an unknown state after such an error. */
const isBroken = (error: unknown): boolean => error instanceof Error && error.name === 'RuntimeError';
