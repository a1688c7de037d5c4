import type { HashSeed } from '../index/text-hash.ts';
import type { SearchAnswer } from '../search-api.ts';
import { ThreadCalls } from '../threads/thread-calls.ts';
import { IndexGone, type IndexHost, type IndexSize } from './index-host.ts';
import { packHits, unpackHits } from './packed-hits.ts';

/** Calls that are sent to the thread as messages. */
export type DistantCall = Exclude<keyof IndexHost, 'size' | 'lost' | 'close'>;

/** Hosts an index in a separate thread. */
export class ThreadHost implements IndexHost {
  readonly #calls: ThreadCalls;
  #size: IndexSize = { facts: 0, vectors: 0 };

  constructor(seed: HashSeed) {
    this.#calls = new ThreadCalls({
      module: new URL('./index-thread.js', import.meta.url),
      data: { seed },
      gone: (why, cause) => new IndexGone(`the search index is not there: ${why}`, { cause }),
      noted: (size) => {
        this.#size = size as IndexSize;
      },
    });
  }

  get size(): IndexSize {
    return this.#size;
  }

  get lost(): Promise<Error> {
    return this.#calls.lost;
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

  async ask(...given: Parameters<IndexHost['ask']>) {
    return unpackHits(await this.#calls.ask('ask', packHits(given) as typeof given)) as SearchAnswer[];
  }

  close(): Promise<void> {
    return this.#calls.close();
  }

  #ask<C extends DistantCall>(call: C, given: Parameters<IndexHost[C]>): ReturnType<IndexHost[C]> {
    return this.#calls.ask(call, given) as ReturnType<IndexHost[C]>;
  }
}
