import { createRequire } from 'node:module';
import knexModule, { type Knex } from 'knex';
import type { SqlValue } from '../../ports/ports.ts';

/** What a statement of a query builder gave, as the driver names it. */
export interface StatementOutcome {
  readonly command: string;
  readonly rowCount: number | null;
  readonly rows: Record<string, SqlValue>[];
}

/** Takes the place of a connection in knex: an open transaction, or whatever finds a connection for a single statement. */
export interface StatementRunner {
  perform(sql: string, parameters: readonly SqlValue[], kind: 'read' | 'write'): Promise<StatementOutcome>;
}

interface BuiltQuery {
  readonly sql: string;
  readonly method?: string;
  readonly bindings?: readonly SqlValue[];
  response?: unknown;
}

/** What is overridden or used of knex's dialect, which has no types of its own. */
interface DialectClient {
  readonly config: { readonly alone: StatementRunner };
  query(runner: StatementRunner, query: BuiltQuery | string): Promise<unknown>;
  _query(runner: StatementRunner, query: BuiltQuery): Promise<BuiltQuery>;
  columnCompiler(...given: readonly unknown[]): object;
  acquireConnection(): Promise<StatementRunner>;
  releaseConnection(): Promise<void>;
}

const load = createRequire(import.meta.url);
const PostgresClient = load('knex/lib/dialects/postgres/index.js') as new () => DialectClient;

const READS: ReadonlySet<string | undefined> = new Set(['select', 'first', 'pluck']);

/**
 * Column types under which a table behaves as it does in SQLite: text of any length that sorts by its bytes, whole numbers of
 * 64 bits, flags that are 0 and 1, and doubles.
 */
const COLUMN_TYPES: Readonly<Record<string, string>> = {
  varchar: 'text COLLATE "C"',
  text: 'text COLLATE "C"',
  integer: 'bigint',
  bool: 'smallint',
  floating: 'double precision',
};

/** Keeps the error of the driver apart from knex, which writes the statement with its values into the message. */
class StatementFailure extends Error {}

class PostgresKnexClient extends PostgresClient {
  override columnCompiler(...given: readonly unknown[]): object {
    const compiler = super.columnCompiler(...given) as Record<string, unknown>;
    for (const [kind, type] of Object.entries(COLUMN_TYPES)) compiler[kind] = () => type;
    return compiler;
  }

  override async _query(runner: StatementRunner, query: BuiltQuery): Promise<BuiltQuery> {
    try {
      query.response = await runner.perform(
        query.sql,
        query.bindings ?? [],
        READS.has(query.method) ? 'read' : 'write',
      );
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
export const createPostgresBuilders = (alone: StatementRunner): Knex => {
  const settings = { client: PostgresKnexClient, alone };
  return knexModule.knex(settings as unknown as Knex.Config);
};
