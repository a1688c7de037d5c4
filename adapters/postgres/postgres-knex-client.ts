import type { Knex } from 'knex';
import type { SqlValue } from '../../ports/ports.ts';
import { createBuilders, dialectOn } from '../sql/knex-dialect.ts';

/** The result of a query builder's statement, with the driver's member names. */
export interface StatementOutcome {
  readonly command: string;
  readonly rowCount: number | null;
  readonly rows: Record<string, SqlValue>[];
}

/** Replaces a connection in knex: an open transaction, or an object that finds a connection for a single statement. */
export interface StatementRunner {
  perform(sql: string, parameters: readonly SqlValue[], kind: 'read' | 'write'): Promise<StatementOutcome>;
}

/**
 * The column types with which a table behaves as in SQLite: text of any length that sorts by its bytes, 64-bit
 * integers, flags of 0 and 1, doubles.
 */
const COLUMN_TYPES: Readonly<Record<string, string>> = {
  varchar: 'text COLLATE "C"',
  text: 'text COLLATE "C"',
  integer: 'bigint',
  bool: 'smallint',
  floating: 'double precision',
};

const RunnerClient = dialectOn<StatementRunner>('postgres', async (runner, query, kind) => {
  query.response = await runner.perform(query.sql, (query.bindings ?? []) as SqlValue[], kind);
});

class PostgresKnexClient extends RunnerClient {
  override columnCompiler(...given: readonly unknown[]): object {
    const compiler = super.columnCompiler(...given) as Record<string, unknown>;
    for (const [kind, type] of Object.entries(COLUMN_TYPES)) compiler[kind] = () => type;
    return compiler;
  }
}

/** Creates query and schema builders that run on `alone` unless they get a transaction. */
export const createPostgresBuilders = (alone: StatementRunner): Knex => createBuilders(PostgresKnexClient, alone);
