import { defineRef } from './define-ref.ts';

/** Physical time and timers. The only source of either, so that a test can control both. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch, UTC. May step backwards. */
  nowMs(): number;
  /** Milliseconds from an arbitrary origin. Never decreases. */
  monotonicMs(): number;
  /**
   * Runs `task` once, `delayMs` from now (0 or more). Returns a function that cancels it; cancelling
   * twice, or after it ran, does nothing. A pending task never keeps the process alive.
   */
  schedule(delayMs: number, task: () => void): () => void;
}

export const Clock = defineRef<Clock>('port.clock');
