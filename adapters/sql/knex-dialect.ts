import { createRequire } from 'node:module';
import knexModule, { type Knex } from 'knex';

/** A statement of a query builder with its result, in the form that the dialect expects. */
export interface BuiltQuery {
  readonly sql: string;
  readonly method?: string;
  readonly bindings?: readonly unknown[];
  response?: unknown;
  context?: { readonly lastID: number | bigint; readonly changes: number };
}

/** Runs one statement in the place of a connection, and puts its result into the query. */
export type Perform<Runner> = (
  runner: Runner,
  query: BuiltQuery,
  kind: 'read' | 'write',
  client: DialectClient<Runner>,
) => Promise<void>;

/** The members of knex's dialects that are overridden or used here. Knex has no types for them. */
export interface DialectClient<Runner> {
  readonly config: { readonly alone: Runner };
  query(runner: Runner, query: BuiltQuery | string): Promise<unknown>;
  _query(runner: Runner, query: BuiltQuery): Promise<BuiltQuery>;
  /** Of the dialect for better-sqlite3 alone. */
  _formatBindings(bindings: readonly unknown[] | undefined): unknown[];
  columnCompiler(...given: readonly unknown[]): object;
  acquireConnection(): Promise<Runner>;
  releaseConnection(): Promise<void>;
}

type ClientClass<Runner> = new () => DialectClient<Runner>;

/**
 * One of knex's dialects that opens no connections. Its statements run on an open transaction, or on a runner for a
 * single statement.
 */
export const dialectOn = <Runner>(dialect: string, perform: Perform<Runner>): ClientClass<Runner> => {
  const Dialect = load(`knex/lib/dialects/${dialect}/index.js`) as ClientClass<Runner>;
  return class extends Dialect {
    override async _query(runner: Runner, query: BuiltQuery): Promise<BuiltQuery> {
      try {
        await perform(runner, query, READS.has(query.method) ? 'read' : 'write', this);
        return query;
      } catch (cause) {
        throw new StatementFailure('the statement failed', { cause });
      }
    }

    override async query(runner: Runner, query: BuiltQuery | string): Promise<unknown> {
      try {
        return await super.query(runner, query);
      } catch (error) {
        throw error instanceof StatementFailure ? error.cause : error;
      }
    }

    override async acquireConnection(): Promise<Runner> {
      return this.config.alone;
    }

    override async releaseConnection(): Promise<void> {}
  };
};

/** Query and schema builders of a dialect. One that was given no transaction with `connection` runs on `alone`. */
export const createBuilders = <Runner>(client: ClientClass<Runner>, alone: Runner, settings: object = {}): Knex =>
  knexModule.knex({ ...settings, client, alone } as unknown as Knex.Config);

const load = createRequire(import.meta.url);

const READS: ReadonlySet<string | undefined> = new Set(['select', 'first', 'pluck']);

/** Hides the error of the driver from knex, which writes the statement with its values into the message. */
class StatementFailure extends Error {}
