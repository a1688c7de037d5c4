import type { Knex } from 'knex';
import type { SqlValue } from '../../ports/ports.ts';
import type { InsertTarget, SqlParameter, SqlSession } from '../sql/sql-engine.ts';
import type { InsertStatements } from './insert-statements.ts';
import { PendingInserts } from './pending-inserts.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import { isStalePlan, toServiceError } from './postgres-errors.ts';
import type { StatementOutcome, StatementRunner } from './postgres-knex-client.ts';
import { SIGNAL_CHANNEL } from './postgres-listener.ts';
import type { PostgresStatements } from './postgres-statements.ts';
import { encodeArray, encodeParameter } from './postgres-values.ts';
import { eachSet } from './statement-over-sets.ts';
import type { TableGrowth } from './table-growth.ts';

/** The dependencies that all sessions of an engine share. */
export interface SessionParts {
  readonly statements: PostgresStatements;
  readonly inserts: InsertStatements;
  readonly growth: TableGrowth;
  readonly knex: Knex;
}

const NOTIFY = 'SELECT pg_notify(?, topic) FROM unnest(?::text[]) AS topic';

/**
 * A connection for the length of one transaction. It stores the first failure, because the server refuses all later
 * statements, and these should reject with the original reason.
 */
export class PostgresSession implements SqlSession, StatementRunner {
  readonly #connection: PostgresConnection;
  readonly #parts: SessionParts;
  readonly #pending = new PendingInserts();
  #open = true;
  #used = false;
  #answered = false;
  #cause: unknown;
  #failure: unknown;
  #signals: Set<string> | undefined;

  constructor(connection: PostgresConnection, parts: SessionParts) {
    this.#connection = connection;
    this.#parts = parts;
  }

  /** Whether the server has returned a result to the work. */
  get answered(): boolean {
    return this.#answered;
  }

  /** The first error of a statement, as its caller received it; undefined without one. */
  get failure(): unknown {
    return this.#failure;
  }

  /** The same error as the driver reported it. */
  get cause(): unknown {
    return this.#cause;
  }

  /** Topics to signal with the commit; undefined without any. */
  get signals(): ReadonlySet<string> | undefined {
    return this.#signals;
  }

  end(): void {
    this.#open = false;
  }

  /** Takes the snapshot of the transaction, unless a statement has done so. Never rejects. */
  pin(): Promise<void> | undefined {
    if (this.#used || !this.#open) return undefined;
    return this.#connection.command('SELECT 1').then(
      () => {},
      (error: unknown) => this.fail(error),
    );
  }

  /** Records a failure of a statement that is not awaited, such as BEGIN. */
  fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#cause = error;
    this.#failure = toServiceError(error);
    if (!isStalePlan(error)) return;
    this.#parts.statements.rename();
    this.#parts.inserts.forget();
  }

  async rows(sql: string, parameters: readonly SqlParameter[]): Promise<SqlValue[][]> {
    const { rows } = await this.#guarded(() => this.#arrays(sql, parameters.map(encodeParameter)));
    return rows;
  }

  async rowsOfEach(sql: string, sets: readonly (readonly SqlParameter[])[]): Promise<SqlValue[][][]> {
    const found: SqlValue[][][] = sets.map(() => []);
    const [first] = sets;
    if (first === undefined) return found;
    if (sets.length === 1) return [await this.rows(sql, first)];
    const { statement, values } = eachSet(sql, sets);
    const { rows } = await this.#guarded(() => this.#arrays(statement, values));
    for (const row of rows) found[(row.pop() as number) - 1]?.push(row);
    return found;
  }

  async records(sql: string, parameters: readonly SqlParameter[]): Promise<Record<string, SqlValue>[]> {
    const statement = this.#parts.statements.prepared(sql);
    const { rows } = await this.#guarded(() => this.#connection.records(statement, parameters.map(encodeParameter)));
    return rows;
  }

  async run(sql: string, parameters: readonly SqlParameter[]): Promise<number> {
    const { rowCount } = await this.#guarded(() => this.#arrays(sql, parameters.map(encodeParameter)));
    return rowCount ?? 0;
  }

  /** Queues the statement, so that it leaves together with the inserts. */
  async post(sql: string, parameters: readonly SqlParameter[]): Promise<void> {
    this.#refuseAfterEnd();
    const values = parameters.map(encodeParameter);
    if (this.#pending.addBeside(sql, values)) return;
    this.flush();
    this.#pending.addBeside(sql, values);
  }

  /** Does not wait for the reply. A failure appears with the next statement, or with the commit. */
  async insert(into: InsertTarget, rows: readonly (readonly SqlParameter[])[]): Promise<void> {
    if (rows.length === 0) return;
    const { inserts, growth } = this.#parts;
    const plan = inserts.knownPlan(into) ?? (await this.#guarded(() => inserts.planFor(into, this.#connection)));
    this.#refuseAfterEnd();
    if (!this.#pending.takes(plan)) this.flush();
    if (this.#pending.add(plan, rows)) this.flush();
    growth.add(into.table, rows.length);
  }

  /** Sends the queued inserts. Every later statement sees their rows. */
  flush(): void {
    if (this.#pending.empty) return;
    this.#used = true;
    const { inserts, beside } = this.#pending.take();
    const statement = this.#parts.inserts.statementFor(
      inserts,
      beside.map(({ sql }) => sql),
    );
    const values = [...inserts, ...beside].flatMap((part) => part.values);
    this.#connection.arrays(statement, values).catch((error: unknown) => this.fail(error));
  }

  table(name: string): Knex.QueryBuilder {
    // Passes this session as the builder's connection, so that it refuses statements after the end of the transaction.
    return this.#parts.knex(name).connection(this);
  }

  schema(): Knex.SchemaBuilder {
    return this.#parts.knex.schema.connection(this);
  }

  signal(topic: string): void {
    if (!this.#open) throw new Error('the snapshot or transaction has ended');
    this.#signals ??= new Set();
    this.#signals.add(topic);
  }

  /**
   * Sends the signals to the server, which delivers them at the commit. Does not wait for the reply: a failure appears
   * with the commit.
   */
  sendSignals(): void {
    if (this.#signals === undefined) return;
    this.#arrays(NOTIFY, [SIGNAL_CHANNEL, encodeArray([...this.#signals])]).catch((error: unknown) => this.fail(error));
  }

  /** Runs a query builder's statement, whose parameters are numbered already. */
  perform(sql: string, parameters: readonly SqlValue[]): Promise<StatementOutcome> {
    const statement = { text: sql, name: undefined };
    return this.#guarded(() => this.#connection.records(statement, parameters.map(encodeParameter)));
  }

  #arrays(sql: string, values: readonly (string | Buffer | null)[]) {
    return this.#connection.arrays(this.#parts.statements.prepared(sql), values);
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    this.#refuseAfterEnd();
    this.flush();
    this.#used = true;
    try {
      const result = await work();
      this.#answered = true;
      return result;
    } catch (error) {
      this.fail(error);
      throw this.#failure;
    }
  }

  #refuseAfterEnd(): void {
    if (!this.#open) throw new Error('the snapshot or transaction has ended');
    if (this.#failure !== undefined) throw this.#failure;
  }
}
