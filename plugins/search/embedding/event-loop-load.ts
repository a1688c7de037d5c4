import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import type { Clock } from '../../../kernel/plugin-api.ts';

/** The time in milliseconds for which load is assumed to last after it was observed. */
const LASTS_MS = 250;
/**
 * The event loop counts as idle below this share of busy time, because recurring tasks and this measurement use some.
 */
const IDLE_SHARE = 0.1;
/** The minimum duration of a measurement; shorter ones are too imprecise. */
const SHORTEST_LOOK_MS = 5;

/**
 * Detects whether other work, above all requests, uses the event loop of this thread. Measures while its caller pauses.
 */
export class EventLoopLoad {
  readonly #clock: Clock;
  #from: EventLoopUtilization | undefined;
  #untilMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts a measurement. The caller must do no work until `endLook`. */
  beginLook(): void {
    this.#from = performance.eventLoopUtilization();
  }

  endLook(): void {
    if (this.#from === undefined) return;
    const { active, idle, utilization } = performance.eventLoopUtilization(this.#from);
    this.#from = undefined;
    if (active + idle >= SHORTEST_LOOK_MS && utilization > IDLE_SHARE) this.seen();
  }

  /** Reports load that the caller has observed. The event loop counts as busy for the next `forMs` milliseconds. */
  seen(forMs = LASTS_MS): void {
    this.#untilMs = Math.max(this.#untilMs, this.#clock.monotonicMs() + forMs);
  }

  get isThere(): boolean {
    return this.#clock.monotonicMs() < this.#untilMs;
  }
}
