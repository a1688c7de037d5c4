import { endTransaction, type SqliteConnection } from './sqlite-connection.ts';

/** The maximum number of connections for reads. Further reads wait in the order of their calls. */
const MOST_READERS = 32;

/**
 * The number of idle connections that keep their cached pages. Few reads overlap, because statements run on this
 * thread.
 */
const WARM_READERS = 4;

/**
 * Lends connections to reads. It keeps every connection until the end, because the driver cannot end statements: a
 * closed handle keeps its files and its pages until its statements are garbage-collected.
 */
export class ReaderPool {
  readonly #open: () => SqliteConnection;
  readonly #idle: SqliteConnection[] = [];
  readonly #waiting: ((free: SqliteConnection | undefined) => void)[] = [];
  #lent = 0;
  #drained: (() => void) | undefined;
  /** Counts changes of the schema, so that a returned connection discards its old prepared statements. */
  #generation = 0;
  readonly #generationOf = new WeakMap<SqliteConnection, number>();

  constructor(open: () => SqliteConnection) {
    this.#open = open;
  }

  async lend<T>(work: (connection: SqliteConnection) => Promise<T>): Promise<T> {
    const connection = await this.#take();
    try {
      return await work(connection);
    } finally {
      this.#giveBack(connection);
    }
  }

  forgetStatements(): void {
    this.#generation += 1;
  }

  /** Waits until all connections are returned, then closes them. Lends none afterwards. */
  async drain(): Promise<void> {
    if (this.#lent > 0) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
      });
    }
    for (const connection of this.#idle.splice(0)) connection.close();
  }

  async #take(): Promise<SqliteConnection> {
    let connection = this.#idle.pop();
    if (connection === undefined && this.#lent >= MOST_READERS) {
      // The count stays the same, because a returned connection passes directly to the next read.
      connection = await new Promise<SqliteConnection | undefined>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#lent += 1;
    }
    return this.#current(connection ?? this.#openOrLeave());
  }

  #openOrLeave(): SqliteConnection {
    try {
      return this.#open();
    } catch (error) {
      this.#leave(undefined);
      throw error;
    }
  }

  #current(connection: SqliteConnection): SqliteConnection {
    if ((this.#generationOf.get(connection) ?? this.#generation) < this.#generation) connection.forgetStatements();
    this.#generationOf.set(connection, this.#generation);
    return connection;
  }

  #giveBack(connection: SqliteConnection): void {
    // A failure needs no answer here: the next read rolls back before it begins.
    endTransaction(connection);
    if (this.#waiting.length === 0 && this.#idle.length >= WARM_READERS) connection.releaseMemory();
    this.#leave(connection);
  }

  #leave(free: SqliteConnection | undefined): void {
    const next = this.#waiting.shift();
    if (next !== undefined) {
      next(free);
      return;
    }
    if (free !== undefined) this.#idle.push(free);
    this.#lent -= 1;
    if (this.#lent === 0) this.#drained?.();
  }
}
