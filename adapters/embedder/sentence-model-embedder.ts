import { Worker } from 'node:worker_threads';
import { type Embedder, ServiceError } from '../../ports/ports.ts';
import type { SentenceModelPlace } from './sentence-model-package.ts';
import type { EmbeddedTexts, TextsToEmbed } from './serve-texts.ts';
import { unitVector } from './unit-vector.ts';

export interface SentenceModelSettings {
  /** The npm package of the model. */
  readonly model: string;
  readonly similarityFloor: number;
}

interface Waiting {
  resolve(vectors: Float32Array): void;
  reject(error: unknown): void;
}

/** The maximum number of queued queries, because a caller waits for each of them. */
const MOST_QUERIES = 256;

/**
 * An embedder on a sentence model in a separate thread, which starts with the first text. Queries go before documents.
 * When the thread fails, all pending calls get `ServiceError('unavailable')`, and the next text starts a new thread.
 * The thread keeps the process alive only while calls are pending.
 */
export class SentenceModelEmbedder implements Embedder {
  readonly id: string;
  readonly dimensions: number;
  readonly similarityFloor: number;
  readonly #place: SentenceModelPlace;
  readonly #body: URL;
  #thread: Worker | undefined;
  #calls = 0;
  #queries = 0;
  #isClosed = false;
  #waiting = new Map<number, Waiting>();

  constructor(
    place: SentenceModelPlace,
    similarityFloor: number,
    body: URL = new URL('./sentence-model-worker.js', import.meta.url),
  ) {
    const { id, dimensions } = place.manifest;
    this.id = `sentence:${id}:${dimensions}`;
    this.dimensions = dimensions;
    this.similarityFloor = similarityFloor;
    this.#place = place;
    this.#body = body;
  }

  embed = async (texts: readonly string[], purpose: 'document' | 'query'): Promise<Float32Array[]> => {
    if (texts.length === 0) return [];
    if (purpose === 'document') return this.#vectorsOf(await this.#ask(texts, purpose), texts.length);
    if (this.#queries >= MOST_QUERIES) throw unavailable('has too many queries before it');
    this.#queries += 1;
    try {
      return this.#vectorsOf(await this.#ask(texts, purpose), texts.length);
    } finally {
      this.#queries -= 1;
    }
  };

  close = async (): Promise<void> => {
    this.#isClosed = true;
    await this.#thread?.terminate();
  };

  #ask(texts: readonly string[], purpose: TextsToEmbed['purpose']): Promise<Float32Array> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw unavailable('is not there any more: the node stops');
      this.#thread ??= this.#begin();
      this.#calls += 1;
      const asked: TextsToEmbed = { number: this.#calls, texts, purpose };
      this.#thread.postMessage(asked);
      this.#waiting.set(asked.number, { resolve, reject });
      this.#thread.ref();
    });
  }

  #begin(): Worker {
    const thread = new Worker(this.#body, { workerData: this.#place });
    const waiting = new Map<number, Waiting>();
    this.#waiting = waiting;
    const ended = (cause?: unknown): void => {
      if (this.#thread === thread) this.#thread = undefined;
      for (const { reject } of waiting.values()) reject(unavailable('has failed and is begun anew', cause));
      waiting.clear();
    };
    thread.once('error', ended);
    thread.once('exit', () => ended());
    thread.on('message', (reply: EmbeddedTexts) => {
      const asker = waiting.get(reply.number);
      waiting.delete(reply.number);
      if (waiting.size === 0) thread.unref();
      if ('vectors' in reply) asker?.resolve(reply.vectors);
      else asker?.reject(unavailable('refuses a text', reply.error));
    });
    return thread;
  }

  #vectorsOf(row: Float32Array, count: number): Float32Array[] {
    const { dimensions } = this;
    if (row.length !== count * dimensions) throw unavailable(`does not give vectors of ${dimensions} dimensions`);
    return Array.from({ length: count }, (_, at) => {
      const vector = unitVector(row.subarray(at * dimensions, (at + 1) * dimensions));
      if (vector === undefined) throw unavailable('gives a vector without direction, or one that is not finite');
      return vector;
    });
  }
}

const unavailable = (what: string, cause?: unknown): ServiceError =>
  new ServiceError('unavailable', `the sentence model ${what}`, cause === undefined ? {} : { cause });
