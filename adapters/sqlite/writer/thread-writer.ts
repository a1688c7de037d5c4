import type { Knex } from 'knex';
import type { SqliteConnection } from '../sqlite-connection.ts';
import { EarlyReads } from './early-reads.ts';
import type { SqliteWriter, WriteSession, Written } from './sqlite-writer.ts';
import { ThreadSession } from './thread-session.ts';
import { type WriterHost, WriterThread } from './writer-thread.ts';

/**
 * Writes in a thread of its own. A transaction waits twice: for the lock, then for its changes and their commit. Its
 * reads in between need no wait. A thread that ends by itself fails the open transaction, and another one starts for
 * the next.
 */
export class ThreadWriter implements SqliteWriter {
  readonly #start: () => WriterHost;
  readonly #knex: Knex;
  readonly #early: EarlyReads;
  readonly #proven = new Set<string>();
  readonly #watching = new Set<() => void>();
  #thread: WriterThread;

  /** Throws when `openReader` does, so that a file which cannot be used is refused at once. */
  constructor(start: () => WriterHost, openReader: () => SqliteConnection, knex: Knex) {
    this.#start = start;
    this.#knex = knex;
    this.#early = new EarlyReads(openReader, knex);
    this.#thread = this.#startThread();
  }

  async transact<T>(work: (session: WriteSession) => Promise<T>, patienceMs: number): Promise<Written<T>> {
    const thread = this.#usableThread();
    await thread.send([{ do: 'begin', patienceMs }]);
    const session = new ThreadSession({ thread, early: this.#early, knex: this.#knex, proven: this.#proven });
    try {
      const result = await work(session);
      await session.commit();
      return { result, signals: session.signals };
    } catch (error) {
      await session.rollBack();
      throw error;
    }
  }

  watch(changed: () => void): () => void {
    this.#watching.add(changed);
    return () => this.#watching.delete(changed);
  }

  forgetStatements(): void {
    this.#proven.clear();
    this.#early.forgetStatements();
    // A thread that has ended holds no statements.
    this.#thread.send([{ do: 'forget' }]).catch(() => {});
  }

  async close(): Promise<void> {
    this.#early.close();
    await this.#thread.close();
  }

  #usableThread(): WriterThread {
    if (this.#thread.isLost) this.#thread = this.#startThread();
    return this.#thread;
  }

  #startThread(): WriterThread {
    return new WriterThread(this.#start(), () => {
      for (const changed of this.#watching) changed();
    });
  }
}
