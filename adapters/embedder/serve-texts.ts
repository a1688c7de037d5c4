import type { MessagePort } from 'node:worker_threads';

/** A message with texts for the thread to embed. */
export interface TextsToEmbed {
  readonly number: number;
  readonly texts: readonly string[];
  readonly purpose: 'document' | 'query';
}

/** The reply to a message: all vectors in one array, or the reason for a failure. */
export type EmbeddedTexts = { readonly number: number } & (
  | { readonly vectors: Float32Array<ArrayBuffer> }
  | { readonly error: unknown }
);

/** Embeds one text with the model of this thread. */
export type TextEngine = (text: string) => Promise<ArrayLike<number>>;

interface Job extends TextsToEmbed {
  readonly done: ArrayLike<number>[];
}

/**
 * Embeds the texts of incoming messages, one text at a time, so that a query overtakes the documents. The first text
 * loads the model. The thread ends after a failure to load it, or a failure that leaves it in an unknown state.
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
        // Receives new messages, because a query must go before the next document.
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

/** Embeds the next text of a job, and returns the reply when it was the last one. */
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

/** Returns whether the error leaves the memory of WebAssembly in an unknown state. */
const isBroken = (error: unknown): boolean => error instanceof Error && error.name === 'RuntimeError';
