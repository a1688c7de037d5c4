import {
  idInName,
  openAmong,
  othersGoFirst,
  portions,
  SIBLING_LIMIT,
  type TriplePosition,
} from '../../kernel/internal-api.ts';
import {
  type AppendedBatch,
  type AppendedFact,
  all,
  below,
  type Clock,
  equals,
  isIn,
  isNull,
  not,
  type PluginTables,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import type { EdgeStore } from './edge-store.ts';

export interface RetireParts {
  readonly edges: Pick<EdgeStore, 'markOver'>;
  readonly tables: PluginTables;
  readonly clock: Clock;
}

type Place = Pick<StoredFact, 'tenantId' | 'entityKey' | 'relationKey' | 'scope' | 'gardenId'>;

const FACTS_PER_STEP = 500;
/** The maximum number of queued facts of all tenants. A later walk reports the edges of facts beyond it again. */
const MOST_WAITING = 50_000;
const MOST_CROWDED = 1_000;
/** An expired fact counts as over only after this time in milliseconds, because the clock may be set back. */
const EXPIRED_FOR_MS = 5 * 60 * 1000;
/** A time before any expiry. */
const NEVER_MS = 0;

/**
 * Marks edges whose facts have ended for every caller and for good: covered in their own place, or past their
 * `valid_until`. A time-to-live does not count, because it may change later. Without the marks, every walk would check,
 * for example, all 20,000 retracted edges of one entity. Retractions and replacements report the facts that they end,
 * and walks report other ended edges.
 */
export class RetireEdges {
  readonly #parts: RetireParts;
  readonly #suspects = new Map<string, Set<string>>();
  #waiting = 0;
  /** Retracted places with more live facts than an append reads. */
  #crowded = new Map<string, Place>();
  /** The facts that a fact may have ended. They are noted in its transaction and queued after the commit. */
  readonly #endedBy = new WeakMap<AppendedFact, readonly string[]>();

  constructor(parts: RetireParts) {
    this.#parts = parts;
  }

  /** Notes the facts that facts of a batch may end: those that they name, or all of a retracted triple. */
  appended({ facts, siblings }: AppendedBatch): void {
    const ending = facts.filter(({ fact }) => !fact.system && (fact.confidence === 0 || fact.replaces.length > 0));
    if (ending.length === 0) return;
    const added = new Map<string, string[]>(ending.map(({ tripleId }) => [tripleId, []]));
    for (const { fact, tripleId } of facts) if (fact.confidence > 0) added.get(tripleId)?.push(fact.id);
    for (const one of ending) {
      const { fact, tripleId } = one;
      if (fact.replaces.length > 0) {
        this.#endedBy.set(one, fact.replaces.map(idInName));
        continue;
      }
      const ofBatch = added.get(tripleId);
      if (ofBatch === undefined) continue;
      this.#endedBy.set(one, [...siblings(one).map(({ id }) => id), ...ofBatch]);
      // One retraction of a triple reports its facts, however many the batch has.
      added.delete(tripleId);
    }
  }

  /** Queues the facts that committed facts may have ended. */
  committed(facts: readonly AppendedFact[]): void {
    for (const appended of facts) {
      const ended = this.#endedBy.get(appended);
      if (ended === undefined) continue;
      const { tenantId, entityKey, relationKey, scope, gardenId, replaces } = appended.fact;
      this.suspect(tenantId, ended);
      if (replaces.length > 0 || ended.length < SIBLING_LIMIT || this.#crowded.size >= MOST_CROWDED) continue;
      const place = { tenantId, entityKey, relationKey, scope, gardenId };
      this.#crowded.set(JSON.stringify(Object.values(place)), place);
    }
  }

  /** Queues facts that were not live for a reader, or may have ended. */
  suspect(tenantId: string, factIds: readonly string[]): void {
    const known = this.#suspects.get(tenantId) ?? new Set<string>();
    this.#suspects.set(tenantId, known);
    for (const id of factIds) {
      if (this.#waiting >= MOST_WAITING) return;
      if (known.has(id)) continue;
      known.add(id);
      this.#waiting += 1;
    }
  }

  /** Checks all queued facts, step by step. After a failure the next walk reports the rest again. */
  async retire(): Promise<void> {
    for (const [tenantId, suspects] of this.#suspects) {
      this.#suspects.delete(tenantId);
      this.#waiting -= suspects.size;
      for (const some of portions([...suspects], FACTS_PER_STEP)) await this.#retireAmong(tenantId, some);
    }
    const crowded = this.#crowded;
    this.#crowded = new Map();
    for (const place of crowded.values()) await this.#retireIn(place);
  }

  /** Checks all facts of a place. */
  async #retireIn({ tenantId, entityKey, relationKey, scope, gardenId }: Place): Promise<void> {
    const filter = all(
      equals('entityKey', entityKey),
      equals('relationKey', relationKey),
      equals('scope', scope),
      gardenId === null ? isNull('gardenId') : equals('gardenId', gardenId),
    );
    let after: TriplePosition | undefined;
    do {
      const query = { tenantId, filter, after, limit: FACTS_PER_STEP };
      const facts = await this.#parts.tables.read((_, snapshot) => snapshot.outlineByTriple(query));
      const ids = facts.map(({ id }) => id);
      await this.#retireAmong(tenantId, ids);
      after = facts.length < FACTS_PER_STEP ? undefined : facts.at(-1);
    } while (after !== undefined);
  }

  /** Marks the edges of those facts that are over. */
  async #retireAmong(tenantId: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const { edges, tables, clock } = this.#parts;
    const among = all(equals('tenantId', tenantId), isIn('id', ids));
    const expired = below('validUntilMs', clock.nowMs() - EXPIRED_FOR_MS);
    const isGoing = all(openAmong(all(), { nowMs: NEVER_MS }), not(expired));
    // Asks for ended facts, because a named fact may not have been stored yet.
    const ended = await tables.read((_, snapshot) => snapshot.outline(all(among, not(isGoing))));
    const over = ended.map(({ id }) => id);
    if (over.length > 0) await edges.markOver(tenantId, over);
    await othersGoFirst();
  }
}
