import { Worker } from 'node:worker_threads';
import { ServiceError } from '../../../ports/ports.ts';
import type { SqliteFile } from '../open-connection.ts';
import { ExitGate, shutAtExit } from './exit-gate.ts';
import { errorFrom, type WriterAnswer, type WriterStep } from './writer-messages.ts';
import type { WriterWorkerData } from './writer-worker.ts';

/** The used part of a thread: a worker, or a fake in tests. */
export interface WriterHost {
  on(event: 'message', listener: (answer: WriterAnswer) => void): unknown;
  on(event: 'error' | 'exit', listener: (cause: unknown) => void): unknown;
  postMessage(steps: readonly WriterStep[]): void;
  /** Makes the thread keep the process alive, or no longer do so. */
  ref(): void;
  unref(): void;
}

export const startWriterThread = ({ path, busyTimeoutMs }: Pick<SqliteFile, 'path' | 'busyTimeoutMs'>): WriterHost => {
  const gate = new ExitGate();
  const workerData: WriterWorkerData = { path, busyTimeoutMs, gate: gate.shared };
  const worker = new Worker(new URL('./writer-worker.js', import.meta.url), { workerData });
  worker.on('exit', shutAtExit(gate));
  return worker;
};

interface Awaited {
  readonly commits: boolean;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * The node's handle on one thread, from its start to its end. It keeps the process alive only while an answer is due.
 */
export class WriterThread {
  readonly #host: WriterHost;
  readonly #othersCommitted: () => void;
  readonly #awaited: Awaited[] = [];
  readonly #ended: Promise<void>;
  #lost: { readonly cause: unknown } | undefined;

  constructor(host: WriterHost, othersCommitted: () => void) {
    this.#host = host;
    this.#othersCommitted = othersCommitted;
    host.unref();
    host.on('message', (answer) => this.#take(answer));
    host.on('error', (cause) => this.#lose(cause));
    this.#ended = new Promise((resolve) => {
      host.on('exit', () => {
        this.#lose(new Error('the thread ended'));
        resolve();
      });
    });
  }

  /** Whether the thread has ended, and its open transaction with it. */
  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /**
   * Resolves with the result of the last step, or rejects with the error of the first failed one. When the thread ends
   * before its answer, an open transaction was not committed. The result of a commit is unknown then.
   */
  send(steps: readonly WriterStep[]): Promise<unknown> {
    const commits = steps.at(-1)?.do === 'commit';
    if (this.#lost !== undefined) return Promise.reject(lossOf(false, this.#lost.cause));
    return new Promise((resolve, reject) => {
      // Throws, before anything is sent, for a value that cannot be cloned.
      this.#host.postMessage(steps);
      if (this.#awaited.push({ commits, resolve, reject }) === 1) this.#host.ref();
    });
  }

  /** Closes the connection and ends the thread. */
  async close(): Promise<void> {
    if (this.#lost !== undefined) return;
    // Ignores a failure, because a thread that has ended is closed as well.
    await this.send([{ do: 'close' }]).catch(() => {});
    this.#host.ref();
    await this.#ended;
  }

  #take(answer: WriterAnswer): void {
    if ('othersCommitted' in answer) {
      this.#othersCommitted();
      return;
    }
    const awaited = this.#awaited.shift();
    if (this.#awaited.length === 0) this.#host.unref();
    if ('failure' in answer) awaited?.reject(errorFrom(answer.failure));
    else awaited?.resolve(answer.result);
  }

  #lose(cause: unknown): void {
    this.#lost ??= { cause };
    for (const { commits, reject } of this.#awaited.splice(0)) reject(lossOf(commits, this.#lost.cause));
  }
}

const lossOf = (commits: boolean, cause: unknown): ServiceError =>
  commits
    ? new ServiceError('commit_unknown', 'what writes the store ended while the write was being committed', {
        hint: 'look whether the write is there before repeating it, or repeat it with the same Idempotency-Key',
        cause,
      })
    : new ServiceError('unavailable', 'what writes the store ended, and nothing was written', {
        hint: 'try again: it is started anew with the next write',
        cause,
      });
