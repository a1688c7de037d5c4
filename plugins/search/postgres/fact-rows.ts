import type { Expiry } from '../../../kernel/internal-api.ts';
import type {
  Hlc,
  PluginSnapshot,
  PluginTables,
  PluginTransaction,
  Row,
  StoredFact,
} from '../../../kernel/plugin-api.ts';
import { compareHlc } from '../../../kernel/plugin-api.ts';
import { type IndexedFact, speaksOf } from '../index/indexed-fact.ts';
import { deleteVectors, type VectorFormat } from '../vectors/vector-store.ts';
import { normOf } from '../words/document-norm.ts';
import { MOST_TIMES } from '../words/posting-lists.ts';
import type { FactTerms, KeyHasher } from './key-hasher.ts';
import { type Part, type PartChange, type PartRows, partName } from './part-rows.ts';
import { FACTS_TABLE, WORDS_TABLE } from './postgres-tables.ts';
import { rowsOf, sql } from './sql-fragment.ts';

/** The covers and times-to-live that end new facts. */
export interface Ends {
  readonly covered: ReadonlyMap<string, Hlc>;
  readonly expiries: ReadonlyMap<string, Expiry>;
}

/** Stores the rows of facts and of their words. All facts of one call belong to one tenant. */
export class FactRows {
  readonly #tables: PluginTables;
  readonly #hasher: KeyHasher;
  readonly #parts: PartRows;
  readonly #format: VectorFormat;

  constructor(tables: PluginTables, hasher: KeyHasher, parts: PartRows, format: VectorFormat) {
    this.#format = format;
    this.#tables = tables;
    this.#hasher = hasher;
    this.#parts = parts;
  }

  /** Returns the facts that have no row. */
  async without<T extends Pick<StoredFact, 'id'>>(
    tenantId: string,
    facts: readonly T[],
    snapshot: PluginSnapshot,
  ): Promise<readonly T[]> {
    if (facts.length === 0) return facts;
    const own = this.#tables.in(snapshot);
    const ids = facts.map(({ id }) => id);
    const known = await own(FACTS_TABLE).where({ tenant_id: tenantId }).whereIn('fact_id', ids).pluck('fact_id');
    const there = new Set(known.map(String));
    return facts.filter(({ id }) => !there.has(id));
  }

  /** Inserts facts that have no row. Returns the resulting changes of the statistics of their parts. */
  async insert(
    tenantId: string,
    facts: readonly IndexedFact[],
    ends: Ends,
    parts: ReadonlyMap<string, Part>,
    transaction: PluginTransaction,
  ): Promise<ReadonlyMap<Part, PartChange>> {
    const own = this.#tables.in(transaction);
    const changes = new Map<Part, PartChange>();
    if (facts.length === 0) return changes;
    const rows: Row[] = [];
    const words: Row[] = [];
    for (const fact of facts) {
      const part = parts.get(partName(fact)) as Part;
      const read = this.#hasher.termsOf(fact);
      count(changes, part, { documents: 1, ...read });
      rows.push(this.#rowOf(fact, part, read, ends));
      words.push(...wordRowsOf(tenantId, fact, part, read));
    }
    await own.insertRows(FACTS_TABLE, rows);
    if (words.length > 0) await own.insertRows(WORDS_TABLE, words);
    return changes;
  }

  /**
   * Removes the rows of facts, of their words and of their vectors. Ignores facts without a row. Returns the number of
   * removed vectors.
   */
  async remove(tenantId: string, facts: readonly StoredFact[], transaction: PluginTransaction): Promise<number> {
    const own = this.#tables.in(transaction);
    const missing = new Set(await this.without(tenantId, facts, transaction));
    const there = facts.filter((fact) => !missing.has(fact));
    const vectors = await deleteVectors(own, this.#format, tenantId, facts);
    if (there.length === 0) return vectors;
    const parts = await this.#parts.named(tenantId, transaction);
    const changes = new Map<Part, PartChange>();
    for (const fact of there) {
      const part = parts.get(partName(fact)) as Part;
      const { terms, length } = this.#hasher.termsOf(fact);
      count(changes, part, { documents: -1, length: -length, languages: 0 });
      // Finds the words by their terms, so that the table needs no index by fact.
      await own(WORDS_TABLE)
        .where({ part: part.part, feed_wall: fact.feed.wallMs, feed_ctr: fact.feed.counter })
        .whereRaw('term = ANY(?::int8[])', [`{${terms.map(({ term }) => term).join()}}`])
        .delete();
    }
    await own(FACTS_TABLE)
      .where({ tenant_id: tenantId })
      .whereIn(
        'fact_id',
        there.map(({ id }) => id),
      )
      .delete();
    await this.#parts.change(changes, transaction);
    return vectors;
  }

  /** Sets the times-to-live of facts that have a row. Idempotent. */
  async expire(expiries: readonly Expiry[], transaction: PluginTransaction): Promise<void> {
    const own = this.#tables.in(transaction);
    for (const { tenantId, factId, expiresMs, since } of expiries) {
      const facts = own(FACTS_TABLE).where({ tenant_id: tenantId, fact_id: factId });
      const [row] = await rowsOf(
        own,
        sql`SELECT limit_ms FROM search_postgres_facts WHERE tenant_id = ${tenantId} AND fact_id = ${factId}`,
      );
      if (row !== undefined) await facts.update(lifeColumns(Number(row['limit_ms']), { expiresMs, since }));
    }
  }

  #rowOf(fact: IndexedFact, { part }: Part, { length }: FactTerms, { covered, expiries }: Ends): Row {
    const first = covered.get(fact.id);
    const ended = first === undefined || compareHlc(first, fact.feed) > 0 ? first : fact.feed;
    const { sessionId, speaker, assertedBy } = fact;
    return {
      tenant_id: fact.tenantId,
      fact_id: fact.id,
      part,
      feed_wall: fact.feed.wallMs,
      feed_ctr: fact.feed.counter,
      hlc_wall: fact.hlc.wallMs,
      hlc_ctr: fact.hlc.counter,
      begins_ms: fact.validFromMs ?? 0,
      ...lifeColumns(fact.validUntilMs ?? Number.POSITIVE_INFINITY, expiries.get(fact.id)),
      ended_wall: ended?.wallMs ?? null,
      ended_ctr: ended?.counter ?? null,
      confidence: fact.confidence,
      entity: this.#hasher.of(fact.entityKey, 'entity'),
      relation: this.#hasher.of(fact.relationKey, 'relation'),
      speaker: speaker === null ? '0' : this.#hasher.of(speaker, 'speaker'),
      session: sessionId === null ? null : this.#hasher.of(sessionId, 'session'),
      source: this.#hasher.of(fact.sourceKey, 'source'),
      asserter: assertedBy === null ? '0' : this.#hasher.of(assertedBy, 'asserter'),
      speaks_of_ms: speaksOf(fact),
      length,
    };
  }
}

const lifeColumns = (limitMs: number, expiry: Pick<Expiry, 'expiresMs' | 'since'> | undefined) => ({
  limit_ms: limitMs,
  expires_ms: Math.min(limitMs, expiry?.expiresMs ?? Number.POSITIVE_INFINITY),
  ttl_wall: expiry?.since.wallMs ?? null,
  ttl_ctr: expiry?.since.counter ?? null,
  is_late: Number(expiry !== undefined && expiry.expiresMs <= expiry.since.wallMs),
});

const wordRowsOf = (tenantId: string, { feed }: IndexedFact, { part }: Part, { terms, length }: FactTerms): Row[] =>
  terms.map(({ term, times }) => ({
    tenant_id: tenantId,
    part,
    term,
    feed_wall: feed.wallMs,
    feed_ctr: feed.counter,
    times: Math.min(times, MOST_TIMES),
    norm: normOf(length),
  }));

const count = (changes: Map<Part, PartChange>, part: Part, { documents, length, languages }: PartChange): void => {
  const change = changes.get(part) ?? { documents: 0, length: 0, languages: 0 };
  change.documents += documents;
  change.length += length;
  change.languages |= languages;
  changes.set(part, change);
};
