import { setTimeout as sleep } from 'node:timers/promises';
import { KEPT_LOG_BYTES } from './open-connection.ts';

export interface LogRestartParts {
  readonly logBytes: () => number;
  /** Returns whether the next write begins the log anew. */
  readonly restart: () => Promise<boolean>;
  /** Runs work while this process writes nothing. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>;
}

/** The pause between attempts, in which reads end. */
const PAUSE_MS = 2;
/** How long writes wait for reads at the first attempt, and at most. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 3_000;
/** How far the log grows after an attempt that failed, as a multiple. */
const GROWTH = 1.5;

/**
 * Lets SQLite begin the log anew when reads overlap all the time. SQLite does so by itself only at an instant without a
 * read of an earlier commit, and otherwise the log grows for ever. Writes wait until the open reads have ended. New
 * reads meanwhile see the last commit, and need no part of the log that is not in the file yet.
 */
export class LogRestarts {
  readonly #parts: LogRestartParts;
  #triedBytes = KEPT_LOG_BYTES;
  #isTrying = false;
  #hasEnded = false;

  constructor(parts: LogRestartParts) {
    this.#parts = parts;
  }

  /** Call it after each commit. SQLite cuts a log that began anew, so that a longer one never did. */
  committed(): void {
    const bytes = this.#parts.logBytes();
    if (bytes <= KEPT_LOG_BYTES) this.#triedBytes = KEPT_LOG_BYTES;
    if (this.#isTrying || bytes <= this.#triedBytes) return;
    this.#isTrying = true;
    this.#parts
      .inTurn(() => this.#try(bytes))
      // The next commit tries again.
      .catch(() => {})
      .finally(() => {
        this.#isTrying = false;
      });
  }

  end(): void {
    this.#hasEnded = true;
  }

  async #try(bytes: number): Promise<void> {
    const waitMs = Math.min(LONGEST_WAIT_MS, (FIRST_WAIT_MS * bytes) / KEPT_LOG_BYTES);
    const deadline = performance.now() + waitMs;
    while (!this.#hasEnded) {
      this.#triedBytes = bytes;
      if (await this.#parts.restart()) return;
      this.#triedBytes = bytes * GROWTH;
      if (performance.now() >= deadline) return;
      await sleep(PAUSE_MS);
    }
  }
}
