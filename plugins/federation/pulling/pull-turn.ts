import { type PluginTransaction, ServiceError } from '../../../kernel/plugin-api.ts';
import type { IngestPage, IngestVerdict, JudgedPage } from '../ingest/ingest.ts';
import { untilTomorrowMs } from '../ingest/quota-exceeded.ts';
import type { Peering } from '../peerings/peering.ts';
import { backOffMs, LONGEST_PAUSE_MS } from './back-off.ts';
import { type FailedFetch, type FetchedPage, fetchPage, PAGE_FACTS } from './fetch-page.ts';
import { firstPosition, type NextPosition, nextPosition } from './next-position.ts';
import type { ParkedVerdict } from './parked-facts.ts';
import type { PullChange } from './pull-row.ts';
import { type ClaimedPull, ClaimLost } from './pull-store.ts';
import { TurnBudget } from './turn-budget.ts';
import type { TurnParts } from './turn-parts.ts';

/** The number of batches of parked facts that one turn retries. */
const MAX_RETRIES = 4;
/** The number of nodes whose keys are fetched at once. */
const MAX_REFRESHED = 8;

/** A page of the peer, and the running check of its facts. */
interface JudgedReply {
  readonly kind: 'page';
  readonly page: FetchedPage;
  readonly judging: Promise<JudgedPage>;
}

/** Reads one scope of one peer, page after page, until it has caught up. */
export class PullTurn {
  readonly #claim: ClaimedPull;
  readonly #parts: TurnParts;
  #peering: Peering;
  #saved: string | null;
  #epoch: string | null;
  #position: string | null;
  #hasRestarted = false;
  readonly #budget: TurnBudget;
  #hasEnded = false;
  #wake = (): void => {};
  /** Resolves when the turn is abandoned. */
  readonly #abandoned = new Promise<'abandoned'>((resolve) => {
    this.#wake = () => resolve('abandoned');
  });
  /** The number of new facts that the peer may still send today. */
  #mayAdd = Number.POSITIVE_INFINITY;

  constructor(claim: ClaimedPull, parts: TurnParts) {
    this.#claim = claim;
    this.#parts = parts;
    this.#peering = claim.peering;
    this.#saved = claim.cursor;
    this.#epoch = claim.epoch;
    this.#budget = new TurnBudget(parts.clock);
    this.#position = firstPosition({ saved: claim.cursor, epoch: claim.epoch });
  }

  /** Runs the turn. Never rejects. */
  async run(): Promise<void> {
    try {
      const waitMs = await this.#barredMs();
      if (waitMs !== null) await this.#giveBack({ dueMs: this.#nowMs() + Math.min(waitMs, LONGEST_PAUSE_MS) });
      else {
        await this.#retryParked();
        await this.#readPages();
      }
    } catch (error) {
      await this.#failed(error);
    }
  }

  /** Releases the claim and records nothing more, even if a reply still arrives. The turn ends immediately. */
  async abandon(): Promise<void> {
    this.#wake();
    if (!this.#hasEnded) await this.#giveBack({ dueMs: this.#nowMs() });
  }

  #nowMs(): number {
    return this.#parts.clock.nowMs();
  }

  /** Returns the milliseconds until this node accepts facts from the peer again; null if it accepts them now. */
  async #barredMs(): Promise<number | null> {
    const { usages, maxFactsPerDay } = this.#parts;
    const nowMs = this.#nowMs();
    const { addedToday, quarantinedUntilMs } = await usages.read(this.#peering, nowMs);
    if (quarantinedUntilMs !== null) return quarantinedUntilMs - nowMs;
    this.#mayAdd = maxFactsPerDay === 0 ? Number.POSITIVE_INFINITY : maxFactsPerDay - addedToday;
    return this.#mayAdd > 0 ? null : untilTomorrowMs(nowMs);
  }

  async #retryParked(): Promise<void> {
    const { parked, ingest, store } = this.#parts;
    for (let batch = 0; batch < MAX_RETRIES; batch += 1) {
      const tried = await parked.due(this.#claim, this.#nowMs());
      if (tried.length === 0 || this.#hasEnded) return;
      await ingest.take({
        ...this.#page(
          tried.map(({ fact }) => fact),
          this.#saved,
        ),
        isRetry: true,
        beforeCommit: async (transaction, verdicts) => {
          await parked.settle(this.#claim, tried, verdicts, this.#nowMs(), transaction);
          await store.record(this.#claim, {}, true, transaction);
        },
      });
    }
  }

  async #readPages(): Promise<void> {
    let askedMs = this.#nowMs();
    let pending = this.#ask();
    for (let goesOn = true; goesOn; ) {
      const reply = await Promise.race([pending, this.#abandoned]);
      if (reply === 'abandoned' || this.#hasEnded) return;
      if (reply.kind === 'failed') {
        await this.#fail(reply);
        return;
      }
      const { page, judging } = reply;
      const before = this.#saved;
      const next = nextPosition({ position: this.#position, saved: before, epoch: this.#epoch }, page, {
        nowMs: this.#nowMs(),
        maxStampLeadMs: this.#parts.maxStampLeadMs,
      });
      this.#budget.read(page.bytes);
      goesOn = this.#goesOn(page, next);
      this.#follow(next);
      const caughtUpMs = page.hasMore || next.kind === 'restart' ? undefined : askedMs;
      // Fetches and verifies the next page while this page is being stored.
      if (goesOn) {
        askedMs = this.#nowMs();
        pending = this.#ask();
      }
      await this.#take(page, await judging, { before, next, goesOn, caughtUpMs });
    }
    this.#hasEnded = true;
  }

  async #ask(): Promise<JudgedReply | FailedFetch> {
    const limit = Math.min(PAGE_FACTS, this.#mayAdd);
    const { scope, wantsOwn } = this.#claim;
    // Until the whole feed was read once, this node may lack own facts that the peer still has.
    const request = { scope, cursor: this.#position, limit, wantsOwn };
    const page = await fetchPage(this.#peering, request, this.#parts.fetching);
    if (page.kind === 'failed') return page;
    const judging = this.#parts.ingest.judge(this.#page(page.facts, null));
    // The code that stores the page handles the error. If the page is dropped, this prevents an unhandled rejection.
    judging.catch(() => {});
    return { kind: 'page', page, judging };
  }

  #goesOn(page: FetchedPage, next: NextPosition): boolean {
    if (this.#budget.isSpent || next.kind === 'stay') return false;
    if (next.kind === 'advance') return page.hasMore && this.#mayAdd - page.facts.length > 0;
    // Restarts at most once per turn, because a peer may send a new epoch with every page.
    return !this.#hasRestarted;
  }

  #follow(next: NextPosition): void {
    this.#epoch = next.epoch;
    if (next.kind === 'stay') return;
    this.#hasRestarted ||= next.kind === 'restart';
    this.#saved = next.kind === 'restart' ? null : next.saved;
    this.#position = next.kind === 'restart' ? null : next.position;
  }

  /** Stores a page and the next position in one transaction. */
  async #take(
    page: FetchedPage,
    judged: JudgedPage,
    {
      before,
      next,
      goesOn,
      caughtUpMs,
    }: {
      readonly before: string | null;
      readonly next: NextPosition;
      readonly goesOn: boolean;
      readonly caughtUpMs: number | undefined;
    },
  ): Promise<void> {
    const { ingest, parked, store, log } = this.#parts;
    let leftOut = 0;
    const verdicts = await ingest.take(
      {
        ...this.#page(page.facts, before),
        beforeCommit: async (transaction, settled) => {
          const waiting = settled.flatMap((verdict, at) =>
            verdict.kind === 'parked' ? [{ verdict: verdict as ParkedVerdict, fact: page.facts[at] }] : [],
          );
          if (waiting.length > 0) leftOut = await parked.park(this.#claim, waiting, this.#nowMs(), transaction);
          const change: PullChange = {
            cursor: this.#saved,
            epoch: this.#epoch,
            failures: 0,
            lastOkMs: this.#nowMs(),
            lastError: next.kind === 'stay' ? (next.problem ?? null) : null,
            remaining: page.remaining ?? (page.hasMore ? null : 0),
            ...(caughtUpMs === undefined ? {} : { caughtUpMs, wantsOwn: false }),
            ...(goesOn ? {} : { dueMs: this.#nextDueMs(page, next, addedIn(settled)) }),
          };
          await store.record(this.#claim, change, goesOn, transaction);
        },
      },
      judged,
    );
    if (leftOut > 0) {
      log.warn('facts of a peer whose signing keys are not known were left out: too many of them wait already', {
        peer: this.#peering.nodeId,
        facts: leftOut,
      });
    }
    const added = addedIn(verdicts);
    this.#budget.stored(added);
    this.#mayAdd -= added;
  }

  #nextDueMs(page: FetchedPage, next: NextPosition, added: number): number {
    const { intervalMs } = this.#parts;
    const hasMore = page.hasMore && next.kind === 'advance';
    return this.#nowMs() + (hasMore ? this.#budget.pauseMs(intervalMs, added) : intervalMs);
  }

  /** The common part of fetched pages and batches of parked facts. */
  #page(facts: readonly unknown[], saved: string | null): IngestPage {
    return {
      facts,
      peering: this.#peering,
      scopes: new Set([this.#claim.scope]),
      via: 'pull',
      refreshKeys: (nodeIds) => this.#refreshKeys(nodeIds),
      guard: (transaction) => this.#guard(transaction, saved),
    };
  }

  async #guard(transaction: PluginTransaction, saved: string | null): Promise<void> {
    const { store, peerings } = this.#parts;
    const { tenantId, peerId, grantVersion } = this.#claim;
    if (this.#hasEnded) throw new ClaimLost();
    await store.confirm(this.#claim, saved, transaction);
    const peering = await peerings.read(transaction, tenantId, peerId);
    if (peering?.status !== 'active' || peering.grantVersion !== grantVersion) throw new ClaimLost();
  }

  async #refreshKeys(nodeIds: readonly string[]): Promise<Peering> {
    const { peerings } = this.#parts;
    const found = await peerings.withNodes(this.#claim.tenantId, nodeIds.slice(0, MAX_REFRESHED));
    await Promise.all(
      [...found.values()].map(async (peering) => {
        if (peering.status !== 'active') return;
        const refreshed = await peerings.refreshKeys(peering);
        if (peering.peerId === this.#peering.peerId) this.#peering = refreshed;
      }),
    );
    return this.#peering;
  }

  async #failed(error: unknown): Promise<void> {
    if (this.#hasEnded) return;
    // Under a new grant the pull may restart at once. If another process holds the claim, this changes nothing.
    if (error instanceof ClaimLost) return this.#parting(this.#giveBack({}));
    const isKnown = error instanceof ServiceError;
    const fields = { peer: this.#peering.nodeId, scope: this.#claim.scope, error };
    if (isKnown) this.#parts.log.warn('facts of a peer could not be stored; they will be asked for again', fields);
    else this.#parts.log.error('a pull failed', fields);
    const reason = isKnown && error.code === 'limit_reached' ? PARKING_IS_FULL : 'this node could not store the facts';
    await this.#parting(this.#fail({ kind: 'failed', reason, retryAfterMs: null }));
  }

  async #parting(givenBack: Promise<void>): Promise<void> {
    await givenBack.catch((error: unknown) => {
      this.#parts.log.warn('the claim on a pull could not be given back; it ends by itself', { error });
    });
  }

  #fail({ reason, retryAfterMs }: FailedFetch): Promise<void> {
    const failures = this.#claim.failures + 1;
    const nowMs = this.#nowMs();
    const dueMs = nowMs + backOffMs(failures, retryAfterMs, this.#parts.random);
    return this.#giveBack({ failures, dueMs, lastFailureMs: nowMs, lastError: reason });
  }

  async #giveBack(change: PullChange): Promise<void> {
    this.#hasEnded = true;
    await this.#parts.store.giveBack(this.#claim, change);
  }
}

const PARKING_IS_FULL = 'too many facts of this peer wait until they can be stored';

const addedIn = (verdicts: readonly IngestVerdict[]): number => verdicts.filter(({ kind }) => kind === 'stored').length;
