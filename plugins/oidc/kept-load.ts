import type { Clock } from '../../kernel/plugin-api.ts';

/** How long a loaded value is used, in milliseconds. */
export interface KeptTimes {
  /** After this time the value is loaded again. */
  readonly freshMs: number;
  /** If loading fails, the old value is used until this age. */
  readonly staleMs: number;
  /** Minimum time between a failure and the next load. */
  readonly retryMs: number;
  /** Minimum time between two loads by `renewed`. */
  readonly renewMs: number;
}

/** A value from elsewhere that is cached for some time. Simultaneous callers share one load. */
export class KeptLoad<T> {
  readonly #load: () => Promise<T>;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #times: KeptTimes;
  #kept: { readonly value: T; readonly atMs: number } | undefined;
  #failed: { readonly error: unknown; readonly atMs: number } | undefined;
  #loading: Promise<T> | undefined;

  constructor(load: () => Promise<T>, clock: Pick<Clock, 'monotonicMs'>, times: KeptTimes) {
    this.#load = load;
    this.#clock = clock;
    this.#times = times;
  }

  /** Returns the cached or loaded value. Rejects with the error of the load, also while a failure is recent. */
  async get(): Promise<T> {
    return this.#kept !== undefined && this.#ageOf(this.#kept) < this.#times.freshMs
      ? this.#kept.value
      : this.#loaded();
  }

  /**
   * Loads the value again unless the last load is recent. For a caller who does not find something in the cached value.
   */
  async renewed(): Promise<T> {
    const isRecent = this.#kept !== undefined && this.#ageOf(this.#kept) < this.#times.renewMs;
    return isRecent ? this.get() : this.#loaded();
  }

  async #loaded(): Promise<T> {
    if (this.#failed !== undefined && this.#ageOf(this.#failed) < this.#times.retryMs) return this.#fallBack();
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    try {
      const value = await this.#loading;
      this.#kept = { value, atMs: this.#clock.monotonicMs() };
      this.#failed = undefined;
      return value;
    } catch (error) {
      this.#failed = { error, atMs: this.#clock.monotonicMs() };
      return this.#fallBack();
    }
  }

  #fallBack(): T {
    if (this.#kept !== undefined && this.#ageOf(this.#kept) < this.#times.staleMs) return this.#kept.value;
    throw this.#failed?.error;
  }

  #ageOf({ atMs }: { readonly atMs: number }): number {
    return this.#clock.monotonicMs() - atMs;
  }
}
