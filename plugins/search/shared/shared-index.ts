import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { type Clock, FEED_START, type Hlc, type Logger } from '../../../kernel/plugin-api.ts';
import { packHits, unpackHits } from '../host/packed-hits.ts';
import { isLate } from '../is-late.ts';
import { IndexLost, type SearchAnswer, type SearchIndex } from '../search-api.ts';
import type { SearchService } from '../search-service.ts';
import { answerCalls } from '../threads/answer-calls.ts';
import { AskedIndex, type CommonCall, type CommonIndex, type CommonResult } from './asked-index.ts';
import { takeSeat } from './index-seat.ts';
import { MessageSocket } from './message-socket.ts';

/** The patience in milliseconds with an index that answers: longer than an index that is built lets a search wait. */
const PATIENCE_MS = 15_000;
/** The patience while no process holds the index, or the holder is silent. Recalls are incomplete meanwhile. */
const PATIENCE_WITHOUT_MS = 250;

export interface SharedIndexParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly folder: string;
  /** The number of this process among those that share an index. */
  readonly place: number;
  /** A name for these processes, in letters, digits and dashes. */
  pool(): string;
  createSearch(): SearchService;
}

/**
 * One search index for the worker processes of a host. One of them holds it, and the others ask it over a private
 * socket. When the holder ends, the fastest of the others opens the index from the snapshot and becomes the holder.
 */
export class SharedIndex implements CommonIndex {
  readonly #parts: SharedIndexParts;
  #joining: Promise<CommonIndex> | undefined;
  /** The index of this process, if it is the holder. */
  #own: SearchService | undefined;
  #asked: AskedIndex | undefined;
  #server: Server | undefined;
  readonly #askers = new Set<Socket>();
  #patienceMs = PATIENCE_MS;
  #isClosed = false;

  constructor(parts: SharedIndexParts) {
    this.#parts = parts;
  }

  async openAhead(): Promise<void> {
    await this.#joined();
    await this.#own?.openAhead();
  }

  /** Resolves with the start of the feed while no process answers. */
  async ready(): Promise<Hlc | null> {
    try {
      return await this.#inTime((index) => index.ready());
    } catch (error) {
      if (error instanceof IndexLost) return FEED_START;
      throw error;
    }
  }

  embedders(): Promise<readonly string[]> {
    return this.#inTime((index) => index.embedders());
  }

  isMakingVectors(): Promise<boolean> {
    return this.#inTime((index) => index.isMakingVectors());
  }

  ask(...given: Parameters<SearchIndex['ask']>): Promise<readonly SearchAnswer[]> {
    return this.#inTime((index) => index.ask(...given));
  }

  async vectorsAdded(): Promise<void> {
    if (this.#joining !== undefined) await this.#inTime((index) => index.vectorsAdded());
  }

  hasBuild(build: string): Promise<boolean> {
    return this.#inTime((index) => index.hasBuild(build)).catch(() => false);
  }

  get generations(): readonly string[] {
    return (this.#own ?? this.#asked)?.generations ?? [];
  }

  get lacksVectors(): boolean {
    return (this.#own ?? this.#asked)?.lacksVectors ?? false;
  }

  /** The build number of the index of this process; undefined if another process holds it. */
  get build(): string | undefined {
    return this.#own?.build;
  }

  get size(): number {
    return this.#own?.size ?? 0;
  }

  get vectorCount(): number {
    return this.#own?.vectorCount ?? 0;
  }

  async rebuild(...given: Parameters<SearchService['rebuild']>): Promise<void> {
    await this.#own?.rebuild(...given);
  }

  async saveAsItGrows(): Promise<void> {
    await this.#own?.saveAsItGrows();
  }

  async saveAtEnd(): Promise<void> {
    await this.#own?.saveAtEnd();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#joining;
    const left = this.#server && once(this.#server.close(), 'close');
    for (const asker of this.#askers) asker.destroy();
    this.#asked?.close();
    await Promise.all([left, this.#own?.close()]);
  }

  /** Rejects with `IndexLost` if the index does not answer in time. */
  async #inTime<T>(call: (index: CommonIndex) => Promise<T>): Promise<T> {
    const asked = this.#joined().then(call);
    const ended = asked.then(
      () => {
        this.#patienceMs = PATIENCE_MS;
      },
      () => {},
    );
    if (!(await isLate(ended, this.#patienceMs, this.#parts.clock))) return asked;
    this.#patienceMs = PATIENCE_WITHOUT_MS;
    throw new IndexLost();
  }

  #joined(): Promise<CommonIndex> {
    this.#joining ??= this.#join();
    return this.#joining;
  }

  /** Never rejects. */
  async #join(): Promise<CommonIndex> {
    const { folder, place, log, pool, createSearch } = this.#parts;
    try {
      const seat = await takeSeat({ folder, place, pool: pool(), accept: (socket) => this.#accept(socket) });
      if ('socket' in seat) return this.#ask(seat.socket);
      this.#server = seat.server;
    } catch (error) {
      log.info('the search index cannot be shared: this process has one of its own', { error });
    }
    this.#own = createSearch();
    if (!this.#isClosed) void this.#own.openAhead();
    return this.#own;
  }

  #ask(socket: Socket): AskedIndex {
    const asked = new AskedIndex(socket);
    this.#asked = asked;
    void asked.lost.then(() => {
      if (this.#isClosed) return;
      this.#parts.log.info('the process with the search index has ended; another one takes over');
      this.#patienceMs = PATIENCE_WITHOUT_MS;
      this.#asked = undefined;
      this.#joining = this.#join();
    });
    return asked;
  }

  #accept(socket: Socket): void {
    this.#askers.add(socket.unref());
    socket.once('close', () => this.#askers.delete(socket));
    answerCalls(new MessageSocket(socket), {
      answer: (call, given) => this.#answer(call as CommonCall, given),
      note: () => ({ generations: this.generations, lacksVectors: this.lacksVectors }),
    });
  }

  async #answer(call: CommonCall, given: readonly unknown[]): Promise<CommonResult> {
    try {
      const index = await this.#joined();
      const run = index[call].bind(index) as (...given: unknown[]) => Promise<unknown>;
      return call === 'ask' ? [packHits(await run(...(unpackHits(given) as unknown[])))] : [await run(...given)];
    } catch (error) {
      if (!(error instanceof IndexLost)) this.#parts.log.warn('the search index failed another process', { error });
      return null;
    }
  }
}
