import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import type { Clock } from '../../../kernel/plugin-api.ts';

/** The time for which observed load is assumed to continue, in milliseconds. */
const LASTS_MS = 250;
/** Below this share of busy time the event loop counts as idle, because recurring tasks and this file use some. */
const IDLE_SHARE = 0.1;
/** Shorter measurements are too imprecise. */
const SHORTEST_LOOK_MS = 5;

/**
 * Detects whether other work, above all requests, uses the event loop of this thread. It measures while the caller
 * rests.
 */
export class EventLoopLoad {
  readonly #clock: Clock;
  #from: EventLoopUtilization | undefined;
  #untilMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts a measurement. The caller must leave the event loop alone until `endLook`. */
  beginLook(): void {
    this.#from = performance.eventLoopUtilization();
  }

  endLook(): void {
    if (this.#from === undefined) return;
    const { active, idle, utilization } = performance.eventLoopUtilization(this.#from);
    this.#from = undefined;
    if (active + idle >= SHORTEST_LOOK_MS && utilization > IDLE_SHARE) this.seen();
  }

  /** Notes load that is there now and for some time. */
  seen(forMs = LASTS_MS): void {
    this.#untilMs = Math.max(this.#untilMs, this.#clock.monotonicMs() + forMs);
  }

  get isThere(): boolean {
    return this.#clock.monotonicMs() < this.#untilMs;
  }
}
