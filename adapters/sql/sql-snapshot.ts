import type { Knex } from 'knex';
import {
  type AnnouncedQuery,
  all,
  type EntityPage,
  type EntityQuery,
  equals,
  type FactOutline,
  type FactQuery,
  type FactReferences,
  type FeedEntry,
  type Filter,
  type Hlc,
  type LedgerEntry,
  type LedgerHead,
  type LedgerQuery,
  type LedgerRange,
  type OutlineOrder,
  type RowPage,
  type SizedOutline,
  type Snapshot,
  type SqlValue,
  type StoredFact,
  type TextQuery,
  type TripleKey,
  type TripleQuery,
} from '../../ports/ports.ts';
import { factsWithin, factsWithLong } from './bounded-facts.ts';
import { findCached, tenantOf } from './cached-facts.ts';
import { contentIdsIn } from './damaged-columns.ts';
import type { CacheView } from './fact-cache.ts';
import type { FactForm } from './fact-form.ts';
import { FACT_COLUMNS } from './fact-row.ts';
import type { BoundStatement, FactStatements } from './fact-statements.ts';
import { EMPTY_LEDGER, ENTRY_MEMBERS, entriesFromRows, headFromRow } from './ledger-row.ts';
import {
  ANNOUNCED,
  FEED_AFTER,
  FEED_HEAD,
  LEDGER_ENDS,
  LEDGER_HEAD,
  NUMBER_AT,
  REFERENCES,
  TENANTS_WITH_NEWS,
} from './ledger-statements.ts';
import { inOrder, mergeFeeds } from './merge-feeds.ts';
import { PiecewiseReads, type SpellFind } from './piecewise-reads.ts';
import { readEpoch } from './read-epoch.ts';
import { PAST_FLOOR } from './record-time.ts';
import { type ColumnValues, selectStatement } from './select-statement.ts';
import { SIBLINGS } from './siblings-statement.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { SqlSession } from './sql-engine.ts';
import { isStoreWide } from './store-wide.ts';
import { textAfter } from './text-after.ts';
import { stepsOf } from './triple-order.ts';

/** Implements the reads of the store over one transaction of any engine. */
export class SqlSnapshot implements Snapshot {
  protected readonly session: SqlSession;
  protected readonly dialect: SqlDialect;
  protected readonly form: FactForm;
  readonly #statements: FactStatements;
  readonly #cache: CacheView | undefined;
  readonly #piecewise: PiecewiseReads | undefined;

  /** Pass a `cache` only for a snapshot of committed data. */
  constructor(session: SqlSession, dialect: SqlDialect, statements: FactStatements, cache?: CacheView) {
    this.session = session;
    this.dialect = dialect;
    this.#statements = statements;
    this.form = statements.form;
    this.#cache = cache;
    const rest = session.rest?.bind(session);
    this.#piecewise = rest && new PiecewiseReads(session, rest, statements);
  }

  async find(query: FactQuery): Promise<StoredFact[]> {
    const tenantId = query.mayCache === true && this.#cache !== undefined ? tenantOf(query.filter) : undefined;
    if (tenantId === undefined || this.#cache?.isWorthwhile(tenantId) !== true) return this.#find(query);
    return findCached(query, tenantId, this.#cache, {
      traces: (asked) => this.#found(asked, (piece, through) => this.#statements.traces(piece, through)),
      whole: (asked) => this.#find(asked),
      isSealed: this.form.seal !== undefined,
    });
  }

  async #find(query: FactQuery): Promise<StoredFact[]> {
    const rows = isStoreWide(query)
      ? await this.#alongFeeds(query)
      : await this.#found(query, (piece, through) => this.#statements.find(piece, through));
    const { maxBytes, longValues } = query;
    if (maxBytes !== undefined) return factsWithin(rows, maxBytes, this.session, this.dialect, this.form);
    if (longValues !== undefined) return factsWithLong(rows, longValues, this.session, this.dialect, this.form);
    return rows.map((row) => this.form.fact(row));
  }

  async #found(query: FactQuery, spell: SpellFind): Promise<SqlValue[][]> {
    return (await this.#piecewise?.rows(query, spell)) ?? this.#rowsOf(spell(query));
  }

  async outline(filter: Filter, limit?: number, order?: OutlineOrder): Promise<SizedOutline[]> {
    const isWhole = limit === undefined && order === undefined;
    const inPieces = isWhole ? this.#piecewise?.outlines(filter) : undefined;
    const rows = await (inPieces ?? this.#rowsOf(this.#statements.outline(filter, limit, order)));
    return rows.map((row) => this.form.sizedOutline(row));
  }

  async outlineByTriple({ tenantId, filter, after, limit }: TripleQuery): Promise<FactOutline[]> {
    const found: FactOutline[] = [];
    for (const step of stepsOf({ after })) {
      if (found.length === limit) break;
      const { sql, parameters } = this.#statements.tripleStep(filter, step, tenantId);
      const from = after === undefined ? [] : step.parametersOf(after);
      const rows = await this.session.rows(sql, [tenantId, ...from, ...parameters, limit - found.length]);
      for (const row of rows) found.push(this.form.outline(row));
    }
    return found;
  }

  async entitiesWith(tenantId: string, entityKeys: readonly string[], filter: Filter): Promise<string[]> {
    const { sql, parameters } = this.#statements.entityWith(filter, tenantId);
    const sets = [...new Set(entityKeys)].map((entityKey) => [tenantId, entityKey, ...parameters]);
    return (await this.session.rowsOfEach(sql, sets)).flat().map(([entityKey]) => entityKey as string);
  }

  async entities(query: EntityQuery): Promise<EntityPage> {
    const { from, limit } = query;
    const start = 'after' in from ? from.after : textAfter(from.beyond);
    if (start === undefined) return { keys: [], last: null };
    const { sql, parameters } = this.#statements.entities(query, start, 'beyond' in from);
    const rows = await this.session.rows(sql, parameters);
    await this.session.rest?.();
    const keys = rows.filter(([, found]) => found !== null).map(([key]) => key as string);
    return { keys, last: rows.length < limit ? null : ((rows.at(-1)?.[0] ?? null) as string | null) };
  }

  async texts(query: TextQuery): Promise<string[]> {
    const found = await this.#piecewise?.texts(query);
    if (found !== undefined) return found;
    const { sql, parameters } = this.#statements.texts(query);
    return (await this.session.rows(sql, parameters)).map(([text]) => text as string);
  }

  async count(filter: Filter): Promise<number> {
    const counted = await this.#piecewise?.count(filter);
    if (counted !== undefined) return counted;
    const { sql, parameters } = this.#statements.count(filter);
    const [row] = await this.session.rows(sql, parameters);
    return row?.[0] as number;
  }

  async siblings(triples: readonly TripleKey[], nowMs: number, limit: number): Promise<FactOutline[][]> {
    const sets = triples.map(({ tenantId, entityKey, relationKey, scope, gardenId }) => [
      tenantId,
      entityKey,
      relationKey,
      scope,
      gardenId ?? '',
      nowMs,
      nowMs,
      limit,
    ]);
    const found = await this.session.rowsOfEach(SIBLINGS, sets);
    return found.map((rows) => rows.map((row) => this.form.outline(row)));
  }

  async feedAfter(stamp: Hlc, limit: number): Promise<FeedEntry[]> {
    const tenants = await this.session.rows(TENANTS_WITH_NEWS, [stamp.wallMs, stamp.counter]);
    const tenantIds = tenants.map(([tenantId]) => tenantId as string);
    return mergeFeeds(tenantIds, { after: stamp, limit }, async (parts) => {
      const sets = parts.map(({ tenantId, after, limit: most }) => {
        const from = [tenantId, after.wallMs, after.counter, most];
        return [...from, ...from, most];
      });
      return (await this.session.rowsOfEach(FEED_AFTER, sets)).map((rows) => rows.map(feedEntryFromRow));
    });
  }

  async announced({ tenantId, kind, after, upTo, limit }: AnnouncedQuery): Promise<FeedEntry[]> {
    const parameters = [tenantId, kind, after.wallMs, after.counter, upTo.wallMs, upTo.counter, limit];
    return (await this.session.rows(ANNOUNCED, parameters)).map(feedEntryFromRow);
  }

  async head(): Promise<Hlc | null> {
    const [row] = await this.session.rows(FEED_HEAD, []);
    return row === undefined ? null : { wallMs: row[0] as number, counter: row[1] as number };
  }

  async ledger<M extends keyof LedgerEntry = keyof LedgerEntry>(
    query: LedgerQuery<M>,
  ): Promise<Pick<LedgerEntry, M>[]> {
    const { sql, parameters } = this.#statements.ledger(query);
    const members = query.members ?? (ENTRY_MEMBERS as readonly M[]);
    return entriesFromRows(members, await this.session.rows(sql, parameters), this.form.entryMembers);
  }

  async ledgerCount(range: LedgerRange): Promise<number> {
    const { sql, parameters } = this.#statements.ledgerCount(range);
    const [row] = await this.session.rows(sql, parameters);
    return row?.[0] as number;
  }

  async ledgerHead(tenantId: string): Promise<LedgerHead> {
    const [row] = await this.session.rows(LEDGER_HEAD, [tenantId]);
    return row === undefined ? EMPTY_LEDGER : headFromRow(row);
  }

  async ledgerEnds(): Promise<readonly { readonly tenantId: string; readonly number: number }[]> {
    const rows = await this.session.rows(LEDGER_ENDS, []);
    return rows.map(([tenantId, number]) => ({ tenantId: tenantId as string, number: number as number }));
  }

  async ledgerNumberAt(tenantId: string, { wallMs, counter }: Hlc): Promise<number | undefined> {
    const [row] = await this.session.rows(NUMBER_AT, [tenantId, wallMs, counter]);
    return row?.[0] as number | undefined;
  }

  async references(tenantId: string, above: number, limit: number): Promise<FactReferences[]> {
    const rows = await this.session.rows(REFERENCES, [tenantId, above, limit]);
    return rows.map(([number, id, list]) => ({
      number: number as number,
      id: id as string,
      derivedFrom: this.form.shownCids(tenantId, contentIdsIn(String(list)) ?? []),
    }));
  }

  epoch(): Promise<string> {
    return readEpoch(this.session, this.dialect);
  }

  async pastFloor(): Promise<Hlc> {
    const [row] = await this.session.rows(PAST_FLOOR, []);
    return { wallMs: (row?.[0] as number | undefined) ?? 0, counter: (row?.[1] as number | undefined) ?? 0 };
  }

  async databaseMs(): Promise<number> {
    const [row] = await this.session.rows(this.dialect.queries.nowMs, []);
    return row?.[0] as number;
  }

  table(name: string): Knex.QueryBuilder {
    return this.session.table(name);
  }

  async select(table: string, where: ColumnValues, page?: RowPage): Promise<Record<string, SqlValue>[]> {
    const { sql, parameters } = selectStatement(table, where, this.dialect, page);
    return this.session.records(sql, parameters);
  }

  async #rowsOf({ sql, parameters }: BoundStatement): Promise<SqlValue[][]> {
    return this.session.rows(sql, parameters);
  }

  /** Merges the feeds of all tenants into the feed of the store. */
  async #alongFeeds(query: FactQuery): Promise<SqlValue[][]> {
    const tenants = await this.session.rows(this.#statements.tenants, []);
    const parts = await Promise.all(
      tenants.map(([tenantId]) =>
        this.#rowsOf(
          this.#statements.find({ ...query, filter: all(equals('tenantId', tenantId as string), query.filter) }),
        ),
      ),
    );
    if (parts.length === 1) return parts[0] as SqlValue[][];
    return parts
      .flat()
      .sort((one, other) => inOrder(feedOfRow(one), feedOfRow(other)))
      .slice(0, query.limit);
  }
}

const feedEntryFromRow = (row: readonly SqlValue[]): FeedEntry => ({
  stamp: { wallMs: row[0] as number, counter: row[1] as number },
  subjectId: row[2] as string,
  tenantId: row[3] as string,
  kind: row[4] as string,
});

const FEED_COLUMN = FACT_COLUMNS.indexOf('feed_wall');

const feedOfRow = (row: readonly SqlValue[]): Hlc => ({
  wallMs: row[FEED_COLUMN] as number,
  counter: row[FEED_COLUMN + 1] as number,
});
