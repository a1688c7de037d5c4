import { createRequire } from 'node:module';
import knexModule, { type Knex } from 'knex';

/** A statement as a query builder wrote it, and what came of it, in the form that the dialect expects. */
export interface BuiltQuery {
  readonly sql: string;
  readonly method?: string;
  readonly bindings?: readonly unknown[];
  response?: unknown;
  context?: { readonly lastID: number | bigint; readonly changes: number };
}

/** Runs one statement in the place of a connection and leaves in the query what came of it. */
export type Perform<Runner> = (
  runner: Runner,
  query: BuiltQuery,
  kind: 'read' | 'write',
  client: DialectClient<Runner>,
) => Promise<void>;

/** What is overridden or used of knex's dialects, which have no types of their own. */
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
 * One of knex's dialects that opens no connections: its statements run on an open transaction, or on whatever finds a
 * connection for a single one.
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

/** Keeps the error of the driver apart from knex, which writes the statement with its values into the message. */
class StatementFailure extends Error {}
