import { createRequire } from 'node:module';
import knexModule, { type Knex } from 'knex';

/** A query builder's statement with its result, in the form that the dialect expects. */
export interface BuiltQuery {
  readonly sql: string;
  readonly method?: string;
  readonly bindings?: readonly unknown[];
  response?: unknown;
  context?: { readonly lastID: number | bigint; readonly changes: number };
}

/** Runs one statement on a runner in place of a connection, and stores its result in the query. */
export type Perform<Runner> = (
  runner: Runner,
  query: BuiltQuery,
  kind: 'read' | 'write',
  client: DialectClient<Runner>,
) => Promise<void>;

/** The used and overridden members of knex's dialects, for which knex has no types. */
export interface DialectClient<Runner> {
  readonly config: { readonly alone: Runner };
  query(runner: Runner, query: BuiltQuery | string): Promise<unknown>;
  _query(runner: Runner, query: BuiltQuery): Promise<BuiltQuery>;
  /** Exists only in the dialect for better-sqlite3. */
  _formatBindings(bindings: readonly unknown[] | undefined): unknown[];
  columnCompiler(...given: readonly unknown[]): object;
  acquireConnection(): Promise<Runner>;
  releaseConnection(): Promise<void>;
}

type ClientClass<Runner> = new () => DialectClient<Runner>;

/**
 * Returns one of knex's dialects without connections of its own. Statements run on an open transaction, or on a runner
 * for single statements.
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

/** Creates query and schema builders of a dialect. They run on `alone` unless `connection` gives them a transaction. */
export const createBuilders = <Runner>(client: ClientClass<Runner>, alone: Runner, settings: object = {}): Knex =>
  knexModule.knex({ ...settings, client, alone } as unknown as Knex.Config);

const load = createRequire(import.meta.url);

const READS: ReadonlySet<string | undefined> = new Set(['select', 'first', 'pluck']);

/** Replaces the driver's error, because knex adds the statement with its values to the message. */
class StatementFailure extends Error {}
