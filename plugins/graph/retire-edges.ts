import { openAmong } from '../../kernel/internal-api.ts';
import {
  all,
  below,
  type Clock,
  equals,
  isIn,
  not,
  type PluginTables,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import type { EdgeStore, PlacedRelation, Suspect } from './edge-store.ts';

export interface RetireParts {
  readonly edges: EdgeStore;
  readonly tables: PluginTables;
  readonly clock: Clock;
}

const EDGES_PER_STEP = 1_000;
/** The maximum number of queued edges of all tenants. Edges beyond it are reported again by the next walk. */
const MOST_WAITING = 50_000;
const MOST_RETRACTED = 10_000;
/** An expired fact counts as over only after this time in milliseconds, because the clock may be set back. */
const EXPIRED_FOR_MS = 5 * 60 * 1000;
/** A time before any expiry. */
const NEVER_MS = 0;

/**
 * Marks edges whose facts have ended for every caller and for good: covered in their own place, or past their
 * `valid_until`. A time-to-live does not count, because it may change later. Without the marks, every walk would check,
 * for example, all 20,000 retracted edges of one entity. Retractions name the triples to check, and walks report other
 * ended edges.
 */
export class RetireEdges {
  readonly #parts: RetireParts;
  readonly #suspects = new Map<string, Map<string, Suspect>>();
  #waiting = 0;
  #retracted = new Map<string, PlacedRelation>();

  constructor(parts: RetireParts) {
    this.#parts = parts;
  }

  /** Queues the triples of committed retractions. */
  committed(facts: readonly StoredFact[]): void {
    for (const { confidence, system, tenantId, entityKey, relationKey, scope, gardenId } of facts) {
      if (confidence > 0 || system || this.#retracted.size >= MOST_RETRACTED) continue;
      const key = JSON.stringify([tenantId, entityKey, relationKey, scope, gardenId]);
      this.#retracted.set(key, { tenantId, entityKey, relationKey, scope, gardenId });
    }
  }

  /** Queues edges whose facts were not live for a reader. */
  suspect(tenantId: string, edges: readonly Suspect[]): void {
    const known = this.#suspects.get(tenantId) ?? new Map<string, Suspect>();
    this.#suspects.set(tenantId, known);
    for (const { subjectKey, factId } of edges) {
      if (this.#waiting >= MOST_WAITING) return;
      if (known.has(factId)) continue;
      known.set(factId, { subjectKey, factId });
      this.#waiting += 1;
    }
  }

  /** Checks all queued edges, step by step. After a failure the next walk reports the rest again. */
  async retire(): Promise<void> {
    const { edges, tables } = this.#parts;
    const retracted = this.#retracted;
    this.#retracted = new Map();
    for (const triple of retracted.values()) {
      for (;;) {
        const found = await tables.read((_, snapshot) => edges.ofTriple(triple, EDGES_PER_STEP, snapshot));
        if ((await this.#retireAmong(triple.tenantId, found)) < EDGES_PER_STEP) break;
      }
    }
    for (const [tenantId, suspects] of this.#suspects) {
      this.#suspects.delete(tenantId);
      this.#waiting -= suspects.size;
      const waiting = [...suspects.values()];
      for (let at = 0; at < waiting.length; at += EDGES_PER_STEP) {
        await this.#retireAmong(tenantId, waiting.slice(at, at + EDGES_PER_STEP));
      }
    }
  }

  /** Marks those of these edges that are over, and returns their number. */
  async #retireAmong(tenantId: string, suspects: readonly Suspect[]): Promise<number> {
    if (suspects.length === 0) return 0;
    const { edges, tables, clock } = this.#parts;
    const ids = suspects.map(({ factId }) => factId);
    const among = all(equals('tenantId', tenantId), isIn('id', ids));
    const expired = below('validUntilMs', clock.nowMs() - EXPIRED_FOR_MS);
    const going = await tables.read((_, snapshot) =>
      snapshot.outline(all(openAmong(among, { nowMs: NEVER_MS }), not(expired))),
    );
    const alive = new Set(going.map(({ id }) => id));
    const over = suspects.filter(({ factId }) => !alive.has(factId));
    if (over.length > 0) await edges.markOver(tenantId, over);
    return over.length;
  }
}
