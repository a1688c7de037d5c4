import { defineRef } from '../../ports/ports.ts';
import type { PluginTransaction } from '../store/plugin-transaction.ts';

/** Leases for work that only one of the processes on a store may do at a time. */
export interface Leases {
  /**
   * Tries to get the lease `name`, from the moment when the node serves until it stops, and renews it while it is held.
   * A process that does not serve, such as a command, gets no lease and so does no work of the node. The lease is
   * released when the node stops, after all plugins have. The lease of a dead process expires by itself, `LEASE_MS`
   * after the last renewal. Callers choose the names: one holder per name and process.
   */
  hold(name: string, options?: HoldOptions): HeldLease;
}

export interface HoldOptions {
  /**
   * Called whenever this process got the lease, to look for work that the last holder left unfinished. Must not throw.
   */
  onAcquired?(): void;
}

/** See `HeldLease.confirm`. */
export type ConfirmLease = (transaction: PluginTransaction) => Promise<void>;

/** A lease that this process holds or tries to get. */
export interface HeldLease {
  /**
   * Whether this process should work. A hint: a paused process detects the loss too late, so a result counts only after
   * `confirm`. False while the store is unreachable.
   */
  readonly held: boolean;
  /**
   * The number of the holder, which grows with every change. Its value is from the last time when this process got the
   * lease; 0 before.
   */
  readonly fence: number;
  /**
   * Call it in the transaction that records a result, with the `fence` from the beginning of the work. Rejects with
   * `conflict` when the lease has changed hands since, even if it has come back, and nothing may be recorded. Otherwise
   * no other process gets the lease before the transaction has ended. Do the work itself outside any transaction.
   */
  confirm(transaction: PluginTransaction, fence: number): Promise<void>;
  /**
   * Does the work if the lease is held, and otherwise nothing. Call `confirm`, which belongs to the beginning of the
   * work, in the transaction that records a result.
   */
  whileHeld<T>(work: (confirm: ConfirmLease) => Promise<T>): Promise<T | undefined>;
  /** Tries to get the lease, or to renew it, now. Returns whether it is held; never rejects. */
  attempt(): Promise<boolean>;
}

export const Leases = defineRef<Leases>('kernel.leases');
