import type { Knex } from 'knex';
import type {
  FactOutline,
  FactQuery,
  FeedEntry,
  Filter,
  Hlc,
  SizedOutline,
  Snapshot,
  SqlValue,
  StoredFact,
  TripleKey,
} from '../../ports/ports.ts';
import { factsWithin } from './bounded-facts.ts';
import { factFromRow, outlineFromRow, sizedOutlineFromRow } from './fact-row.ts';
import { type FactStatements, FEED_AFTER, FEED_HEAD, SIBLINGS } from './fact-statements.ts';
import { readEpoch } from './read-epoch.ts';
import { type ColumnValues, selectStatement } from './select-statement.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { SqlSession } from './sql-engine.ts';

/** The reads of the store, over one transaction of any engine. Ends with its session. */
export class SqlSnapshot implements Snapshot {
  protected readonly session: SqlSession;
  protected readonly dialect: SqlDialect;
  readonly #statements: FactStatements;

  constructor(session: SqlSession, dialect: SqlDialect, statements: FactStatements) {
    this.session = session;
    this.dialect = dialect;
    this.#statements = statements;
  }

  async find(query: FactQuery): Promise<StoredFact[]> {
    const { sql, parameters } = this.#statements.find(query);
    const rows = await this.session.rows(sql, parameters);
    if (query.maxBytes === undefined) return rows.map(factFromRow);
    return factsWithin(rows, query.maxBytes, this.session, this.dialect);
  }

  async outline(filter: Filter): Promise<SizedOutline[]> {
    const { sql, parameters } = this.#statements.outline(filter);
    return (await this.session.rows(sql, parameters)).map(sizedOutlineFromRow);
  }

  async count(filter: Filter): Promise<number> {
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
    return found.map((rows) => rows.map(outlineFromRow));
  }

  async feedAfter(stamp: Hlc, limit: number): Promise<FeedEntry[]> {
    const rows = await this.session.rows(FEED_AFTER, [stamp.wallMs, stamp.counter, limit]);
    return rows.map(([wall, ctr, kind, subjectId]) => ({
      stamp: { wallMs: wall as number, counter: ctr as number },
      kind: kind as string,
      subjectId: subjectId as string,
    }));
  }

  async head(): Promise<Hlc | null> {
    const [row] = await this.session.rows(FEED_HEAD, []);
    return row === undefined ? null : { wallMs: row[0] as number, counter: row[1] as number };
  }

  epoch(): Promise<string> {
    return readEpoch(this.session, this.dialect);
  }

  async databaseMs(): Promise<number> {
    const [row] = await this.session.rows(this.dialect.queries.nowMs, []);
    return row?.[0] as number;
  }

  table(name: string): Knex.QueryBuilder {
    return this.session.table(name);
  }

  async select(table: string, where: ColumnValues): Promise<Record<string, SqlValue>[]> {
    const { sql, parameters } = selectStatement(table, where, this.dialect);
    return this.session.records(sql, parameters);
  }
}
