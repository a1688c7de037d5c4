import { type FeedEntry, type FeedPage, othersGoFirst, ProgressLog } from '../../../kernel/internal-api.ts';
import {
  above,
  type Clock,
  coalesce,
  compareHlc,
  FACT_RETURNED,
  type FactFeed,
  FEED_START,
  type FeedFollower,
  type Hlc,
  type Logger,
  type PluginSnapshot,
  type PluginTables,
  type StoredFact,
  SUPPRESSION_CHANGED,
  type SuppressedFacts,
} from '../../../kernel/plugin-api.ts';
import { EXPIRY_IMPORTED } from '../../transfer/transfer-api.ts';
import { handleAll, type WalkedPage, walkEntity } from '../feed/walk-entity.ts';
import { isLate } from '../is-late.ts';
import type { RebuildableIndex, RebuildRun } from '../search-api.ts';
import type { IndexState } from './index-state.ts';
import type { FactWriter } from './write-facts.ts';

export interface NewsParts {
  readonly feed: FactFeed;
  readonly tables: PluginTables;
  readonly state: Pick<IndexState, 'position' | 'advance'>;
  readonly writer: FactWriter;
  readonly suppressed: SuppressedFacts | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The time in milliseconds that a search waits while earlier facts get their rows. */
const PATIENCE_MS = 10_000;
/** The maximum size of the values of one page in bytes, which limits the time of its transaction. */
const PAGE_BYTES = 1024 * 1024;
const FACTS_PER_PIECE = 256;
/** The number of queued commits after which the feed is read without waiting for a search. */
const MANY_COMMITTED = 256;

/**
 * Follows the feed for facts that are hidden or shown again, because such changes write no rows by themselves. At the
 * start, it also adds facts that were stored while this plugin was off. All processes on a store must have the same
 * plugins on.
 */
export class IndexNews implements RebuildableIndex {
  readonly name = 'words';
  readonly summary = 'words of all facts, which get their rows again where these are missing';
  readonly #parts: NewsParts;
  readonly #follower: FeedFollower;
  readonly #progress: ProgressLog;
  #position: Hlc = FEED_START;
  #saved: Hlc = FEED_START;
  #added = 0;
  #isComplete = false;

  constructor(parts: NewsParts) {
    this.#parts = parts;
    const { log, clock } = parts;
    this.#progress = new ProgressLog({ log, clock, message: 'facts get their rows of the search index' });
    this.#follower = parts.feed.follow({
      maxBytes: PAGE_BYTES,
      begin: () => this.#begin(),
      take: (page) => this.#take(page),
    });
    this.#follower.keepUp({
      afterCommits: MANY_COMMITTED,
      failed: (error) => log.warn('the search index could not follow the facts; it tries again', { error }),
    });
  }

  /** True once every fact has its row. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Adds missing facts up to the end of the feed. Concurrent calls share one run. */
  readonly build = coalesce(async (): Promise<void> => {
    await this.#follower.catchUp();
    if (!this.#isComplete && this.#added > 0) this.#parts.log.info('all facts have rows of the search index');
    this.#isComplete = true;
    this.#progress.ended();
    await this.save();
  });

  /** See `SearchIndex.ready`. */
  async ready(): Promise<Hlc | null> {
    if (this.#isComplete) {
      await this.#follower.catchUp();
      return null;
    }
    const built = this.build();
    built.catch(() => {});
    return (await isLate(built, PATIENCE_MS, this.#parts.clock)) ? this.#position : null;
  }

  /** Saves the position, so that the next start has little to read. */
  async save(): Promise<void> {
    if (!this.#isComplete || compareHlc(this.#position, this.#saved) <= 0) return;
    const position = this.#position;
    await this.#parts.state.advance(position);
    this.#saved = position;
  }

  stop(): Promise<void> {
    return this.#follower.stop();
  }

  async state() {
    if (this.#isComplete) return { isComplete: true };
    const left = await this.#countLeft();
    return { isComplete: false, done: this.#added, total: this.#added + left };
  }

  /** Compares all rows with the facts. Existing rows stay searchable meanwhile. Resumes from the last checkpoint. */
  async rebuild({ resumedFrom, signal, progress, checkpoint }: RebuildRun): Promise<void> {
    const { feed, tables } = this.#parts;
    const start = (resumedFrom as unknown as Place | null) ?? (await this.#start());
    let place: Place = start;
    const follower = feed.follow({
      maxBytes: PAGE_BYTES,
      begin: () => place.at,
      take: async ({ facts, upTo }) => {
        await this.#add(facts);
        place = { ...place, at: upTo, done: Math.min(place.total, place.done + facts.length) };
        await checkpoint({ ...place });
        progress(place);
      },
    });
    try {
      progress(place);
      const goal = await tables.read((_own, snapshot) => snapshot.head());
      while (goal !== null && compareHlc(place.at, goal) < 0 && (await follower.next())) {
        signal.throwIfAborted();
        await othersGoFirst();
      }
    } finally {
      await follower.stop();
    }
  }

  async #start(): Promise<Place> {
    const total = await this.#parts.tables.read((_own, snapshot) => snapshot.count(above('feed', FEED_START)));
    return { at: FEED_START, done: 0, total };
  }

  async #begin(): Promise<Hlc> {
    if (this.#isComplete) return this.#position;
    const saved = await this.#parts.state.position();
    if (compareHlc(saved, this.#position) > 0) this.#position = saved;
    return this.#position;
  }

  async #take({ entries, facts, upTo }: FeedPage<undefined>): Promise<void> {
    const isBuilding = !this.#isComplete;
    if (isBuilding) await this.#add(facts);
    await this.#expire(entries);
    await this.#judge(entries);
    this.#position = upTo;
    if (!isBuilding) return;
    await this.#parts.state.advance(upTo);
    await this.#progress.reached(this.#added, () => this.#countLeft());
  }

  async #add(facts: readonly StoredFact[]): Promise<void> {
    const { tables, writer } = this.#parts;
    for (const tenantId of new Set(facts.map((fact) => fact.tenantId))) {
      const ofTenant = facts.filter((fact) => fact.tenantId === tenantId);
      await tables.writeUnlessErased(tenantId, (_own, transaction) => writer.addMissing(ofTenant, transaction));
    }
    this.#added += facts.length;
  }

  /** Applies times-to-live that an import stored after their facts. */
  async #expire(entries: readonly FeedEntry[]): Promise<void> {
    const { tables, writer } = this.#parts;
    const imported = entries.filter(({ kind }) => kind === EXPIRY_IMPORTED.id);
    for (const tenantId of new Set(imported.map((entry) => entry.tenantId))) {
      const ofTenant = imported.filter((entry) => entry.tenantId === tenantId);
      const named = ofTenant.map(({ subjectId: id }) => ({ tenantId, id }));
      await tables.writeUnlessErased(tenantId, async (_own, transaction) =>
        writer.facts.expire(await transaction.expiries(named), transaction),
      );
    }
  }

  /** Applies entries that hide or reveal facts. */
  async #judge(entries: readonly FeedEntry[]): Promise<void> {
    const { tables, suppressed } = this.#parts;
    if (suppressed === undefined) return;
    for (const { kind, tenantId, subjectId } of entries) {
      if (kind === FACT_RETURNED.id) await handleAll(tenantId, [subjectId], this.#pageOf(tenantId));
      if (kind !== SUPPRESSION_CHANGED.id) continue;
      const keys = await tables.read((_own, snapshot) => suppressed.entitiesOf(snapshot, tenantId, subjectId));
      for (const entityKey of keys) {
        const read = <T>(work: (snapshot: PluginSnapshot) => Promise<T>) =>
          tables.read((_own, snapshot) => work(snapshot));
        await walkEntity({ tenantId, entityKey }, read, this.#pageOf(tenantId));
      }
    }
  }

  #pageOf(tenantId: string): WalkedPage {
    const { tables, writer } = this.#parts;
    return {
      facts: FACTS_PER_PIECE,
      bytes: PAGE_BYTES,
      handle: async (read) => {
        const judged = await tables.writeUnlessErased(tenantId, async (_own, transaction) => {
          const facts = await read(transaction);
          await writer.judge(facts, transaction);
          return facts;
        });
        return judged ?? [];
      },
    };
  }

  #countLeft(): Promise<number> {
    return this.#parts.tables.read((_own, snapshot) => snapshot.count(above('feed', this.#position)));
  }
}

/** The progress of a rebuild, stored as JSON. */
interface Place {
  readonly at: Hlc;
  readonly done: number;
  readonly total: number;
}
