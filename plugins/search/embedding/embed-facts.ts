import {
  BackgroundWork,
  type Clock,
  type ConfirmLease,
  type Embedder,
  type FactFeed,
  type FeedFollower,
  type FeedPage,
  type HeldLease,
  type Logger,
  type StoredFact,
} from '../../../kernel/plugin-api.ts';
import type { VectorCode, VectorStore } from '../vectors/vector-store.ts';
import { embedText, isEmbedded } from './embed-text.ts';

const FACTS_PER_STEP = 64;
/**
 * While facts keep coming, assertions go first: short steps, and rests so many times as long. What waits is found by
 * its words meanwhile.
 */
const FACTS_PER_STEP_UNDER_LOAD = 16;
const RESTS_UNDER_LOAD = 40;
/** A process that was paused in a step must not rest for as many times as long. */
const LONGEST_REST_MS = 2_000;
const BUSY_MS = 1_000;
const RETRY_MS = 5_000;
/** How often a long run says how far it has come. */
const PROGRESS_MS = 10_000;

export interface EmbedParts {
  readonly feed: FactFeed;
  readonly embedder: Embedder;
  readonly store: VectorStore;
  readonly lease: HeldLease;
  readonly clock: Clock;
  readonly log: Logger;
  quantise(vector: Float32Array): VectorCode;
}

/**
 * Gives every fact its vector, after its commit, in feed order: the feed is the queue, and the place in it is stored
 * together with the vectors, so that a crash repeats a step and loses nothing. One process does this for all; a fact
 * that cannot be embedded now is tried again.
 */
export class EmbedFacts {
  readonly #parts: EmbedParts;
  readonly #background: BackgroundWork;
  readonly #follower: FeedFollower;
  /** Of the run under way: when the lease has changed hands since it began, nothing more of it counts. */
  #confirm: ConfirmLease = () => Promise.reject(new Error('nothing is embedded without the lease'));
  #hasEnded = false;
  #lastWriteMs = Number.NEGATIVE_INFINITY;
  #saidMs: number;

  constructor(parts: EmbedParts) {
    this.#parts = parts;
    this.#saidMs = parts.clock.monotonicMs();
    this.#follower = parts.feed.follow({
      begin: () => parts.store.position(),
      take: (page) => this.#embed(page),
    });
    this.#background = new BackgroundWork({
      clock: parts.clock,
      work: (rest) => this.#work(rest),
      failed: (error) => parts.log.warn('facts could not be embedded; they will be tried again', { error }),
      retryMs: RETRY_MS,
    });
  }

  /** Facts were committed here: there is work, and it should not get into the way of more of them. */
  committed(): void {
    this.#lastWriteMs = this.#parts.clock.monotonicMs();
    this.wake();
  }

  /** Looks for work, now or after the pause under way. */
  wake(): void {
    if (this.#parts.lease.held) void this.#background.now();
  }

  async stop(): Promise<void> {
    this.#hasEnded = true;
    await this.#follower.stop();
    await this.#background.stop();
  }

  #work(rest: (restMs: number) => void): Promise<void> {
    return this.#parts.lease.whileHeld((confirm) => {
      this.#confirm = confirm;
      return this.#embedAll(rest);
    }) as Promise<void>;
  }

  async #embedAll(rest: (restMs: number) => void): Promise<void> {
    const { clock, lease } = this.#parts;
    while (lease.held && !this.#hasEnded) {
      const beganMs = clock.monotonicMs();
      const isBusy = this.#isBusy();
      if (!(await this.#follower.next(isBusy ? FACTS_PER_STEP_UNDER_LOAD : FACTS_PER_STEP))) return;
      await this.#reportProgress();
      const restMs = Math.min(LONGEST_REST_MS, Math.ceil((clock.monotonicMs() - beganMs) * RESTS_UNDER_LOAD));
      if (restMs > 0 && this.#isBusy()) {
        rest(restMs);
        return;
      }
      // Requests that wait go first.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  async #embed({ facts, upTo }: FeedPage<undefined>): Promise<void> {
    const { embedder, store, clock, log, quantise } = this.#parts;
    const wanted = facts.filter(isEmbedded);
    const embedded = wanted.length === 0 ? [] : await embedWhatCan(wanted, embedder, log);
    const coded = embedded.map(({ fact, vector }) => ({ fact, vector: quantise(vector) }));
    await store.save(coded, upTo, clock.nowMs(), this.#confirm);
  }

  #isBusy(): boolean {
    return this.#parts.clock.monotonicMs() - this.#lastWriteMs < BUSY_MS;
  }

  async #reportProgress(): Promise<void> {
    const { clock, store, log, embedder } = this.#parts;
    if (clock.monotonicMs() - this.#saidMs < PROGRESS_MS) return;
    this.#saidMs = clock.monotonicMs();
    const left = await store.countPending();
    if (left > FACTS_PER_STEP) log.info('facts are being embedded', { embedder: embedder.id, left });
  }
}

interface Embedded {
  readonly fact: StoredFact;
  readonly vector: Float32Array;
}

/**
 * One text that an embedder refuses must not keep all later ones from it: where others around it are taken, it is left
 * out.
 */
const embedWhatCan = async (facts: readonly StoredFact[], embedder: Embedder, log: Logger): Promise<Embedded[]> => {
  try {
    const vectors = await embedder.embed(facts.map(embedText), 'document');
    return facts.map((fact, at) => ({ fact, vector: vectors[at] as Float32Array }));
  } catch (error) {
    if (facts.length === 1) throw error;
    return embedOneByOne(facts, embedder, log, error);
  }
};

/** When the first two fail as well, the embedder is not there at all. */
const SIGNS_OF_OUTAGE = 2;

const embedOneByOne = async (
  facts: readonly StoredFact[],
  embedder: Embedder,
  log: Logger,
  outage: unknown,
): Promise<Embedded[]> => {
  const embedded: Embedded[] = [];
  const refused: string[] = [];
  for (const fact of facts) {
    try {
      const [vector] = await embedder.embed([embedText(fact)], 'document');
      embedded.push({ fact, vector: vector as Float32Array });
    } catch {
      refused.push(fact.id);
      if (embedded.length === 0 && refused.length === SIGNS_OF_OUTAGE) throw outage;
    }
  }
  if (embedded.length === 0) throw outage;
  if (refused.length > 0) log.warn('the embedder refuses some facts; words find them', { factIds: refused });
  return embedded;
};
