import type { Clock } from '../../ports/ports.ts';
import { coalesce } from './coalesce.ts';

export interface BackgroundParts {
  readonly clock: Clock;
  /** Does what there is to do. A call of `rest` makes it run again by itself after so many milliseconds, not before. */
  work(rest: (restMs: number) => void): Promise<void>;
  /** Told of every run that failed. */
  failed(error: unknown): void;
  /** How long it rests after a failure, and then runs again. Without it, a failed run waits to be asked for again. */
  readonly retryMs?: number;
}

/**
 * Work that looks for something to do when it is told to, and again when it is told so meanwhile: once, however often.
 * While it rests it does not begin.
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

  /** Resolves when a run that began after the call has ended, and its rest. Never rejects. */
  now(): Promise<void> {
    return this.#hasEnded ? Promise.resolve() : this.#run();
  }

  /** Runs after so many milliseconds, or earlier where that was asked for. */
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

  /** Nothing begins any more. Resolves when the run under way has ended. */
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
