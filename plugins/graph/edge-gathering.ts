import {
  above,
  type Clock,
  compareHlc,
  type Hlc,
  type PluginTables,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import type { EdgeStore } from './edge-store.ts';

const FACTS_PER_STEP = 2_000;
/** Of the values of one step. */
const BYTES_PER_STEP = 8 * 1024 * 1024;

export interface GatherParts {
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
  #complete = false;

  constructor(parts: GatherParts) {
    this.#parts = parts;
  }

  /** Whether every fact has its edge. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Goes on for about this time; each step is kept. Answers whether the end of the feed was reached. */
  async advance(limitMs: number): Promise<boolean> {
    const { tables, edges, clock } = this.#parts;
    const untilMs = clock.monotonicMs() + limitMs;
    let position = await edges.progress();
    do {
      const facts = await factsAfter(position, tables);
      for (const [tenantId, refs] of refsByTenant(facts)) await edges.addMissing(tenantId, refs);
      const last = facts.at(-1);
      if (last !== undefined) {
        position = last.feed;
        await edges.saveProgress(position);
      }
      this.#complete = facts.length === 0;
    } while (!this.#complete && clock.monotonicMs() < untilMs);
    return this.#complete;
  }

  /** Once everything was gathered: remembers that everything up to now has its edge. */
  async keepUp(): Promise<void> {
    const { tables, edges } = this.#parts;
    const head = this.#complete ? await tables.read((_, snapshot) => snapshot.head()) : null;
    if (head !== null && compareHlc(head, await edges.progress()) > 0) await edges.saveProgress(head);
  }
}

const factsAfter = (position: Hlc, tables: PluginTables): Promise<StoredFact[]> =>
  tables.read((_, snapshot) =>
    snapshot.find({
      filter: above('feed', position),
      order: 'feed',
      limit: FACTS_PER_STEP,
      maxBytes: BYTES_PER_STEP,
    }),
  );

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
