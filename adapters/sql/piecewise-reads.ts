import {
  all,
  type FactField,
  type FactQuery,
  type Filter,
  isIn,
  type SqlValue,
  type TextQuery,
} from '../../ports/ports.ts';
import { tenantOf } from './cached-facts.ts';
import type { BoundStatement, FactPosition, FactStatements } from './fact-statements.ts';
import type { SqlSession } from './sql-engine.ts';

/**
 * The number of facts that one statement tests. The test whether a retraction hides a fact takes some 5 µs, so a
 * statement takes some milliseconds.
 */
const FACTS_AT_ONCE = 512;

/**
 * The number of facts that an index may lead to before a walk over all facts of the tenant is better. The walk tests a
 * fact that does not belong to the index part in a fraction of a microsecond.
 */
const MOST_BY_INDEX = 4_096;
const WALKED_PER_TESTED = 16;

/** Fields that lead to their facts by an index. */
const INDEXED: ReadonlySet<FactField> = new Set(['id', 'cid', 'entityKey', 'sourceKey', 'gardenId', 'sessionId']);

/** Returns the statement of a query, which tests no fact beyond `through`. */
export type SpellFind = (query: FactQuery, through?: FactPosition) => BoundStatement;

/**
 * Reads over any number of facts of a tenant, on an engine whose statements run on the thread of their callers. A
 * statement over a million facts would stop the node for seconds. Here each statement tests a bounded number of facts,
 * and other work runs between two of them. All statements read the same snapshot, so the result is that of a single
 * one.
 */
export class PiecewiseReads {
  readonly #session: SqlSession;
  readonly #rest: () => Promise<void>;
  readonly #statements: FactStatements;

  constructor(session: SqlSession, rest: () => Promise<void>, statements: FactStatements) {
    this.#session = session;
    this.#rest = rest;
    this.#statements = statements;
  }

  /** Returns undefined for a filter that a single statement counts as well. */
  async count(filter: Filter): Promise<number | undefined> {
    const tenantId = tenantOf(filter);
    if (tenantId === undefined) return undefined;
    const last = await this.#number(this.#statements.lastNumber(tenantId));
    if (!(await this.#hasMore(filter, Math.max(MOST_BY_INDEX, last / WALKED_PER_TESTED)))) return undefined;
    let counted = 0;
    for (let above = 0; above < last; above += FACTS_AT_ONCE) {
      if (above > 0) await this.#rest();
      counted += await this.#number(this.#statements.countNumbered(filter, above, above + FACTS_AT_ONCE));
    }
    return counted;
  }

  /** Returns the texts of a query. Returns undefined for one that a single statement answers as well. */
  async texts(query: TextQuery): Promise<string[] | undefined> {
    const last = await this.#number(this.#statements.lastNumber(query.tenantId));
    if (last <= FACTS_AT_ONCE) return undefined;
    const most = Math.floor(Math.max(MOST_BY_INDEX, last / WALKED_PER_TESTED));
    const isNarrow = INDEXED.has(query.field)
      ? (await this.#number(this.#statements.countTexts(query, most))) < most
      : !(await this.#hasMore(query.filter, most));
    if (isNarrow) return undefined;
    const found = new Set<string>();
    for (let above = 0; above < last && found.size < query.limit; above += FACTS_AT_ONCE) {
      if (above > 0) await this.#rest();
      const rows = await this.#rows(this.#statements.texts(query, [above, above + FACTS_AT_ONCE]));
      for (const [text] of rows) found.add(text as string);
    }
    return [...found].slice(0, query.limit);
  }

  /**
   * Returns the rows of a query in the order by timestamp, by statements that `spell` returns. Returns undefined for
   * another query, and for one that a single statement answers as well.
   */
  async rows(query: FactQuery, spell: SpellFind): Promise<SqlValue[][] | undefined> {
    const tenantId = query.order === 'timestamp' ? tenantOf(query.filter) : undefined;
    if (tenantId === undefined || !(await this.#hasMore(query.filter, MOST_BY_INDEX))) return undefined;
    const found: SqlValue[][] = [];
    let after = query.after;
    for (;;) {
      const through = await this.#position(this.#statements.positionAfter(tenantId, after, FACTS_AT_ONCE));
      const piece = { ...query, limit: query.limit - found.length, ...(after !== undefined && { after }) };
      found.push(...(await this.#rows(spell(piece, through))));
      if (through === undefined || found.length >= query.limit) return found;
      after = through;
      await this.#rest();
    }
  }

  /** Returns the outlines of facts with any of very many ids. Returns undefined for another filter. */
  outlines(filter: Filter): Promise<SqlValue[][]> | undefined {
    const parts = conjuncts(filter);
    const named = parts.find((part) => part.kind === 'in' && part.field === 'id' && part.values.length > FACTS_AT_ONCE);
    if (named?.kind !== 'in') return undefined;
    const rest = parts.filter((part) => part !== named);
    return this.#outlinesOf([...new Set(named.values)], rest);
  }

  async #outlinesOf(ids: readonly (string | number | boolean)[], rest: readonly Filter[]): Promise<SqlValue[][]> {
    const found: SqlValue[][] = [];
    for (let at = 0; at < ids.length; at += FACTS_AT_ONCE) {
      const some = isIn('id', ids.slice(at, at + FACTS_AT_ONCE));
      if (at > 0) await this.#rest();
      found.push(...(await this.#rows(this.#statements.outline(all(...rest, some)))));
    }
    return found;
  }

  /** Returns whether an index leads to more facts than this. Without an index the number is not bounded. */
  async #hasMore(filter: Filter, most: number): Promise<boolean> {
    const indexed = indexedPart(filter);
    if (indexed === undefined) return true;
    const limit = Math.floor(most) + 1;
    return (await this.#number(this.#statements.countUpTo(indexed, limit))) === limit;
  }

  async #number(statement: BoundStatement): Promise<number> {
    const [row] = await this.#rows(statement);
    return (row?.[0] ?? 0) as number;
  }

  async #position(statement: BoundStatement): Promise<FactPosition | undefined> {
    const [row] = await this.#rows(statement);
    return row && { timestampMs: row[0] as number, id: row[1] as string };
  }

  #rows({ sql, parameters }: BoundStatement): Promise<SqlValue[][]> {
    return this.#session.rows(sql, parameters);
  }
}

/** Returns the part of a filter that an index answers, with the tenant; undefined if no index narrows the tenant. */
const indexedPart = (filter: Filter): Filter | undefined => {
  const parts = conjuncts(filter).filter((part) => part.kind === 'in');
  if (!parts.some(({ field }) => INDEXED.has(field))) return undefined;
  return all(...parts.filter(({ field }) => field === 'tenantId' || INDEXED.has(field)));
};

const conjuncts = (filter: Filter): readonly Filter[] =>
  filter.kind === 'all' ? filter.of.flatMap(conjuncts) : [filter];
