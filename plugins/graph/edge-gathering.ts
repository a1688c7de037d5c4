import {
  type Clock,
  compareHlc,
  type FactFeed,
  type FeedFollower,
  type PluginTables,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import type { EdgeStore } from './edge-store.ts';

const FACTS_PER_STEP = 2_000;
/** Most bytes of values in one step. */
const BYTES_PER_STEP = 8 * 1024 * 1024;

export interface GatherParts {
  readonly feed: FactFeed;
  readonly tables: PluginTables;
  readonly edges: EdgeStore;
  readonly clock: Clock;
}

/**
 * Adds the edges of facts that were stored while this plugin was off. It follows the feed from its kept position. While
 * the plugin is on, appended and imported facts bring their edges along, and only the position is kept, so that the
 * next start has little to read. All processes on a store have the same plugins on.
 */
export class EdgeGathering {
  readonly #parts: GatherParts;
  readonly #follower: FeedFollower;
  #complete = false;

  constructor(parts: GatherParts) {
    this.#parts = parts;
    const { feed, edges } = parts;
    this.#follower = feed.follow({
      maxEntries: FACTS_PER_STEP,
      maxBytes: BYTES_PER_STEP,
      begin: () => edges.progress(),
      take: async ({ facts, upTo }) => {
        for (const [tenantId, refs] of refsByTenant(facts)) await edges.addMissing(tenantId, refs);
        await edges.saveProgress(upTo);
      },
    });
  }

  /** Whether every fact has its edge. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Adds edges for about this time, and keeps each step. Returns whether it reached the end of the feed. */
  async advance(limitMs: number): Promise<boolean> {
    const { clock } = this.#parts;
    const untilMs = clock.monotonicMs() + limitMs;
    do this.#complete = !(await this.#follower.next());
    while (!this.#complete && clock.monotonicMs() < untilMs);
    return this.#complete;
  }

  /** Keeps the head of the feed as the position, once every fact has its edge. */
  async keepUp(): Promise<void> {
    const { tables, edges } = this.#parts;
    const head = this.#complete ? await tables.read((_, snapshot) => snapshot.head()) : null;
    if (head !== null && compareHlc(head, await edges.progress()) > 0) await edges.saveProgress(head);
  }
}

const refsByTenant = (facts: readonly StoredFact[]): ReadonlyMap<string, readonly StoredFact[]> => {
  const byTenant = new Map<string, StoredFact[]>();
  for (const fact of facts) {
    // An erased reference leads nowhere.
    if (fact.value.type !== 'ref' || fact.value.v === null) continue;
    const group = byTenant.get(fact.tenantId);
    if (group === undefined) byTenant.set(fact.tenantId, [fact]);
    else group.push(fact);
  }
  return byTenant;
};
