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
/** Of the values of one step. */
const BYTES_PER_STEP = 8 * 1024 * 1024;

export interface GatherParts {
  readonly feed: FactFeed;
  readonly tables: PluginTables;
  readonly edges: EdgeStore;
  readonly clock: Clock;
}

/**
 * Adds the edges of facts that were stored while this plugin was off, by following the feed from where it had come.
 * Facts that are stored while it is on bring their edges along; then only the place in the feed is kept, so that the
 * next start has little to look through. All processes on a store have the same plugins on.
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

  /** Goes on for about this time; each step is kept. Returns whether the end of the feed was reached. */
  async advance(limitMs: number): Promise<boolean> {
    const { clock } = this.#parts;
    const untilMs = clock.monotonicMs() + limitMs;
    do this.#complete = !(await this.#follower.next());
    while (!this.#complete && clock.monotonicMs() < untilMs);
    return this.#complete;
  }

  /** Once everything was gathered: remembers that everything up to now has its edge. */
  async keepUp(): Promise<void> {
    const { tables, edges } = this.#parts;
    const head = this.#complete ? await tables.read((_, snapshot) => snapshot.head()) : null;
    if (head !== null && compareHlc(head, await edges.progress()) > 0) await edges.saveProgress(head);
  }
}

const refsByTenant = (facts: readonly StoredFact[]): ReadonlyMap<string, readonly StoredFact[]> => {
  const byTenant = new Map<string, StoredFact[]>();
  for (const fact of facts) {
    if (fact.value.type !== 'ref') continue;
    const group = byTenant.get(fact.tenantId);
    if (group === undefined) byTenant.set(fact.tenantId, [fact]);
    else group.push(fact);
  }
  return byTenant;
};
