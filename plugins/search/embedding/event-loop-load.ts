import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import type { Clock } from '../../../kernel/plugin-api.ts';

/** The time in milliseconds for which load is assumed to last after it was observed. */
const LASTS_MS = 250;
/**
 * The event loop counts as idle below this share of busy time, because recurring tasks and this measurement use some.
 */
const IDLE_SHARE = 0.1;
/**
 * The minimum duration of the measurements that decide. A shorter sum is too imprecise: one recurring task of 2 ms
 * would count as load within a pause of 15 ms.
 */
const SHORTEST_LOOK_MS = 100;

/**
 * Detects whether other work, above all requests, uses the event loop of this thread. Measures while its caller pauses.
 */
export class EventLoopLoad {
  readonly #clock: Clock;
  readonly #measure: typeof performance.eventLoopUtilization;
  #from: EventLoopUtilization | undefined;
  /** The sum of the measurements since the last decision. */
  #activeMs = 0;
  #idleMs = 0;
  #untilMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, measure = performance.eventLoopUtilization) {
    this.#clock = clock;
    this.#measure = measure;
  }

  /** Starts a measurement. The caller must do no work until `endLook`. */
  beginLook(): void {
    this.#from = this.#measure();
  }

  endLook(): void {
    if (this.#from === undefined) return;
    const { active, idle } = this.#measure(this.#from);
    this.#from = undefined;
    this.#activeMs += active;
    this.#idleMs += idle;
    const tookMs = this.#activeMs + this.#idleMs;
    if (tookMs < SHORTEST_LOOK_MS) return;
    if (this.#activeMs > IDLE_SHARE * tookMs) this.seen();
    this.#activeMs = 0;
    this.#idleMs = 0;
  }

  /** Reports load that the caller has observed. The event loop counts as busy for the next `forMs` milliseconds. */
  seen(forMs = LASTS_MS): void {
    this.#untilMs = Math.max(this.#untilMs, this.#clock.monotonicMs() + forMs);
  }

  get isThere(): boolean {
    return this.#clock.monotonicMs() < this.#untilMs;
  }
}
