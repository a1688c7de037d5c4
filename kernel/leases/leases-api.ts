import { defineRef } from '../../ports/ports.ts';
import type { PluginTransaction } from '../store/plugin-transaction.ts';

/** Work that one process at a time should do, of all that share the store. */
export interface Leases {
  /**
   * Tries to get the lease `name`, now and again until the node stops, and renews it while it has it. The lease is
   * given back when the node stops, after all plugins have; one whose holder died ends by itself, `LEASE_MS` after the
   * last renewal. Names are the callers' own: one holder per name and process.
   */
  hold(name: string, options?: HoldOptions): HeldLease;
}

export interface HoldOptions {
  /** Called whenever the lease was got: look for work, the last holder may have left some. Must not throw. */
  onAcquired?(): void;
}

/** See `HeldLease.confirm`. */
export type ConfirmLease = (transaction: PluginTransaction) => Promise<void>;

/** A lease that this process has, or would like to have. */
export interface HeldLease {
  /**
   * Whether to work. A hint: a process that was paused finds out too late, so the result of the work counts only when
   * `confirm` says so. False while the store cannot be reached.
   */
  readonly held: boolean;
  /** Grows with every change of the holder; that of the last time when the lease was got here, 0 before. */
  readonly fence: number;
  /**
   * Call it in the transaction that records a result, with the `fence` that was there when the work began. Rejects with
   * `conflict` when the lease has changed hands since, even if it has come back, and nothing may be recorded; otherwise
   * nobody gets it before the transaction has ended. Do the work itself outside any transaction.
   */
  confirm(transaction: PluginTransaction, fence: number): Promise<void>;
  /**
   * Does the work if the lease is held, and otherwise nothing. `confirm` is that of the moment when the work began:
   * call it in the transaction that records a result.
   */
  whileHeld<T>(work: (confirm: ConfirmLease) => Promise<T>): Promise<T | undefined>;
  /** Tries to get the lease, or to renew it, now. Returns whether it is held; never rejects. */
  attempt(): Promise<boolean>;
}

export const Leases = defineRef<Leases>('kernel.leases');
