import type { Clock } from '../../ports/ports.ts';
import type { Logger } from '../log/logger.ts';
import type { Telemetry } from '../telemetry/telemetry-api.ts';

export interface ClockWatchParts {
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly telemetry: Telemetry;
  readonly log: Logger;
  /**
   * The maximum milliseconds by which another node's stamp may be ahead; 0 for no limit. A jump of half of it is
   * logged.
   */
  readonly maxStampLeadMs: number;
}

const USUAL_LEAD_MS = 300_000;

/** Detects that the machine's physical clock went back or jumped ahead between two calls. Stamps grow in both cases. */
export class ClockWatch {
  readonly #parts: ClockWatchParts;
  readonly #faults;
  readonly #jumpMs: number;
  #nowMs: number;
  #monotonicMs: number;

  constructor(parts: ClockWatchParts) {
    const { clock, telemetry, maxStampLeadMs } = parts;
    this.#parts = parts;
    this.#jumpMs = (maxStampLeadMs > 0 ? maxStampLeadMs : USUAL_LEAD_MS) / 2;
    this.#nowMs = clock.nowMs();
    this.#monotonicMs = clock.monotonicMs();
    this.#faults = telemetry.counter({
      name: 'clock_faults_total',
      help: 'Times that the physical clock of the machine went backward, or jumped forward',
      labels: ['direction'],
    });
  }

  /** Compares the clock with the last call, and returns its time. */
  look(): number {
    const { clock, log } = this.#parts;
    const nowMs = clock.nowMs();
    const monotonicMs = clock.monotonicMs();
    const aheadMs = nowMs - this.#nowMs - (monotonicMs - this.#monotonicMs);
    if (nowMs < this.#nowMs) {
      this.#faults.add(1, { direction: 'backward' });
    } else if (aheadMs > this.#jumpMs) {
      this.#faults.add(1, { direction: 'forward' });
      log.warn('clock_jump: the clock of this machine jumped ahead, and new facts carry its time', {
        jumpMs: Math.round(aheadMs),
      });
    }
    this.#nowMs = nowMs;
    this.#monotonicMs = monotonicMs;
    return nowMs;
  }
}
