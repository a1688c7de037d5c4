import {
  type Cover,
  compareHlc,
  type Expiry,
  type FactFeed,
  type FactName,
  FEED_START,
  type FeedFollower,
  type FeedPage,
  type Hlc,
  type ServiceNames,
  type StoredFact,
} from '../../../kernel/plugin-api.ts';
import { ttlTarget } from '../../facts/facts-api.ts';
import type { IndexWriter } from '../index/memory-index.ts';
import type { IndexSuppression } from './follow-suppression.ts';

export interface IndexFeedOptions {
  readonly feed: FactFeed;
  readonly index: Pick<IndexWriter, 'add' | 'cover' | 'expire' | 'withhold'>;
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

/** What ends the facts of a page, or facts that they speak of, and which of them are hidden. */
interface Ends {
  readonly hidden: readonly StoredFact[];
  readonly covers: readonly Cover[];
  readonly expiries: readonly Expiry[];
}

/** Keeps an index at the head of the store's feed. What the index holds is always a prefix of the feed. */
export class IndexFeed {
  readonly #options: IndexFeedOptions;
  readonly #follower: FeedFollower;
  #applied: Hlc;
  /**
   * Covers that count only from later in the feed on: a fact may become one when the facts come that it decides
   * between.
   */
  #later: readonly Cover[] = [];
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
    const ending = [...this.#later, ...covers].sort((a, b) => compareHlc(a.since, b.since));
    let ended = 0;
    const endUpTo = (stamp: Hlc): void => {
      for (; ended < ending.length; ended += 1) {
        const cover = ending[ended] as Cover;
        if (compareHlc(cover.since, stamp) > 0) return;
        index.cover(cover);
      }
    };
    for (const fact of facts) {
      endUpTo(fact.feed);
      // Of a fact that was destroyed there is nothing to be found.
      if (fact.cid !== '') index.add(fact);
    }
    endUpTo(upTo);
    for (const fact of hidden) index.withhold(fact, true);
    for (const expiry of expiries) index.expire(expiry);
    await suppression?.follow(entries);
    this.#later = ending.slice(ended);
    // Whatever is in the index beyond its stamp changes nothing when it comes again.
    this.#applied = upTo;
    await this.#options.pause?.();
    // Much text is taken in page by page, and others have their turn in between.
    if (charactersOf(facts) > MUCH_TEXT) await new Promise<void>((resolve) => setImmediate(resolve));
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
const MUCH_TEXT = PAGE_BYTES / 4;
/** Committed facts that wait for a search; more are taken in without one. */
const MANY_COMMITTED = 256;

const charactersOf = (facts: readonly StoredFact[]): number =>
  facts.reduce((sum, { value: { v } }) => sum + (typeof v === 'string' ? v.length : 0), 0);
