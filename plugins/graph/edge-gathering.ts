import { grouped, othersGoFirst, ProgressLog } from '../../kernel/internal-api.ts';
import {
  above,
  type Clock,
  compareHlc,
  type FactFeed,
  FEED_START,
  type FeedFollower,
  type Hlc,
  type Logger,
  type PluginSnapshot,
  type PluginTables,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import type { RebuildRun } from '../search/search-api.ts';
import type { EdgeStore } from './edge-store.ts';

const FACTS_PER_STEP = 2_000;
/** The maximum size of the values of one step in bytes. */
const BYTES_PER_STEP = 8 * 1024 * 1024;

export interface GatherParts {
  readonly feed: FactFeed;
  readonly tables: PluginTables;
  readonly edges: EdgeStore;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Adds the edges of facts that were stored while this plugin was off. It follows the feed from its stored position.
 * While the plugin is on, the edges of new facts are stored together with them, and only the position is stored here,
 * so that the next start has little to read. All processes on a store must have the same plugins on.
 */
export class EdgeGathering {
  readonly #parts: GatherParts;
  readonly #follower: FeedFollower;
  readonly #progress: ProgressLog;
  /** The number of facts whose edges this process has gathered. */
  #gathered = 0;
  #complete = false;

  constructor(parts: GatherParts) {
    this.#parts = parts;
    const { feed, edges, clock, log } = parts;
    this.#progress = new ProgressLog({ log, clock, message: 'edges of facts are being gathered' });
    this.#follower = feed.follow({
      maxEntries: FACTS_PER_STEP,
      maxBytes: BYTES_PER_STEP,
      begin: () => edges.progress(),
      take: async ({ facts, upTo }) => {
        for (const [tenantId, refs] of refsByTenant(facts)) await edges.renew(tenantId, refs);
        await edges.saveProgress(upTo);
        this.#gathered += facts.length;
      },
    });
  }

  /** True if every fact has its edge. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Adds edges for about this time, and stores the position after each step. Returns true at the end of the feed. */
  async advance(limitMs: number): Promise<boolean> {
    const { clock } = this.#parts;
    const untilMs = clock.monotonicMs() + limitMs;
    do {
      this.#complete = !(await this.#follower.next());
      await this.#progress.reached(this.#gathered, () => this.#countLeft());
    } while (!this.#complete && clock.monotonicMs() < untilMs);
    return this.#complete;
  }

  /**
   * Compares all edges with the facts again, from the start of the feed to its present end. Correct edges stay in place
   * meanwhile. The work resumes from its last checkpoint.
   */
  async renew({ resumedFrom, signal, progress, checkpoint }: RebuildRun): Promise<void> {
    const { feed, tables, edges } = this.#parts;
    let place = placeFrom(resumedFrom) ?? (await tables.read((_, snapshot) => startOf(snapshot)));
    if (place === undefined) return;
    const follower = feed.follow({
      maxEntries: FACTS_PER_STEP,
      maxBytes: BYTES_PER_STEP,
      begin: () => (place as Comparison).at,
      take: async ({ facts, upTo }) => {
        for (const [tenantId, refs] of refsByTenant(facts)) await edges.renew(tenantId, refs);
        const before = place as Comparison;
        place = { ...before, at: upTo, done: Math.min(before.total, before.done + facts.length) };
        await checkpoint({ ...place });
        progress(place);
      },
    });
    try {
      progress(place);
      while (compareHlc(place.at, place.goal) < 0 && (await follower.next())) {
        signal.throwIfAborted();
        // Lets waiting requests run first.
        await othersGoFirst();
      }
    } finally {
      await follower.stop();
    }
  }

  async #countLeft(): Promise<number> {
    const { tables, edges } = this.#parts;
    const place = await edges.progress();
    return tables.read((_, snapshot) => snapshot.count(above('feed', place)));
  }

  /** Stores the head of the feed as the position, once every fact has its edge. */
  async keepUp(): Promise<void> {
    const { tables, edges } = this.#parts;
    const head = this.#complete ? await tables.read((_, snapshot) => snapshot.head()) : null;
    if (head !== null && compareHlc(head, await edges.progress()) > 0) await edges.saveProgress(head);
  }
}

/** The progress of a comparison of all edges, stored as JSON. */
interface Comparison {
  readonly at: Hlc;
  readonly goal: Hlc;
  readonly done: number;
  readonly total: number;
}

const startOf = async (snapshot: PluginSnapshot): Promise<Comparison | undefined> => {
  const goal = await snapshot.head();
  if (goal === null) return undefined;
  return { at: FEED_START, goal, done: 0, total: await snapshot.count(above('feed', FEED_START)) };
};

const placeFrom = (kept: RebuildRun['resumedFrom']): Comparison | undefined =>
  kept?.['goal'] === undefined ? undefined : (kept as unknown as Comparison);

/** Leaves out erased references, which have no value, and so no edge. */
const refsByTenant = (facts: readonly StoredFact[]): ReadonlyMap<string, readonly StoredFact[]> =>
  grouped(
    facts.filter(({ value }) => value.type === 'ref' && value.v !== null),
    ({ tenantId }) => tenantId,
  );
