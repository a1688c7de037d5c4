import type { Cover, Expiry, FactName, FeedPage } from '../../../kernel/internal-api.ts';
import {
  type FactFeed,
  FEED_START,
  type FeedFollower,
  type Hlc,
  type ServiceNames,
  type StoredFact,
} from '../../../kernel/plugin-api.ts';
import { ttlTarget } from '../../facts/facts-api.ts';
import { type IndexHost, indexedFact } from '../host/index-host.ts';
import type { IndexSuppression } from './follow-suppression.ts';

export interface IndexFeedOptions {
  readonly feed: FactFeed;
  readonly index: Pick<IndexHost, 'take'>;
  /** Absent where nothing is ever hidden. */
  readonly suppression?: Pick<IndexSuppression, 'among' | 'follow'> | undefined;
  readonly names: ServiceNames;
  /** Stamp up to which the feed is in the index already; without, it is read from its beginning. */
  readonly applied?: Hlc;
  /** History of the store that the index is made of, where it is known. */
  readonly epoch?: string;
  /** Called after each page, which waits for it: for an index that is built while another one serves. */
  pause?(): Promise<void>;
  /** Told what went wrong while catching up for nobody in particular. */
  onError(error: unknown): void;
}

/** Covers and times to live for the facts of a page and the facts that they name, and which of them are hidden. */
interface Ends {
  readonly hidden: readonly StoredFact[];
  readonly covers: readonly Cover[];
  readonly expiries: readonly Expiry[];
}

/** Keeps an index at the head of the store's feed. The index always holds a prefix of the feed. */
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
        const hidden = (await options.suppression?.among(snapshot, entries, facts)) ?? [];
        return { covers, expiries, hidden };
      },
      take: (page) => this.#take(page),
    });
    this.#follower.keepUp({ afterCommits: MANY_COMMITTED, failed: (error) => options.onError(error) });
  }

  /** Stamp up to which the feed is in the index. */
  get applied(): Hlc {
    return this.#applied;
  }

  /** Whether the store has gone back to an earlier state, so that the index holds what never was. */
  get isVoid(): boolean {
    return this.#isVoid;
  }

  /** See `FeedFollower.catchUp`. When it rejects, the index stays what it was. */
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

  async #take({ entries, facts, more: { covers, expiries, hidden }, upTo }: FeedPage<Ends>): Promise<void> {
    const { index, suppression } = this.#options;
    // Of a fact that was destroyed there is nothing to be found.
    const there = facts.filter(({ cid }) => cid !== '');
    const isHidden = new Set(hidden);
    await index.take({
      facts: there.map(indexedFact),
      hidden: [...there.keys()].filter((at) => isHidden.has(there[at] as StoredFact)),
      covers,
      expiries,
      upTo,
    });
    await suppression?.follow(entries);
    // A fact that the index holds beyond its stamp changes nothing when it comes again.
    this.#applied = upTo;
    await this.#options.pause?.();
  }

  /** Facts whose time to live the given ones set. */
  #targetsOf(facts: readonly StoredFact[]): FactName[] {
    const { names } = this.#options;
    const ttl = names.meta('ttl');
    return facts.flatMap(({ tenantId, relationKey, entity }) =>
      relationKey === ttl ? [{ tenantId, id: ttlTarget(entity, names) }] : [],
    );
  }
}

/** Of the values of one page: how long others wait for their turn follows the text that is taken in. */
const PAGE_BYTES = 512 * 1024;
/** Committed facts that wait for a search; more are taken in without one. */
const MANY_COMMITTED = 256;
