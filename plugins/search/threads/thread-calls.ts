import { Worker } from 'node:worker_threads';

/** A call to a thread. */
export interface ThreadRequest {
  readonly number: number;
  readonly call: string;
  readonly given: readonly unknown[];
}

/** `note` is the state of the thread at the time of the reply. */
export type ThreadReply = { readonly number: number; readonly note: unknown } & (
  | { readonly result: unknown }
  | { readonly error: unknown }
);

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

interface PendingCall {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * Sends calls to a separate thread, which answers them in any order. The thread ends with the process, and keeps the
 * process alive only while a call is unanswered.
 */
export class ThreadCalls {
  readonly #parts: ThreadParts;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PendingCall>();
  #calls = 0;
  #end: Error | undefined;
  /** Resolves with the reason if the thread ends without being closed. */
  readonly lost: Promise<Error>;

  constructor(parts: ThreadParts) {
    this.#parts = parts;
    const worker = new Worker(parts.module, { workerData: parts.data });
    this.#worker = worker;
    this.lost = new Promise((resolve) => {
      worker.once('error', (cause: unknown) => resolve(this.#ended(parts.gone('its thread has failed', cause))));
      worker.once('exit', () => {
        if (this.#end === undefined) resolve(this.#ended(parts.gone('its thread has ended')));
      });
    });
    worker.on('message', (reply: ThreadReply) => this.#answered(reply));
    worker.unref();
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  ask(call: string, given: readonly unknown[]): Promise<unknown> {
    return new Promise<unknown>((resolve, reject) => {
      if (this.#end !== undefined) throw this.#end;
      this.#calls += 1;
      const request: ThreadRequest = { number: this.#calls, call, given };
      this.#worker.postMessage(request);
      this.#waiting.set(request.number, { resolve, reject });
      if (this.#waiting.size === 1) this.#worker.ref();
    });
  }

  async close(): Promise<void> {
    if (this.#end === undefined) this.#ended(this.#parts.gone('it was closed'));
    await this.#worker.terminate();
  }

  #answered(reply: ThreadReply): void {
    this.#parts.noted?.(reply.note);
    const waiting = this.#waiting.get(reply.number);
    this.#waiting.delete(reply.number);
    if (this.#waiting.size === 0) this.#worker.unref();
    if ('error' in reply) waiting?.reject(reply.error);
    else waiting?.resolve(reply.result);
  }

  #ended(end: Error): Error {
    this.#end = end;
    for (const { reject } of this.#waiting.values()) reject(end);
    this.#waiting.clear();
    return end;
  }
}
