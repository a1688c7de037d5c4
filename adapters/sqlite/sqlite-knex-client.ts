import { createRequire } from 'node:module';
import knexModule, { type Knex } from 'knex';
import type { SqlValue } from '../../ports/ports.ts';

/** What a statement of a query builder gave: rows, or counts when it returns none. */
export interface StatementOutcome {
  readonly rows: Record<string, SqlValue>[] | undefined;
  readonly changes: number;
  readonly lastInsertRowid: number | bigint;
}

/** Takes the place of a connection in knex: an open transaction, or whatever opens one for a single statement. */
export interface StatementRunner {
  perform(
    sql: string,
    parameters: readonly SqlValue[],
    kind: 'read' | 'write',
  ): StatementOutcome | Promise<StatementOutcome>;
}

interface BuiltQuery {
  readonly sql: string;
  readonly method?: string;
  readonly bindings?: readonly unknown[];
  response?: unknown;
  context?: { readonly lastID: number | bigint; readonly changes: number };
}

/** What is overridden or used of knex's dialect for better-sqlite3, which has no types of its own. */
interface DialectClient {
  readonly config: { readonly alone: StatementRunner };
  query(runner: StatementRunner, query: BuiltQuery | string): Promise<unknown>;
  _query(runner: StatementRunner, query: BuiltQuery): Promise<BuiltQuery>;
  _formatBindings(bindings: readonly unknown[] | undefined): SqlValue[];
  acquireConnection(): Promise<StatementRunner>;
  releaseConnection(): Promise<void>;
}

const load = createRequire(import.meta.url);
const BetterSqliteClient = load('knex/lib/dialects/better-sqlite3/index.js') as new () => DialectClient;

const READS: ReadonlySet<string | undefined> = new Set(['select', 'first', 'pluck']);

/** Keeps the error of the driver apart from knex, which writes the statement with its values into the message. */
class StatementFailure extends Error {}

class SqliteKnexClient extends BetterSqliteClient {
  override async _query(runner: StatementRunner, query: BuiltQuery): Promise<BuiltQuery> {
    try {
      const parameters = this._formatBindings(query.bindings);
      const outcome = await runner.perform(query.sql, parameters, READS.has(query.method) ? 'read' : 'write');
      query.response = outcome.rows ?? [];
      query.context = { lastID: outcome.lastInsertRowid, changes: outcome.changes };
      return query;
    } catch (cause) {
      throw new StatementFailure('the statement failed', { cause });
    }
  }

  override async query(runner: StatementRunner, query: BuiltQuery | string): Promise<unknown> {
    try {
      return await super.query(runner, query);
    } catch (error) {
      throw error instanceof StatementFailure ? error.cause : error;
    }
  }

  override async acquireConnection(): Promise<StatementRunner> {
    return this.config.alone;
  }

  override async releaseConnection(): Promise<void> {}
}

/**
 * Query and schema builders that open no connections of their own. One that was given no transaction with `connection` runs
 * on `alone`.
 */
export const createSqliteBuilders = (alone: StatementRunner): Knex => {
  const settings = { client: SqliteKnexClient, useNullAsDefault: true, alone };
  return knexModule.knex(settings as unknown as Knex.Config);
};
