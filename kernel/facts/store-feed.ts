import {
  above,
  all,
  below,
  type Clock,
  type FactStore,
  type FeedEntry,
  type Filter,
  type Hlc,
  isIn,
  type Principal,
  type StoredFact,
} from '../../ports/ports.ts';
import type { HookBus } from '../hooks/hook-bus.ts';
import { narrowSnapshot } from '../store/narrow-transaction.ts';
import type { PluginSnapshot } from '../store/plugin-transaction.ts';
import { BackgroundWork } from '../time/background-work.ts';
import { coalesce } from '../time/coalesce.ts';
import { compareHlc, formatHlc } from '../time/hybrid-logical-clock.ts';
import { turnAfter } from '../time/in-turns.ts';
import type { AppendedFact } from './append-api.ts';
import { factCommitted } from './append-hooks.ts';
import { type ErasedFacts, factErased } from './fact-erasure.ts';
import type { FactFeed, FeedFollower, FeedFollowing, FeedPage, KeepUpOptions } from './fact-feed.ts';
import type { Facts } from './facts.ts';
import { RecentFacts, weightOf } from './recent-facts.ts';
import { valueBytesOf } from './value-bytes.ts';

const MAX_ENTRIES = 512;
const MAX_BYTES = 4 * 1024 * 1024;
/** The number of entries on the first page. Each later page has at most twice as many as the last one had room for. */
const FIRST_ENTRIES = 32;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

export interface FeedParts {
  readonly store: Pick<FactStore, 'read'>;
  readonly clock: Clock;
  readonly facts: Pick<Facts, 'readIn'>;
}

/** Creates the feed of one process, which is notified of its commits. */
export const openFeed = (parts: FeedParts, hooks: HookBus): FactFeed => {
  const feed = new StoreFeed(parts);
  hooks.register('kernel', factCommitted, (event) => {
    feed.committed((event as { readonly facts: readonly AppendedFact[] }).facts.map(({ fact }) => fact));
  });
  hooks.register('kernel', factErased, (event) => feed.erased((event as ErasedFacts).facts));
  return feed;
};

export class StoreFeed implements FactFeed {
  readonly #parts: FeedParts;
  readonly #followers = new Set<Follower<unknown>>();
  readonly #recent = new RecentFacts();

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  follow<T>(following: FeedFollowing<T>): FeedFollower {
    const follower = new Follower(this.#parts, following, this.#recent, () =>
      this.#followers.delete(follower as Follower<unknown>),
    );
    this.#followers.add(follower as Follower<unknown>);
    return follower;
  }

  /** Called with facts that this process has just committed. */
  committed(facts: readonly StoredFact[]): void {
    if (this.#followers.size === 0) return;
    this.#recent.add(facts);
    for (const follower of this.#followers) follower.committed(facts.length);
  }

  /** Called with facts that this process is erasing. */
  erased(facts: readonly StoredFact[]): void {
    this.#recent.erase(facts);
  }
}

class Follower<T> implements FeedFollower {
  readonly catchUp = coalesce(() => this.#readToHead());
  readonly #parts: FeedParts;
  readonly #following: FeedFollowing<T>;
  readonly #recent: RecentFacts;
  readonly #ended: () => void;
  /** The current epoch; undefined before the first run, and after a failure. */
  #epoch: string | undefined;
  #room = FIRST_ENTRIES;
  #background: BackgroundWork | undefined;
  #afterCommits = Number.POSITIVE_INFINITY;
  #commits = 0;
  #hasEnded = false;

  constructor(parts: FeedParts, following: FeedFollowing<T>, recent: RecentFacts, ended: () => void) {
    this.#parts = parts;
    this.#following = following;
    this.#recent = recent;
    this.#ended = ended;
  }

  async next(maxEntries = Number.POSITIVE_INFINITY): Promise<boolean> {
    return (await this.#takePage(await this.#begin(), maxEntries)) !== undefined;
  }

  keepUp({ afterCommits, everyMs, failed }: KeepUpOptions): void {
    let retryMs = FIRST_RETRY_MS;
    const background = new BackgroundWork({
      clock: this.#parts.clock,
      work: async (rest) => {
        try {
          await this.catchUp();
          retryMs = FIRST_RETRY_MS;
        } catch (error) {
          failed(error);
          rest(retryMs);
          retryMs = Math.min(2 * retryMs, LONGEST_RETRY_MS);
        }
        if (everyMs !== undefined) background.soon(everyMs);
      },
      failed,
    });
    this.#background = background;
    this.#afterCommits = afterCommits;
    if (everyMs !== undefined) void background.now();
  }

  async stop(): Promise<void> {
    this.#hasEnded = true;
    this.#ended();
    await this.#background?.stop();
  }

  committed(count: number): void {
    this.#commits += count;
    if (this.#commits < this.#afterCommits) return;
    this.#commits = 0;
    void this.#background?.now();
  }

  /** Reads to the head that the first full page reports, because the feed may grow without end. */
  async #readToHead(): Promise<void> {
    this.#commits = 0;
    let head: Hlc | undefined;
    for (let after = await this.#begin(); ; ) {
      const page = await this.#takePage(after, Number.POSITIVE_INFINITY);
      if (page === undefined || this.#hasEnded) return;
      head ??= page.head;
      if (compareHlc(page.upTo, head) >= 0) return;
      after = page.upTo;
    }
  }

  /** Reads the epoch again after a failure, because an outage may end with an earlier state of the store. */
  async #begin(): Promise<Hlc> {
    this.#epoch ??= await this.#parts.store.read((snapshot) => snapshot.epoch());
    return this.#following.begin(this.#epoch);
  }

  /** Processes a page; undefined at the end of the feed. */
  async #takePage(after: Hlc, most: number): Promise<{ readonly upTo: Hlc; readonly head: Hlc } | undefined> {
    const limit = Math.min(this.#room, most, this.#following.maxEntries ?? MAX_ENTRIES);
    try {
      const read = await this.#parts.store.read((wide) => this.#read(narrowSnapshot(wide), after, limit));
      if (read === undefined) return undefined;
      const { page, head } = read;
      await turnAfter(page.facts);
      await this.#following.take(page);
      this.#room = Math.max(FIRST_ENTRIES, 2 * page.entries.length);
      return head === undefined ? undefined : { upTo: page.upTo, head };
    } catch (error) {
      this.#epoch = undefined;
      throw error;
    }
  }

  /** Reads a page, and the head only when there may be further entries. */
  async #read(snapshot: PluginSnapshot, after: Hlc, limit: number) {
    const found = await snapshot.feedAfter(after, limit);
    if (found.length === 0) return undefined;
    await turnAfter(found);
    const { entries, facts } = await this.#factsOf(snapshot, found);
    await turnAfter(facts);
    const page = { entries, facts, upTo: (entries.at(-1) as FeedEntry).stamp };
    const more = (await this.#following.alongside?.(page, snapshot)) as T;
    const isLast = found.length < limit && entries.length === found.length;
    const head = isLast ? undefined : ((await snapshot.head()) ?? page.upTo);
    return { page: { ...page, more }, head };
  }

  /** Reads facts until their values fill the page. */
  async #factsOf(
    snapshot: PluginSnapshot,
    found: readonly FeedEntry[],
  ): Promise<Pick<FeedPage<T>, 'entries' | 'facts'>> {
    const { caller, maxBytes = MAX_BYTES } = this.#following;
    const known = caller === undefined ? await this.#recent.among(snapshot, found) : NOTHING;
    const unknown = found.filter(
      (entry) => isOfFact(entry, caller) && known.get(entry.subjectId)?.tenantId !== entry.tenantId,
    );
    const read = await this.#readFacts(snapshot, unknown, { limit: found.length, maxBytes });
    const last = valueBytesOf(read) >= maxBytes ? read.at(-1) : undefined;
    const byStamp = new Map(read.map((fact) => [formatHlc(fact.feed), fact]));
    const facts: StoredFact[] = [];
    let bytes = 0;
    for (const [at, entry] of found.entries()) {
      const { subjectId, stamp, tenantId } = entry;
      const isBehind = last !== undefined && compareHlc(stamp, last.feed) > 0;
      if (isBehind || bytes >= maxBytes) return { entries: found.slice(0, at), facts };
      if (!isOfFact(entry, caller)) continue;
      const recent = known.get(subjectId);
      const fact = recent?.tenantId === tenantId ? recent : byStamp.get(formatHlc(stamp));
      if (fact === undefined) continue;
      facts.push(fact);
      bytes += weightOf(fact);
    }
    return { entries: found, facts };
  }

  /** Returns the facts of these entries that the follower may see and that fit on the page, in feed order. */
  async #readFacts(
    snapshot: PluginSnapshot,
    entries: readonly FeedEntry[],
    { limit, maxBytes }: { readonly limit: number; readonly maxBytes: number },
  ): Promise<readonly StoredFact[]> {
    if (entries.length === 0) return [];
    const { caller } = this.#following;
    const among = amongEntries(entries);
    const filter =
      caller === undefined
        ? among
        : all(await this.#parts.facts.readIn(snapshot, caller, 'deliver', (it) => it.constraint('visible')), among);
    return snapshot.find({ filter, order: 'feed', limit, maxBytes });
  }
}

/** Returns whether the entry is about a fact that the follower might see. */
const isOfFact = ({ kind, tenantId }: FeedEntry, caller: Principal | undefined): boolean =>
  kind === 'fact' && (caller === undefined || caller.tenantId === tenantId);

/**
 * Returns a filter for the facts of these entries. With several tenants it uses a range of stamps, because ids are
 * unique only within a tenant and each would be looked up in all of them.
 */
const amongEntries = (entries: readonly FeedEntry[]): Filter => {
  const tenantIds = [...new Set(entries.map(({ tenantId }) => tenantId))];
  const [first, last] = [entries[0], entries.at(-1)] as [FeedEntry, FeedEntry];
  const tenants = isIn('tenantId', tenantIds);
  const ids = entries.map(({ subjectId }) => subjectId);
  if (tenantIds.length === 1) return all(tenants, isIn('id', ids));
  const from = { ...first.stamp, counter: first.stamp.counter - 1 };
  const to = { ...last.stamp, counter: last.stamp.counter + 1 };
  return all(tenants, above('feed', from), below('feed', to));
};

const NOTHING: ReadonlyMap<string, StoredFact> = new Map();
