import { Worker } from 'node:worker_threads';
import { type CallReply, PendingCalls } from './pending-calls.ts';

export interface ThreadParts {
  /** The module that the thread runs. */
  readonly module: URL;
  /** The data that the thread starts with. */
  readonly data: unknown;
  /** Creates the error that rejects calls after the thread has ended. */
  gone(message: string, cause?: unknown): Error;
  /** Receives the note of each reply. */
  noted?(note: unknown): void;
}

/**
 * Sends calls to a separate thread, which answers them in any order. The thread ends with the process, and keeps the
 * process alive only while a call is unanswered.
 */
export class ThreadCalls {
  readonly #parts: ThreadParts;
  readonly #worker: Worker;
  readonly #pending = new PendingCalls();
  /** Resolves with the reason if the thread ends without being closed. */
  readonly lost: Promise<Error>;

  constructor(parts: ThreadParts) {
    this.#parts = parts;
    const worker = new Worker(parts.module, { workerData: parts.data });
    this.#worker = worker;
    this.lost = new Promise((resolve) => {
      worker.once('error', (cause: unknown) => resolve(this.#pending.end(parts.gone('its thread has failed', cause))));
      worker.once('exit', () => {
        if (!this.hasEnded) resolve(this.#pending.end(parts.gone('its thread has ended')));
      });
    });
    worker.on('message', (reply: CallReply) => this.#answered(reply));
    worker.unref();
  }

  get hasEnded(): boolean {
    return this.#pending.hasEnded;
  }

  ask(call: string, given: readonly unknown[]): Promise<unknown> {
    return this.#pending.ask(call, given, (request) => {
      this.#worker.postMessage(request);
      if (this.#pending.size === 0) this.#worker.ref();
    });
  }

  async close(): Promise<void> {
    this.#pending.end(this.#parts.gone('it was closed'));
    await this.#worker.terminate();
  }

  #answered(reply: CallReply): void {
    this.#parts.noted?.(reply.note);
    this.#pending.answered(reply);
    if (this.#pending.size === 0) this.#worker.unref();
  }
}
