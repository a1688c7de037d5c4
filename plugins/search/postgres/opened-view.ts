import type { ReadableTables, SqlValue } from '../../../kernel/plugin-api.ts';
import type { SearchView } from '../search-api.ts';
import type { Hash, KeyHasher } from './key-hasher.ts';
import { type Part, partName } from './part-rows.ts';
import { type Fragment, joined, rowsOf, sql, verbatim } from './sql-fragment.ts';

/** The least number of hits that a search reads, so that a deeper pass of the same recall need not search again. */
export const LEAST_READ = 128;

/**
 * The parts that a view may read, and conditions on their rows: `d` is the row of a fact, `w` that of a word, `s` that
 * of the signs of a vector.
 */
export class OpenedView {
  readonly view: SearchView;
  readonly parts: readonly Part[];
  readonly own: ReadableTables;
  readonly hasher: KeyHasher;
  readonly #known = new Map<string, Promise<unknown>>();

  constructor(view: SearchView, parts: readonly Part[], own: ReadableTables, hasher: KeyHasher) {
    this.view = view;
    this.parts = parts;
    this.own = own;
    this.hasher = hasher;
  }

  /** Returns the cached result under this name, or computes it. */
  once<T>(name: string, find: () => Promise<T>): Promise<T> {
    const known = this.#known.get(name) ?? find();
    this.#known.set(name, known);
    return known as Promise<T>;
  }

  get numbers(): readonly number[] {
    return this.parts.map(({ part }) => part);
  }

  /** The realms of the parts, as the table of signs stores them, in the same order. */
  get realms(): readonly Hash[] {
    return this.parts.map(({ scope, place }) => this.hasher.realmOf(this.view.tenantId, scope, place));
  }

  /** The number of facts in the opened parts, ended ones included. */
  get documents(): number {
    return this.parts.reduce((sum, { documents }) => sum + documents, 0);
  }

  /** True if the view filters by entities, relations, sources, sessions or times. */
  get isNarrow(): boolean {
    const { entityKey, relationKey, afterMs, beforeMs, entityKeys, relationKeys, sourceKeys, ...of } = this.view;
    const named = [entityKey, relationKey, entityKeys, relationKeys, sourceKeys, of.sessionIds, of.assertedBy];
    return [...named, afterMs, beforeMs].some((one) => one !== undefined);
  }

  /** Returns a view on the same parts for another entity. */
  of(entityKey: string | undefined): OpenedView {
    if (entityKey === undefined) return this;
    return new OpenedView({ ...this.view, entityKey }, this.parts, this.own, this.hasher);
  }

  rows(query: Fragment): Promise<Record<string, SqlValue>[]> {
    return rowsOf(this.own, query);
  }

  /** Selects the facts of the opened parts that existed at the searched moment. */
  get there(): Fragment {
    return this.#byThen(sql`d.part = ANY(${this.numbers}::int8[])`, 'd');
  }

  /** Selects the postings that existed at the searched moment. */
  get postings(): Fragment {
    return this.#byThen(sql`w.part = ANY(${this.numbers}::int4[])`, 'w');
  }

  /** Selects the signs, in the opened parts, that existed at the searched moment. */
  get signs(): Fragment {
    return this.#byThen(sql`s.realm = ANY(${this.realms}::int8[])`, 's');
  }

  #byThen(those: Fragment, row: 'd' | 'w' | 's'): Fragment {
    const { asOf } = this.view;
    if (asOf === undefined) return those;
    const stamp = verbatim(`(${row}.feed_wall, ${row}.feed_ctr)`);
    return sql`${those} AND ${stamp} <= (${asOf.wallMs}::int8, ${asOf.counter}::int4)`;
  }

  /** Selects the facts that the view may find. */
  get accepted(): Fragment {
    return sql`${this.there} AND ${this.passing}`;
  }

  /** Selects those facts of the opened parts that the view may find. */
  get passing(): Fragment {
    const { nowMs, minConfidence, entityKey, relationKey, excludedRelationKeys = [], contested = [] } = this.view;
    const conditions = [this.#isLive, sql`d.begins_ms <= ${nowMs}::float8`];
    conditions.push(sql`d.confidence >= ${minConfidence}::float8`);
    if (entityKey !== undefined) conditions.push(sql`d.entity = ${this.hasher.of(entityKey, 'entity')}::int8`);
    if (relationKey !== undefined) conditions.push(sql`d.relation = ${this.#relation(relationKey)}::int8`);
    if (excludedRelationKeys.length > 0) {
      conditions.push(sql`d.relation <> ALL(${excludedRelationKeys.map((one) => this.#relation(one))}::int8[])`);
    }
    conditions.push(...this.#narrowed);
    if (contested.length > 0) conditions.push(this.#isUncontested(contested));
    return joined(conditions, ' AND ');
  }

  /** Selects facts by the keys and times of the view. */
  get #narrowed(): Fragment[] {
    const { afterMs, beforeMs, entityKeys, relationKeys, sourceKeys, sessionIds, assertedBy } = this.view;
    const hashes = (keys: readonly string[], kind: Parameters<KeyHasher['of']>[1]): Hash[] =>
      keys.map((key) => this.hasher.of(key, kind));
    return [
      ...(afterMs === undefined ? [] : [sql`d.speaks_of_ms > ${afterMs}::float8`]),
      ...(beforeMs === undefined ? [] : [sql`d.speaks_of_ms < ${beforeMs}::float8`]),
      ...(entityKeys === undefined ? [] : [sql`d.entity = ANY(${hashes(entityKeys, 'entity')}::int8[])`]),
      ...(relationKeys === undefined ? [] : [sql`d.relation = ANY(${hashes(relationKeys, 'relation')}::int8[])`]),
      ...(sourceKeys === undefined ? [] : [sql`d.source = ANY(${hashes(sourceKeys, 'source')}::int8[])`]),
      ...(sessionIds === undefined ? [] : [sql`d.session = ANY(${hashes(sessionIds, 'session')}::int8[])`]),
      ...(assertedBy === undefined ? [] : [sql`d.asserter = ${this.hasher.of(assertedBy, 'asserter')}::int8`]),
    ];
  }

  get #isLive(): Fragment {
    const { asOf, nowMs } = this.view;
    const lasts = sql`d.expires_ms > ${nowMs}::float8`;
    if (asOf === undefined) return sql`d.ended_wall IS NULL AND ${lasts}`;
    const moment = sql`(${asOf.wallMs}::int8, ${asOf.counter}::int4)`;
    // A time-to-live counts if it was set by the searched moment, or before the fact had expired.
    const isUntimed = sql`(d.ttl_wall, d.ttl_ctr) > ${moment} AND d.limit_ms > ${nowMs}::float8`;
    const mayBeUntimed = nowMs <= asOf.wallMs ? sql`d.is_late = 1 AND ${isUntimed}` : isUntimed;
    return sql`(d.ended_wall IS NULL OR (d.ended_wall, d.ended_ctr) > ${moment}) AND (${lasts} OR (${mayBeUntimed}))`;
  }

  #isUncontested(contested: NonNullable<SearchView['contested']>): Fragment {
    const numbers = new Map(this.parts.map(({ part, scope, place }) => [`${scope} ${place}`, part]));
    const triples = contested.flatMap((triple): (readonly [number, Hash, Hash])[] => {
      const part = numbers.get(partName(triple));
      if (part === undefined) return [];
      return [[part, this.hasher.of(triple.entityKey, 'entity'), this.#relation(triple.relationKey)]];
    });
    const column = (at: 0 | 1 | 2) => triples.map((triple) => triple[at]);
    return sql`NOT EXISTS (SELECT 1 FROM unnest(${column(0)}::int8[], ${column(1)}::int8[], ${column(2)}::int8[])
      AS c (part, entity, relation) WHERE c.part = d.part AND c.entity = d.entity AND c.relation = d.relation)`;
  }

  #relation(key: string): Hash {
    return this.hasher.of(key, 'relation');
  }
}

/** Newest first, then by identifier: the order of facts with equal scores. */
export const NEWEST_FIRST: Fragment = { text: 'd.hlc_wall DESC, d.hlc_ctr DESC, d.fact_id', values: [] };
