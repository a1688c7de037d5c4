import type { Clock } from '../../kernel/plugin-api.ts';

/** How long something that was loaded is used, in milliseconds. */
export interface KeptTimes {
  /** It is loaded anew after this. */
  readonly freshMs: number;
  /** It is used for so long all the same when loading it anew fails. */
  readonly staleMs: number;
  /** Nothing is loaded for so long after a failure. */
  readonly retryMs: number;
  /** `renewed` loads at most once in this time. */
  readonly renewMs: number;
}

/** Something that is loaded from elsewhere and kept for a while. Callers at the same time share one load. */
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

  /** Rejects as the load does, and with the same error while that failure is recent. */
  async get(): Promise<T> {
    return this.#kept !== undefined && this.#ageOf(this.#kept) < this.#times.freshMs
      ? this.#kept.value
      : this.#loaded();
  }

  /** The same, loaded anew unless that was done or tried a moment ago: for a caller who misses something in it. */
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
