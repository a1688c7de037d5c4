import type { Knex } from 'knex';
import type { SqliteConnection } from '../sqlite-connection.ts';
import { EarlyReads } from './early-reads.ts';
import type { SqliteWriter, WriteSession, Written } from './sqlite-writer.ts';
import { ThreadSession } from './thread-session.ts';
import { type WriterHost, WriterThread } from './writer-thread.ts';

/**
 * A writer in a separate thread. A transaction waits for the thread twice: for the lock, and for its changes and
 * commit. When the thread ends unexpectedly, the open transaction fails, and another thread starts for the next one.
 */
export class ThreadWriter implements SqliteWriter {
  readonly #start: () => WriterHost;
  readonly #knex: Knex;
  readonly #early: EarlyReads;
  readonly #proven = new Set<string>();
  readonly #watching = new Set<() => void>();
  #thread: WriterThread;

  /** Opens a reader first, so that an unusable file is refused at once. */
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

  async restartLog(): Promise<boolean> {
    return (await this.#usableThread().send([{ do: 'restart-log' }])) === true;
  }

  async checkpointFrom(pages: number): Promise<void> {
    await this.#usableThread().send([{ do: 'checkpoint-from', pages }]);
  }

  forgetStatements(): void {
    this.#proven.clear();
    this.#early.forgetStatements();
    // A thread that has ended has no statements to discard.
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
