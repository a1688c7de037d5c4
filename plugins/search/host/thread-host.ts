import { Worker } from 'node:worker_threads';
import type { HashSeed } from '../index/text-hash.ts';
import { IndexGone, type IndexHost, type IndexSize } from './index-host.ts';
import type { DistantCall, ThreadData, ThreadReply, ThreadRequest } from './thread-messages.ts';

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** An index in a thread of its own, which ends with the process. */
export class ThreadHost implements IndexHost {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly lost: Promise<Error>;
  #calls = 0;
  #size: IndexSize = { facts: 0, vectors: 0 };
  #end: IndexGone | undefined;

  constructor(seed: HashSeed) {
    const data: ThreadData = { seed };
    const worker = new Worker(new URL('./index-thread.js', import.meta.url), { workerData: data });
    this.#worker = worker;
    this.lost = new Promise((resolve) => {
      worker.once('error', (cause: unknown) => {
        resolve(this.#ended(new IndexGone('the thread of the search index has failed', { cause })));
      });
      worker.once('exit', () => {
        if (this.#end === undefined) resolve(this.#ended(new IndexGone('the thread of the search index has ended')));
      });
    });
    worker.on('message', (reply: ThreadReply) => this.#answered(reply));
    worker.unref();
  }

  get size(): IndexSize {
    return this.#size;
  }

  restore(...given: Parameters<IndexHost['restore']>) {
    return this.#ask('restore', given);
  }

  take(...given: Parameters<IndexHost['take']>) {
    return this.#ask('take', given);
  }

  judge(...given: Parameters<IndexHost['judge']>) {
    return this.#ask('judge', given);
  }

  openLayer(...given: Parameters<IndexHost['openLayer']>) {
    return this.#ask('openLayer', given);
  }

  setVectors(...given: Parameters<IndexHost['setVectors']>) {
    return this.#ask('setVectors', given);
  }

  serve(...given: Parameters<IndexHost['serve']>) {
    return this.#ask('serve', given);
  }

  write(...given: Parameters<IndexHost['write']>) {
    return this.#ask('write', given);
  }

  lexical(...given: Parameters<IndexHost['lexical']>) {
    return this.#ask('lexical', given);
  }

  dense(...given: Parameters<IndexHost['dense']>) {
    return this.#ask('dense', given);
  }

  besides(...given: Parameters<IndexHost['besides']>) {
    return this.#ask('besides', given);
  }

  newest(...given: Parameters<IndexHost['newest']>) {
    return this.#ask('newest', given);
  }

  async close(): Promise<void> {
    if (this.#end === undefined) this.#ended(new IndexGone('the search index was closed'));
    await this.#worker.terminate();
  }

  #ask<C extends DistantCall>(call: C, given: Parameters<IndexHost[C]>): ReturnType<IndexHost[C]> {
    const asked = new Promise<unknown>((resolve, reject) => {
      if (this.#end !== undefined) throw this.#end;
      this.#calls += 1;
      const request: ThreadRequest = { number: this.#calls, call, given };
      this.#worker.postMessage(request);
      this.#waiting.set(request.number, { resolve, reject });
      // A process does not end while somebody waits for an answer.
      if (this.#waiting.size === 1) this.#worker.ref();
    });
    return asked as ReturnType<IndexHost[C]>;
  }

  #answered(reply: ThreadReply): void {
    this.#size = reply.size;
    const waiting = this.#waiting.get(reply.number);
    this.#waiting.delete(reply.number);
    if (this.#waiting.size === 0) this.#worker.unref();
    if ('error' in reply) waiting?.reject(reply.error);
    else waiting?.resolve(reply.result);
  }

  #ended(end: IndexGone): IndexGone {
    this.#end = end;
    for (const { reject } of this.#waiting.values()) reject(end);
    this.#waiting.clear();
    return end;
  }
}
