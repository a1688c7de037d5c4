import type { Clock } from '../../ports/ports.ts';
import { coalesce } from './coalesce.ts';

export interface BackgroundParts {
  readonly clock: Clock;
  /** Does the available work. A call of `rest` schedules the next run after so many milliseconds, not before. */
  work(rest: (restMs: number) => void): Promise<void>;
  /** Called on every run that failed. */
  failed(error: unknown): void;
  /** The pause after a failure, before the next run. Without it, a failed run waits for the next call. */
  readonly retryMs?: number;
}

/**
 * Runs work on demand. Demands during a run cause one more run, however many they are. No run begins during a pause.
 */
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

  /** Resolves when a run that began after the call has ended, and its pause. Never rejects. */
  now(): Promise<void> {
    return this.#hasEnded ? Promise.resolve() : this.#run();
  }

  /** Runs after so many milliseconds, or earlier if another call asked for that. */
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

  /** Begins no further run. Resolves when the run under way has ended. */
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
