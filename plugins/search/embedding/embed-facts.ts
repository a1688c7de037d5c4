import { performance } from 'node:perf_hooks';
import { type FeedPage, othersGoFirst, ProgressLog } from '../../../kernel/internal-api.ts';
import {
  BackgroundWork,
  type Clock,
  type ConfirmLease,
  type Embedder,
  type FactFeed,
  type FeedFollower,
  type HeldLease,
  type Logger,
  ServiceError,
  type StoredFact,
} from '../../../kernel/plugin-api.ts';
import type { Advance, Generation } from '../vectors/generation.ts';
import type { GenerationStore } from '../vectors/generation-store.ts';
import type { VectorStore } from '../vectors/vector-store.ts';
import type { DocumentCoder } from './document-coder.ts';
import { type Embedded, embedWithFallback } from './embed-with-fallback.ts';
import { EventLoopLoad } from './event-loop-load.ts';
import { type ChoiceParts, newFactsToEmbed, oldFactsToEmbed } from './facts-to-embed.ts';

/** The number of facts per step. A step takes some milliseconds of the event loop, half of them for the commit. */
const FACTS_PER_STEP = 64;
/**
 * While requests run, embedding pauses for this multiple of the time for which the last step kept the event loop busy.
 * So fewer than one request in twenty coincides with a step. Meanwhile facts without a vector are found by their words.
 */
const RESTS_BESIDE_OTHERS = 40;
/** The time after a commit in which further commits are expected, in milliseconds. */
const COMMITS_LAST_MS = 1_000;
/**
 * The maximum pause in milliseconds. Without it, a process that was suspended during a step would pause for a multiple
 * of that time.
 */
const LONGEST_REST_MS = 2_000;
/** The pause after a failure in milliseconds. After two failures in a row, each pause is twice as long. */
const RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 5 * 60_000;

export interface EmbedParts extends Omit<ChoiceParts, 'store'> {
  readonly feed: FactFeed;
  readonly embedder: Pick<Embedder, 'id'>;
  readonly coder: Pick<DocumentCoder, 'code' | 'isElsewhere'>;
  readonly generations: GenerationStore;
  readonly store: VectorStore;
  readonly lease: HeldLease;
  readonly clock: Clock;
  readonly log: Logger;
  /** The maximum number of backlog facts per second. */
  readonly backlogPerSecond: number;
  /** Called after each attempt, with the number of embedded facts or the failure. */
  attempted(outcome: { readonly embedded: number } | 'failed'): void;
}

/**
 * Gives every committed fact its vector, in feed order. The feed is the queue. Its position is stored together with the
 * vectors, so that a crash repeats a step and loses nothing. New facts come first, then older facts at a limited rate.
 * One process embeds for all processes. A fact that cannot be embedded now is retried.
 */
export class EmbedFacts {
  readonly #parts: EmbedParts;
  readonly #background: BackgroundWork;
  readonly #fresh: FeedFollower;
  readonly #backlog: FeedFollower;
  /**
   * Confirms that this process still holds the lease. After another process has taken it, nothing of the current run is
   * stored.
   */
  #confirm: ConfirmLease = () => Promise.reject(new Error('nothing is embedded without the lease'));
  /** The target generation at the time when the current page was requested. */
  #target: Generation | undefined;
  #failures = 0;
  #hasEnded = false;
  readonly #load: EventLoopLoad;
  /** The time in milliseconds for which the current step waited for another thread. */
  #waitedMs = 0;
  readonly #progress: ProgressLog;
  /** The number of facts examined since all facts last had their vectors. */
  #examined = 0;

  constructor(parts: EmbedParts) {
    this.#parts = parts;
    const { clock, log, embedder } = parts;
    this.#load = new EventLoopLoad(clock);
    this.#progress = new ProgressLog({
      log,
      clock,
      message: 'facts are being embedded',
      fields: { embedder: embedder.id },
      // While new facts arrive, at least one more step remains.
      leastLeft: FACTS_PER_STEP + 1,
    });
    this.#fresh = parts.feed.follow<readonly StoredFact[]>({
      begin: async () => (await this.#look()).fresh,
      alongside: (page, snapshot) => newFactsToEmbed(page, this.#target as Generation, snapshot, parts),
      take: (page) => this.#embed(page, { of: 'fresh', upTo: page.upTo }),
    });
    this.#backlog = parts.feed.follow<readonly StoredFact[]>({
      begin: async () => {
        const { fresh, backlog } = await this.#look();
        return backlog?.position ?? fresh;
      },
      alongside: (page, snapshot) =>
        oldFactsToEmbed(page, this.#target as Generation, snapshot, parts.clock.nowMs(), parts),
      take: (page) => this.#embed(page, { of: 'backlog', upTo: page.upTo, examined: page.facts.length }),
    });
    this.#background = new BackgroundWork({
      clock: parts.clock,
      work: (rest) => this.#work(rest),
      failed: (error) => parts.log.warn('facts could not be embedded; they will be tried again', { error }),
    });
  }

  /** Called after a commit in this process. New work exists, and it should not delay further commits. */
  committed(): void {
    this.#load.seen(COMMITS_LAST_MS);
    this.wake();
  }

  /** Looks for work now, or after the current pause. */
  wake(): void {
    if (this.#parts.lease.held) void this.#background.now();
  }

  async stop(): Promise<void> {
    this.#hasEnded = true;
    await Promise.all([this.#fresh.stop(), this.#backlog.stop()]);
    await this.#background.stop();
  }

  async #work(rest: (restMs: number) => void): Promise<void> {
    try {
      await this.#parts.lease.whileHeld((confirm) => {
        this.#confirm = confirm;
        return this.#embedAll(rest);
      });
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      this.#parts.attempted('failed');
      await this.#keepReason(error);
      this.#parts.log.warn('facts could not be embedded; they will be tried again', { error });
      rest(Math.min(RETRY_MS * 2 ** Math.max(0, this.#failures - 2), LONGEST_RETRY_MS));
    }
  }

  async #embedAll(rest: (restMs: number) => void): Promise<void> {
    const { clock, lease, generations } = this.#parts;
    while (lease.held && !this.#hasEnded) {
      const beganMs = clock.monotonicMs();
      this.#load.endLook();
      this.#waitedMs = 0;
      const loop = performance.eventLoopUtilization();
      const isFresh = await this.#fresh.next(FACTS_PER_STEP);
      if (!isFresh && !(await this.#embedOfBacklog(FACTS_PER_STEP))) {
        this.#examined = 0;
        this.#progress.ended();
        return;
      }
      await this.#progress.reached(this.#examined, () => generations.countPending());
      const tookMs = clock.monotonicMs() - beganMs;
      // Waiting for a database delays no request.
      const ownMs = Math.min(tookMs - this.#waitedMs, performance.eventLoopUtilization(loop).active);
      const restMs = this.#restMs(tookMs, ownMs, isFresh ? 0 : FACTS_PER_STEP);
      if (restMs > 0) {
        this.#load.beginLook();
        rest(restMs);
        return;
      }
      // Lets waiting requests run first.
      await othersGoFirst();
    }
  }

  /** Returns false if the backlog is empty. */
  async #embedOfBacklog(most: number): Promise<boolean> {
    if (this.#target?.backlog === undefined) return false;
    const { generations, store, clock, log } = this.#parts;
    const hasMore = await this.#backlog.next(most);
    const { target } = await generations.plan();
    const { embedder, backlog } = target;
    if (backlog !== undefined && hasMore) return true;
    if (backlog !== undefined) {
      // The feed ends before the goal if its last entries were erased together with a tenant.
      await store.save(target, [], { of: 'backlog', upTo: backlog.goal, examined: 0 }, clock.nowMs(), this.#confirm);
    }
    log.info('all facts have vectors of the embedder', { embedder, generation: target.number });
    return false;
  }

  #restMs(tookMs: number, ownMs: number, ofBacklog: number): number {
    const { backlogPerSecond } = this.#parts;
    const spared = this.#load.isThere ? Math.min(LONGEST_REST_MS, Math.ceil(ownMs * RESTS_BESIDE_OTHERS)) : 0;
    return Math.max(spared, Math.ceil((ofBacklog * 1_000) / backlogPerSecond - tookMs));
  }

  async #look(): Promise<Generation> {
    const { target } = await this.#parts.generations.plan();
    this.#target = target;
    return target;
  }

  async #embed({ facts, more: wanted }: FeedPage<readonly StoredFact[]>, advance: Advance): Promise<void> {
    const { store, clock, attempted } = this.#parts;
    const target = this.#target as Generation;
    const coded = wanted.length === 0 ? [] : await this.#code(wanted);
    await store.save(target, coded, advance, clock.nowMs(), this.#confirm);
    this.#examined += facts.length;
    if (coded.length > 0) attempted({ embedded: coded.length });
  }

  async #code(facts: readonly StoredFact[]): Promise<Embedded[]> {
    const { coder, clock, log } = this.#parts;
    if (!coder.isElsewhere) return embedWithFallback(facts, coder, log);
    const beganMs = clock.monotonicMs();
    const coded = embedWithFallback(facts, coder, log);
    // Waits one turn, so that the request to the coder is sent before the measurement.
    const soon = setImmediate(() => this.#load.beginLook());
    try {
      return await coded;
    } finally {
      clearImmediate(soon);
      this.#load.endLook();
      this.#waitedMs += clock.monotonicMs() - beganMs;
    }
  }

  /** Stores the reason of a failure, for reports about the vectors. */
  async #keepReason(error: unknown): Promise<void> {
    const { generations, log } = this.#parts;
    const reason = error instanceof ServiceError ? error.message : 'an internal error; the log of the node says more';
    const target = this.#target;
    if (target === undefined || target.error === reason) return;
    await generations.failed(target.name, reason).catch((cause: unknown) => {
      log.debug('the reason why facts could not be embedded was not kept', { error: cause });
    });
  }
}
