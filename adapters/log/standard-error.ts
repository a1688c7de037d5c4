import { destination } from 'pino';
import { unblockStandardError } from '../../ports/unblock-standard-error.ts';

/** The bytes of lines that wait while nobody reads. Later lines are left out. */
const MAX_WAITING_BYTES = 1_048_576;
/** A pipe takes so many bytes as a whole or not at all, so that lines of other writers cannot split a line. */
const ATOMIC_BYTES = 4_096;
const RETRY_MS = 100;

/**
 * Writes lines to standard error at once, because the last lines of a crashing process matter most. Never blocks: while
 * the reader of a full pipe has stopped, lines wait in memory, and the process goes on.
 */
export class StandardError {
  readonly #stream = destination({
    dest: 2,
    sync: true,
    maxLength: MAX_WAITING_BYTES,
    maxWrite: ATOMIC_BYTES,
    // The default sleeps until the reader goes on, and with it every request.
    retryEAGAIN: () => false,
  });
  readonly #tellLeftOut: (lines: number) => void;
  #leftOut = 0;
  #retry: NodeJS.Timeout | undefined;

  /** Calls `tellLeftOut` with the number of lines that were left out, once all lines before them are written. */
  constructor(tellLeftOut: (lines: number) => void) {
    this.#tellLeftOut = tellLeftOut;
    this.#stream.on('drop', () => {
      this.#leftOut += 1;
    });
    this.#stream.on('drain', () => this.#drained());
    // Covers a closed pipe too, which must not stop the node.
    this.#stream.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'EAGAIN') this.#retryLater();
    });
    process.on('exit', () => this.#writeWaiting());
  }

  write(line: string): void {
    unblockStandardError();
    this.#stream.write(line);
  }

  #drained(): void {
    const lines = this.#leftOut;
    this.#leftOut = 0;
    if (lines > 0) this.#tellLeftOut(lines);
  }

  #retryLater(): void {
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      this.#writeWaiting();
    }, RETRY_MS).unref();
  }

  #writeWaiting(): void {
    this.write('');
  }
}
