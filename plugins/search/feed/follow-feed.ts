import {
  type Cover,
  type Expiry,
  endsFact,
  type FactName,
  type FeedPage,
  type FormerExpiry,
  tripleId,
} from '../../../kernel/internal-api.ts';
import {
  all,
  type FactFeed,
  FEED_START,
  type FeedFollower,
  type Hlc,
  isIn,
  type PluginSnapshot,
  type ServiceNames,
  type StoredFact,
} from '../../../kernel/plugin-api.ts';
import { ttlTarget } from '../../facts/facts-api.ts';
import { type IndexHost, indexedFact } from '../host/index-host.ts';
import type { IndexedCover } from '../index/indexed-fact.ts';
import { DestroyedFactHeld, type IndexSuppression } from './follow-suppression.ts';

export interface IndexFeedOptions {
  readonly feed: FactFeed;
  readonly index: Pick<IndexHost, 'take'>;
  /** Undefined if no plugin hides facts. */
  readonly suppression?: Pick<IndexSuppression, 'among' | 'follow'> | undefined;
  readonly names: ServiceNames;
  /** The feed stamp up to which the index is current. Without it, the feed is read from its beginning. */
  readonly applied?: Hlc;
  /** The epoch of the store from which the index was built, if known. */
  readonly epoch?: string;
  /** Called after each page and awaited, to slow down a build beside a serving index. */
  pause?(): Promise<void>;
  /** Called with an error of a catch-up for which no caller waits. */
  onError(error: unknown): void;
}

/** The covers and times-to-live of a page's facts, the facts that they end, and the set of hidden facts. */
interface Ends {
  readonly hidden: readonly StoredFact[];
  readonly covers: readonly IndexedCover[];
  readonly expiries: readonly Expiry[];
  readonly formerExpiries: readonly FormerExpiry[];
}

/** Keeps an index up to date with the store's feed. The index holds all facts up to one position of the feed. */
export class IndexFeed {
  readonly #options: IndexFeedOptions;
  readonly #follower: FeedFollower;
  #applied: Hlc;
  #epoch: string | undefined;
  #isVoid = false;

  constructor(options: IndexFeedOptions) {
    this.#options = options;
    this.#applied = options.applied ?? FEED_START;
    this.#epoch = options.epoch;
    this.#follower = options.feed.follow<Ends>({
      maxBytes: PAGE_BYTES,
      begin: (epoch) => this.#begin(epoch),
      alongside: async ({ entries, facts }, snapshot) => {
        const named = entries.map(({ tenantId, subjectId: id }) => ({ tenantId, id }));
        const mortal = [...named, ...this.#targetsOf(facts)];
        const [covers, expiries] = await Promise.all([snapshot.covers(named), snapshot.expiries(mortal)]);
        const timed = expiries.map(({ tenantId, factId: id }) => ({ tenantId, id }));
        const formerExpiries = await snapshot.formerExpiries(timed, this.#applied);
        const hidden = (await options.suppression?.among(snapshot, entries, facts)) ?? [];
        return { covers: await withTargets(covers, snapshot), expiries, formerExpiries, hidden };
      },
      take: (page) => this.#take(page),
    });
    this.#follower.keepUp({ afterCommits: MANY_COMMITTED, failed: (error) => options.onError(error) });
  }

  /** The feed stamp up to which the index is current. */
  get applied(): Hlc {
    return this.#applied;
  }

  /** True if the index holds facts that no longer exist: the store was reset to an earlier state, or destroyed them. */
  get isVoid(): boolean {
    return this.#isVoid;
  }

  /** See `FeedFollower.catchUp`. After a rejection the index is unchanged. */
  catchUp(): Promise<void> {
    return this.#follower.catchUp();
  }

  stop(): Promise<void> {
    return this.#follower.stop();
  }

  #begin(epoch: string): Hlc {
    this.#epoch ??= epoch;
    this.#isVoid = epoch !== this.#epoch;
    if (this.#isVoid) throw new Error('the search index belongs to another history of the store');
    return this.#applied;
  }

  async #take({ entries, facts, more: { hidden, ...ends }, upTo }: FeedPage<Ends>): Promise<void> {
    const { index, suppression } = this.#options;
    // A destroyed fact has no text to index.
    const there = facts.filter(({ cid }) => cid !== '');
    const isHidden = new Set(hidden);
    await index.take({
      facts: there.map(indexedFact),
      hidden: [...there.keys()].filter((at) => isHidden.has(there[at] as StoredFact)),
      ...ends,
      upTo,
    });
    try {
      await suppression?.follow(entries);
    } catch (error) {
      this.#isVoid ||= error instanceof DestroyedFactHeld;
      throw error;
    }
    // If the index holds a fact beyond its stamp, adding it again changes nothing.
    this.#applied = upTo;
    await this.#options.pause?.();
  }

  /** Returns the facts whose time-to-live the given facts set. */
  #targetsOf(facts: readonly StoredFact[]): FactName[] {
    const { names } = this.#options;
    const ttl = names.meta('ttl');
    return facts.flatMap(({ tenantId, relationKey, entity }) =>
      relationKey === ttl ? [{ tenantId, id: ttlTarget(entity, names) }] : [],
    );
  }
}

/**
 * Adds the ids of the stored facts that covers end by name. For facts that arrive later, the index compares the names
 * itself.
 */
export const withTargets = async (
  covers: readonly Cover[],
  snapshot: PluginSnapshot,
): Promise<readonly IndexedCover[]> => {
  const ids = [...new Set(covers.flatMap(({ named }) => named?.id ?? []))];
  if (ids.length === 0) return covers;
  const ofTenants = isIn('tenantId', [...new Set(covers.map(({ tenantId }) => tenantId))]);
  const found = await Promise.all(
    [isIn('id', ids), isIn('originId', ids)].map((byId) => snapshot.outline(all(ofTenants, byId))),
  );
  const facts = found.flat();
  return covers.map((cover) => {
    if (cover.named === null) return cover;
    const ended = facts.filter((fact) => tripleId(fact) === tripleId(cover) && endsFact(cover, fact));
    return { ...cover, targets: ended.map(({ id }) => id) };
  });
};

/** The maximum size of the values of one page in bytes. It limits the time for which indexing blocks other work. */
const PAGE_BYTES = 512 * 1024;
/** The number of queued committed facts above which they are indexed without waiting for a search. */
const MANY_COMMITTED = 256;
