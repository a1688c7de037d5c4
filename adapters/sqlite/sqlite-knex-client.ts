import type { Knex } from 'knex';
import type { SqlValue } from '../../ports/ports.ts';
import { createBuilders, dialectOn } from '../sql/knex-dialect.ts';

/** The result of a query builder's statement: rows, or counts for a statement without rows. */
export interface StatementOutcome {
  readonly rows: Record<string, SqlValue>[] | undefined;
  readonly changes: number;
  readonly lastInsertRowid: number | bigint;
}

/** Replaces a connection in knex: an open transaction, or an object that opens one for a single statement. */
export interface StatementRunner {
  perform(
    sql: string,
    parameters: readonly SqlValue[],
    kind: 'read' | 'write',
  ): StatementOutcome | Promise<StatementOutcome>;
}

const SqliteKnexClient = dialectOn<StatementRunner>('better-sqlite3', async (runner, query, kind, client) => {
  const parameters = client._formatBindings(query.bindings) as SqlValue[];
  const { rows, changes, lastInsertRowid } = await runner.perform(query.sql, parameters, kind);
  query.response = rows ?? [];
  query.context = { lastID: lastInsertRowid, changes };
});

/** Creates query and schema builders that run on `alone` unless they get a transaction. */
export const createSqliteBuilders = (alone: StatementRunner): Knex =>
  createBuilders(SqliteKnexClient, alone, { useNullAsDefault: true });
