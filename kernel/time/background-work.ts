import type { Clock } from '../../ports/ports.ts';
import { coalesce } from './coalesce.ts';

export interface BackgroundParts {
  readonly clock: Clock;
  /** Does the available work. It may call `rest` to delay the next run by this many milliseconds. */
  work(rest: (restMs: number) => void): Promise<void>;
  /** Called on every run that failed. */
  failed(error: unknown): void;
  /** The pause after a failure, before the next run. Without it, a failed run waits for the next call. */
  readonly retryMs?: number;
}

/** Runs work on demand. Any number of demands during a run cause one more run. No run begins during a pause. */
export class BackgroundWork {
  readonly #parts: BackgroundParts;
  readonly #run: () => Promise<void>;
  #soon: { readonly atMs: number; readonly cancel: () => void } | undefined;
  #endRest = (): void => {};
  #hasEnded = false;

  constructor(parts: BackgroundParts) {
    this.#parts = parts;
    this.#run = coalesce(() => this.#turn());
  }

  /** Resolves when a run that began after the call, and its pause, have ended. Never rejects. */
  now(): Promise<void> {
    return this.#hasEnded ? Promise.resolve() : this.#run();
  }

  /** Runs the work after this many milliseconds, or earlier if another call requires it. */
  soon(delayMs: number): void {
    const { clock } = this.#parts;
    const atMs = clock.monotonicMs() + delayMs;
    if (this.#hasEnded || (this.#soon !== undefined && this.#soon.atMs <= atMs)) return;
    this.#soon?.cancel();
    const cancel = clock.schedule(delayMs, () => {
      this.#soon = undefined;
      void this.now();
    });
    this.#soon = { atMs, cancel };
  }

  /** Prevents further runs. Resolves when the current run has ended. */
  async stop(): Promise<void> {
    this.#hasEnded = true;
    this.#soon?.cancel();
    this.#endRest();
    await this.#run();
  }

  async #turn(): Promise<void> {
    if (this.#hasEnded) return;
    const { clock, work, failed, retryMs } = this.#parts;
    let restMs: number | undefined;
    try {
      await work((wantedMs) => {
        restMs = wantedMs;
      });
    } catch (error) {
      failed(error);
      restMs = retryMs;
    }
    if (restMs === undefined || this.#hasEnded) return;
    await new Promise<void>((resolve) => {
      const cancel = clock.schedule(restMs as number, resolve);
      this.#endRest = () => {
        cancel();
        resolve();
      };
    });
    void this.now();
  }
}
