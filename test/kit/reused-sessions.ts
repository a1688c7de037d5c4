import pg from 'pg';

/** The most free sessions of a database. */
const MOST_FREE = 4;

interface FreeSession {
  readonly client: pg.Client;
  readonly processNumber: number;
  readonly end: (done: () => void) => void;
}

/**
 * Sessions on one database that stay open between stores. A new session loads the catalogue and plans every statement
 * again, which costs more than a short test. A store applies its own settings to each session that it gets.
 */
export class ReusedSessions {
  readonly #free: FreeSession[] = [];
  /** Sessions whose store has closed them, while statements may still run. */
  readonly #closing = new Set<Promise<void>>();
  /** The class of connections for a store: takes a free session, or opens one. */
  readonly driver: typeof pg.Client = new Proxy(pg.Client, {
    construct: (_, [config]: [pg.ClientConfig]) => this.#free.pop()?.client ?? this.#open(config),
  });

  /** Ends the free sessions. */
  async end(): Promise<void> {
    await Promise.all(this.#closing);
    await Promise.all(this.#free.splice(0).map(({ end }) => new Promise<void>((resolve) => end(resolve))));
  }

  /** Returns the process numbers of the free sessions after the stores have closed theirs. */
  async processNumbers(): Promise<readonly number[]> {
    await Promise.all(this.#closing);
    return this.#free.map(({ processNumber }) => processNumber);
  }

  #open(config: pg.ClientConfig): pg.Client {
    const client = new pg.Client(config);
    const connect = client.connect.bind(client) as (done: (error?: Error) => void) => void;
    const end = client.end.bind(client) as (done: () => void) => void;
    let isOpen = false;
    return Object.assign(client, {
      connect: (done: (error?: Error) => void): void => {
        if (isOpen) {
          stay(client, true);
          process.nextTick(done);
          return;
        }
        connect((error) => {
          isOpen = !error;
          done(error);
        });
      },
      end: (done: () => void): void => {
        const closed = isOpen ? this.#close(client, end) : new Promise<void>((resolve) => end(resolve));
        this.#closing.add(closed);
        void closed.then(() => {
          this.#closing.delete(closed);
          done();
        });
      },
    });
  }

  /** Keeps the session unless there are enough, or its last transaction has not ended. */
  async #close(client: pg.Client, end: (done: () => void) => void): Promise<void> {
    if (this.#free.length < MOST_FREE) {
      // The result follows those of all earlier statements.
      const asked = client.query<{ readonly pid: number }>('SELECT pg_backend_pid() AS pid');
      const processNumber = (await asked.catch(() => undefined))?.rows[0]?.pid;
      if (processNumber !== undefined && client.getTransactionStatus() === 'I') {
        this.#keep({ client, processNumber, end });
        return;
      }
    }
    await new Promise<void>((resolve) => end(resolve));
  }

  #keep(session: FreeSession): void {
    const { client } = session;
    for (const event of ['error', 'end', 'drain', 'notice', 'notification']) client.removeAllListeners(event);
    client.on('error', () => {
      const at = this.#free.indexOf(session);
      if (at >= 0) this.#free.splice(at, 1);
    });
    stay(client, false);
    this.#free.push(session);
  }
}

/** Sets whether the process stays alive for the connection. */
const stay = (client: pg.Client, isNeeded: boolean): void => {
  const stream = client.connection.stream as unknown as { ref(): void; unref(): void };
  if (isNeeded) stream.ref();
  else stream.unref();
};
