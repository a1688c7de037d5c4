import type { HashSeed } from '../index/text-hash.ts';
import { ThreadCalls } from '../threads/thread-calls.ts';
import { IndexGone, type IndexHost, type IndexSize } from './index-host.ts';
import {
  type PackedAround,
  type PackedHits,
  type PackedLook,
  packHits,
  unpackAround,
  unpackHits,
  unpackLooked,
  unpackTogether,
} from './packed-hits.ts';

/** Calls that go to the thread as messages. */
export type DistantCall = Exclude<keyof IndexHost, 'size' | 'lost' | 'close'>;

/** An index in a thread of its own. */
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

  async lexical(...given: Parameters<IndexHost['lexical']>) {
    return unpackHits((await this.#calls.ask('lexical', given)) as PackedHits);
  }

  dense(...given: Parameters<IndexHost['dense']>) {
    return this.#ask('dense', given);
  }

  besides(...given: Parameters<IndexHost['besides']>) {
    return this.#ask('besides', given);
  }

  spread(...given: Parameters<IndexHost['spread']>) {
    return this.#ask('spread', given);
  }

  async together(...given: Parameters<IndexHost['together']>) {
    return unpackTogether((await this.#calls.ask('together', given)) as PackedHits);
  }

  feedback(...given: Parameters<IndexHost['feedback']>) {
    return this.#ask('feedback', given);
  }

  async look(...given: Parameters<IndexHost['look']>) {
    return ((await this.#calls.ask('look', given)) as readonly PackedLook[]).map(unpackLooked);
  }

  async around(...[query, seeds, view, limit]: Parameters<IndexHost['around']>) {
    const given = [query, packHits(seeds), view, limit];
    return unpackAround((await this.#calls.ask('around', given)) as PackedAround);
  }

  newest(...given: Parameters<IndexHost['newest']>) {
    return this.#ask('newest', given);
  }

  close(): Promise<void> {
    return this.#calls.close();
  }

  #ask<C extends DistantCall>(call: C, given: Parameters<IndexHost[C]>): ReturnType<IndexHost[C]> {
    return this.#calls.ask(call, given) as ReturnType<IndexHost[C]>;
  }
}
