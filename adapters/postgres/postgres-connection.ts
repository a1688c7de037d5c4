import { DatabaseError, type PoolClient, type QueryResult } from 'pg';
import type { SqlValue } from '../../ports/ports.ts';
import { ConnectionLost } from './postgres-errors.ts';
import type { PostgresStatement } from './postgres-statements.ts';
import { VALUE_TYPES } from './postgres-values.ts';

type Encoded = string | Buffer | null;

/** The result of a statement, with rows as arrays. */
export interface ArrayResult {
  readonly rows: SqlValue[][];
  readonly rowCount: number | null;
}

/** The result of a statement, with rows as objects. */
export interface RecordResult {
  readonly command: string;
  readonly rows: Record<string, SqlValue>[];
  readonly rowCount: number | null;
}

/**
 * A connection on loan from the pool. It sends statements without waiting for earlier results, and the server runs them
 * in order. Rejects with `ConnectionLost`, or with the driver's `DatabaseError`.
 */
export class PostgresConnection {
  readonly #client: PoolClient;
  readonly #transactionSettings: string;
  #unanswered = 0;
  #lastAnswer = 0;
  #lastError: unknown;
  #spoilt = false;
  #isUnconfirmed = false;
  #gathering = false;
  /** True when statements have no time limit. */
  patient = false;

  /** `transactionSettings` is a statement that each transaction needs, because the session does not keep settings. */
  constructor(client: PoolClient, transactionSettings?: string) {
    this.#client = client;
    this.#transactionSettings = transactionSettings === undefined ? '' : `; ${transactionSettings}`;
  }

  /** Whether the settings of the store end with each transaction. */
  get forgetsSettings(): boolean {
    return this.#transactionSettings !== '';
  }

  /** Begins a transaction with the settings of the store, and runs more statements in it. See `command`. */
  begin(statement: string, more = ''): Promise<string> {
    return this.command(`${statement}${this.#transactionSettings}${more === '' ? '' : `; ${more}`}`);
  }

  /** Runs statements without parameters, separated by semicolons. Returns the command tag of the last one. */
  async command(text: string): Promise<string> {
    const answer = (await this.#send({ text })) as QueryResult | readonly QueryResult[];
    return [answer].flat().at(-1)?.command ?? '';
  }

  arrays(statement: PostgresStatement, values: readonly Encoded[]): Promise<ArrayResult> {
    return this.#send({ ...statement, values, rowMode: 'array', types: VALUE_TYPES }) as Promise<ArrayResult>;
  }

  records(statement: PostgresStatement, values: readonly Encoded[]): Promise<RecordResult> {
    return this.#send({ ...statement, values, types: VALUE_TYPES }) as unknown as Promise<RecordResult>;
  }

  /** Returns the milliseconds since the last reply while a result is due; 0 when none is due. */
  silentMs(): number {
    return this.#unanswered === 0 || this.patient ? 0 : performance.now() - this.#lastAnswer;
  }

  /** Closes the connection to a server that does not respond. */
  cut(): void {
    this.#client.connection.stream.destroy();
  }

  /** Marks the connection as unusable, so that the pool does not lend it again. */
  spoil(): void {
    this.#spoilt = true;
  }

  /** Returns the connection to the driver's pool, even while results are due. */
  giveBack(): void {
    this.#client.release(this.#spoilt);
    this.#client.off('error', this.#note);
    this.#client.off('notice', this.#hear);
  }

  /**
   * Listens for errors, because an error without a listener ends the process. The pool does so only for idle
   * connections.
   */
  watch(): this {
    this.#client.on('error', this.#note);
    this.#client.on('notice', this.#hear);
    return this;
  }

  readonly #note = (error: unknown): void => {
    this.#lastError ??= error;
  };

  /**
   * Detects a commit that only the primary has, because somebody cancelled its wait for a replica. The server reports
   * success, but a failover would lose the commit.
   */
  readonly #hear = ({ routine }: { readonly routine?: string | undefined }): void => {
    if (routine === 'SyncRepWaitForLSN') this.#isUnconfirmed = true;
  };

  #send(query: object): Promise<QueryResult> {
    if (this.#unanswered === 0) this.#lastAnswer = performance.now();
    this.#unanswered += 1;
    this.#gather();
    return new Promise((resolve, reject) => {
      void this.#client.query(query as never, (error: unknown, result: QueryResult) => {
        this.#unanswered -= 1;
        this.#lastAnswer = performance.now();
        if (this.#isUnconfirmed) reject(new ConnectionLost('no replica has confirmed the commit'));
        else if (error === null || error === undefined) resolve(result);
        else reject(this.#explained(error));
      });
    });
  }

  /**
   * Gathers all statements of one turn of the event loop into one write, because a system call costs as much as a small
   * statement.
   */
  #gather(): void {
    if (this.#gathering) return;
    this.#gathering = true;
    const { stream } = this.#client.connection;
    stream.cork();
    process.nextTick(() => {
      this.#gathering = false;
      stream.uncork();
    });
  }

  /** Returns an error of the connection as `ConnectionLost`, and every other error unchanged. */
  #explained(error: unknown): unknown {
    if (error instanceof DatabaseError) return error;
    if (!isOfConnection(error)) return error;
    return new ConnectionLost('the connection to the database was lost', { cause: this.#lastError ?? error });
  }
}

/** Recognises connection errors by their members and message, because the driver has no class for them. */
const isOfConnection = (error: unknown): boolean =>
  error instanceof Error &&
  ('syscall' in error ||
    'errno' in error ||
    /^Connection terminated|not queryable$|^Client was closed/.test(error.message));
