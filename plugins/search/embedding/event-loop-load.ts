import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import type { Clock } from '../../../kernel/plugin-api.ts';

/** Others who were seen at work are believed to go on for so long, unless something else is known. */
const LASTS_MS = 250;
/**
 * Below this share of the time the event loop is as good as idle: repeating tasks and the work of this file take some.
 */
const IDLE_SHARE = 0.1;
/** Shorter looks tell nothing. */
const SHORTEST_LOOK_MS = 5;

/** Whether others want the event loop of this thread, requests above all. They are seen while the caller rests. */
export class EventLoopLoad {
  readonly #clock: Clock;
  #from: EventLoopUtilization | undefined;
  #untilMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The caller has nothing to do on the event loop from here. */
  beginLook(): void {
    this.#from = performance.eventLoopUtilization();
  }

  endLook(): void {
    if (this.#from === undefined) return;
    const { active, idle, utilization } = performance.eventLoopUtilization(this.#from);
    this.#from = undefined;
    if (active + idle >= SHORTEST_LOOK_MS && utilization > IDLE_SHARE) this.seen();
  }

  /** Others are at work now, and for some time. */
  seen(forMs = LASTS_MS): void {
    this.#untilMs = Math.max(this.#untilMs, this.#clock.monotonicMs() + forMs);
  }

  get isThere(): boolean {
    return this.#clock.monotonicMs() < this.#untilMs;
  }
}
