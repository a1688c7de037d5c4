import { endTransaction, type SqliteConnection } from './sqlite-connection.ts';

/** Idle connections for reads. Few reads overlap, because statements never leave the thread. */
const KEPT_READERS = 4;

/** Snapshots held at once; further reads wait in the order in which they came. */
const MOST_READERS = 32;

/** Lends connections to reads. */
export class ReaderPool {
  readonly #open: () => SqliteConnection;
  readonly #idle: SqliteConnection[] = [];
  readonly #waiting: ((free: SqliteConnection | undefined) => void)[] = [];
  #lent = 0;
  #drained: (() => void) | undefined;
  /** Counts changes of the schema, so that a connection that was lent meanwhile forgets its statements as well. */
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

  /** Waits until every connection is back, then closes them all. Nothing may be lent afterwards. */
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
      // A reader that is given back hands over its place, so the count stays as it is.
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
