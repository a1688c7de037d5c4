import { endTransaction, type SqliteConnection } from './sqlite-connection.ts';

/** The maximum number of idle connections for reads. Few reads overlap, because statements run on this thread. */
const KEPT_READERS = 4;

/** The maximum number of concurrent snapshots. Further reads wait in the order of their calls. */
const MOST_READERS = 32;

/** Lends connections to reads. */
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
    const healthy = endTransaction(connection);
    const wanted = this.#waiting.length > 0 || this.#idle.length < KEPT_READERS;
    if (!healthy || !wanted) connection.close();
    this.#leave(healthy && wanted ? connection : undefined);
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
