import { defineRef } from './define-ref.ts';

/** The single source of physical time and timers, which tests can control. */
export interface Clock {
  /** Returns the wall clock in milliseconds since the epoch, UTC. It may step backwards. */
  nowMs(): number;
  /** Returns the milliseconds from an arbitrary origin. Never decreases. */
  monotonicMs(): number;
  /**
   * Runs `task` once, after `delayMs` (0 or more). Returns a function that cancels it and may be called at any time. A
   * pending task does not keep the process alive.
   */
  schedule(delayMs: number, task: () => void): () => void;
}

export const Clock = defineRef<Clock>('port.clock');
