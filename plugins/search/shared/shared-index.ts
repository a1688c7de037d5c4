import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { type Clock, FEED_START, type Hlc, type Logger } from '../../../kernel/plugin-api.ts';
import { packHits, unpackHits } from '../host/packed-hits.ts';
import { isLate } from '../is-late.ts';
import { IndexLost, type SearchAnswer, type SearchIndex } from '../search-api.ts';
import type { SearchService } from '../search-service.ts';
import { answerCalls } from '../threads/answer-calls.ts';
import { AskedIndex, type CommonCall, type CommonIndex, type CommonResult, PING } from './asked-index.ts';
import { newestSeat, takeSeat } from './index-seat.ts';
import { MessageSocket } from './message-socket.ts';

/**
 * The time in milliseconds that a call waits for an index that replies: longer than a search waits for an index that is
 * being built.
 */
const PATIENCE_MS = 15_000;
/**
 * The time in milliseconds that a call waits while no process holds the index, or the holder does not reply. Recalls
 * are incomplete meanwhile.
 */
const PATIENCE_WITHOUT_MS = 250;
/** The interval in milliseconds at which the holder checks whether another process has replaced it. */
const LOOK_MS = 500;

export interface SharedIndexParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly folder: string;
  /** The number of this process among those that share an index. */
  readonly place: number;
  /** A name for this group of processes, in letters, digits and dashes. */
  pool(): string;
  createSearch(): SearchService;
}

/**
 * One search index for the worker processes of a host. One process holds it, and the others call it over a private
 * socket. When the holder ends or stops replying, the fastest of the others opens the index from the snapshot and
 * becomes the holder. A suspended holder that resumes closes its own index, and calls the new holder.
 */
export class SharedIndex implements CommonIndex {
  readonly #parts: SharedIndexParts;
  #joining: Promise<CommonIndex> | undefined;
  /** The index of this process, if it is the holder. */
  #own: SearchService | undefined;
  #asked: AskedIndex | undefined;
  #held: { readonly number: number; readonly server: Server } | undefined;
  #lookedMs = 0;
  #looking: Promise<void> | undefined;
  #cancelLook = (): void => {};
  /** Resolves when all indexes that this process has abandoned are closed. */
  #left: Promise<unknown> = Promise.resolve();
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

  /** Resolves with the start of the feed while no process replies. */
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
    await this.#looking;
    this.#asked?.close();
    this.#leave();
    await this.#left;
  }

  /** Rejects with `IndexLost` if the index does not answer in time. */
  async #inTime<T>(call: (index: CommonIndex) => Promise<T>): Promise<T> {
    const asked = this.#call(call);
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

  async #call<T>(call: (index: CommonIndex) => Promise<T>): Promise<T> {
    const index = await this.#joined();
    try {
      return await call(index);
    } catch (error) {
      const isLeft = index !== this.#own && index !== this.#asked;
      throw isLeft ? new IndexLost() : error;
    }
  }

  async #joined(): Promise<CommonIndex> {
    this.#joining ??= this.#join();
    const index = await this.#joining;
    // A process that was suspended may have been replaced, so it checks that before it answers.
    if (this.#held === undefined || this.#parts.clock.monotonicMs() - this.#lookedMs < 2 * LOOK_MS) return index;
    await this.#look(this.#held.number);
    return this.#joining;
  }

  /** Never rejects. */
  async #join(givenUp?: number): Promise<CommonIndex> {
    const { folder, place, log, pool, createSearch } = this.#parts;
    try {
      const accept = (socket: Socket): void => this.#accept(socket);
      const seat = await takeSeat({ folder, place, pool: pool(), accept, givenUp });
      if ('socket' in seat) return this.#ask(seat.socket, seat.number);
      this.#held = seat;
      this.#lookAgain(seat.number);
    } catch (error) {
      log.info('the search index cannot be shared: this process has one of its own', { error });
    }
    this.#own = createSearch();
    if (!this.#isClosed) void this.#own.openAhead();
    return this.#own;
  }

  #ask(socket: Socket, holder: number): AskedIndex {
    const asked = new AskedIndex(socket, this.#parts.clock);
    this.#asked = asked;
    void asked.lost.then(() => {
      if (this.#isClosed) return;
      this.#parts.log.info('the process with the search index has ended or is silent; another one takes over');
      this.#patienceMs = PATIENCE_WITHOUT_MS;
      this.#asked = undefined;
      this.#joining = this.#join(holder);
    });
    return asked;
  }

  #lookAgain(number: number): void {
    this.#lookedMs = this.#parts.clock.monotonicMs();
    this.#cancelLook = this.#parts.clock.schedule(LOOK_MS, () => void this.#look(number));
  }

  /** Closes the index of this process if another process has replaced it as the holder. Never rejects. */
  #look(number: number): Promise<void> {
    this.#looking ??= this.#lookOnce(number).finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #lookOnce(number: number): Promise<void> {
    const { folder, pool, log } = this.#parts;
    this.#cancelLook();
    // Without the folder, no process can replace this one.
    const newest = await newestSeat({ folder, pool: pool() }).catch(() => number);
    if (this.#isClosed) return;
    if (newest <= number) {
      this.#lookAgain(number);
      return;
    }
    log.warn('another process has taken over the search index, because this one was silent; it asks that one now');
    this.#leave();
    this.#joining = this.#join(number);
  }

  /** Closes the index of this process and rejects its running calls. */
  #leave(): void {
    this.#cancelLook();
    const left = [this.#left, this.#held && once(this.#held.server.close(), 'close'), this.#own?.close()];
    this.#held = undefined;
    this.#own = undefined;
    for (const asker of this.#askers) asker.destroy();
    this.#left = Promise.all(left).catch((error) => this.#parts.log.warn('a search index did not close', { error }));
  }

  #accept(socket: Socket): void {
    this.#askers.add(socket.unref());
    socket.once('close', () => this.#askers.delete(socket));
    answerCalls(new MessageSocket(socket), {
      answer: async (call, given) => (call === PING ? null : this.#answer(call as CommonCall, given)),
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
