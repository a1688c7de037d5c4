import { type Clock, type FactStore, ServiceError, type WriteTransaction } from '../../ports/ports.ts';
import type { Logger } from '../log/logger.ts';
import { wideTransaction } from '../store/narrow-transaction.ts';
import type { PluginTransaction } from '../store/plugin-transaction.ts';
import { type Claim, giveLeasesBack, keepsLease, LEASE_MS, type LeaseView, takeLeases } from './lease-table.ts';
import type { ConfirmLease, HeldLease } from './leases-api.ts';

/**
 * The interval at which a held lease is renewed. A process renews all of its leases together, because each commit
 * empties the caches of other processes.
 */
export const HEARTBEAT_MS = 10_000;
/** The interval at which a process tries to get a lease that another one holds. */
export const RETRY_MS = 3_000;

/** The signal that a lease was released. */
export const RELEASED = 'leases released';

export interface LeaseParts {
  readonly store: FactStore;
  readonly clock: Clock;
  readonly log: Logger;
  /** Names the process, for people who read the table. */
  readonly holder: string;
  /** Returns the state of the lease of a claim, by a read without a lock. */
  readonly view: (claim: Claim) => Promise<LeaseView>;
  /** Takes a free lease, together with others. Returns its fence; null while another process has it. */
  readonly take: (claim: Claim) => Promise<number | null>;
  /** Releases a lease, together with others. */
  readonly giveBack: (claim: Claim) => Promise<void>;
}

/**
 * Acquires one lease, renews it, and acquires it again after a loss. Failures of the store never make a call reject: a
 * lease that cannot be renewed counts as lost.
 */
export class LeaseKeeper implements HeldLease {
  readonly #parts: LeaseParts;
  readonly #name: string;
  readonly #onAcquired: () => void;
  readonly #endSignals: () => void;
  #fence = 0;
  /**
   * The monotonic time of this process at which its lease ends. It is never later than the end by the database's clock,
   * which decides.
   */
  #heldUntilMs = Number.NEGATIVE_INFINITY;
  /** An end that is too far ahead for a lease, and the monotonic time of this process at which it was first read. */
  #farEnd: { readonly endMs: number; readonly seenMs: number } | undefined;
  #attempt: Promise<void> | undefined;
  #failure: unknown;
  #cancelNext = (): void => {};
  #hasBegun = false;
  #hasEnded = false;

  constructor(name: string, onAcquired: () => void, parts: LeaseParts) {
    this.#parts = parts;
    this.#name = name;
    this.#onAcquired = onAcquired;
    this.#endSignals = parts.store.onSignal(RELEASED, () => {
      // Tries again after a running attempt, which may have read the lease before its release.
      void Promise.resolve(this.#attempt).then(() => this.held || this.attempt());
    });
  }

  async begin(): Promise<void> {
    this.#hasBegun = true;
    await this.attempt();
  }

  get held(): boolean {
    return this.#parts.clock.monotonicMs() < this.#heldUntilMs;
  }

  /** Whether another process seems to have died before the clock was set back. Later attempts tell. */
  get isInDoubt(): boolean {
    return this.#farEnd !== undefined;
  }

  /** The error of the store in the last attempt; undefined for an attempt that the store answered. */
  get failure(): unknown {
    return this.#failure;
  }

  get fence(): number {
    return this.#fence;
  }

  async confirm(transaction: PluginTransaction, fence: number): Promise<void> {
    if (await keepsLease(wideTransaction(transaction), this.#name, fence)) return;
    if (fence === this.#fence) this.#heldUntilMs = Number.NEGATIVE_INFINITY;
    throw new ServiceError('conflict', 'another process has taken this work over');
  }

  async whileHeld<T>(work: (confirm: ConfirmLease) => Promise<T>): Promise<T | undefined> {
    const fence = this.#fence;
    return this.held ? work((transaction) => this.confirm(transaction, fence)) : undefined;
  }

  async attempt(): Promise<boolean> {
    if (!this.#hasBegun || this.#hasEnded) return this.held;
    this.#attempt ??= this.#tryOnce().finally(() => {
      this.#attempt = undefined;
    });
    await this.#attempt;
    return this.held;
  }

  /** Releases the lease. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    this.#endSignals();
    this.#cancelNext();
    await this.#attempt;
    // Releases even an expired lease, because by the clock of the database it may still block others.
    if (this.#heldUntilMs === Number.NEGATIVE_INFINITY) return;
    this.#heldUntilMs = Number.NEGATIVE_INFINITY;
    // Ignores a failure, because the lease expires by itself.
    const giveBackAlone = async (transaction: WriteTransaction): Promise<void> => {
      if (await giveLeasesBack(transaction, [this.#claim()])) transaction.signal(RELEASED);
    };
    await this.#parts
      .giveBack(this.#claim())
      .catch(() => this.#parts.store.write(lockOf(this.#name), giveBackAlone))
      .catch(() => {});
  }

  async #tryOnce(): Promise<void> {
    const { clock, log } = this.#parts;
    this.#cancelNext();
    const wasHeld = this.held;
    // Reads this clock before the database's clock, so that the lease ends here no later than in the database.
    const startedMs = clock.monotonicMs();
    try {
      const fence = await this.#take(wasHeld);
      this.#failure = undefined;
      this.#fence = fence ?? this.#fence;
      this.#heldUntilMs = fence === null ? Number.NEGATIVE_INFINITY : startedMs + LEASE_MS;
    } catch (error) {
      this.#failure = error;
      this.#heldUntilMs = Number.NEGATIVE_INFINITY;
      if (wasHeld) log.warn('a lease could not be renewed; its work rests until it can', { lease: this.#name, error });
    }
    if (!this.#hasEnded) {
      const untilHeartbeatMs = HEARTBEAT_MS - (clock.monotonicMs() % HEARTBEAT_MS);
      this.#cancelNext = clock.schedule(this.held ? untilHeartbeatMs : RETRY_MS, () => void this.attempt());
    }
    if (this.held && !wasHeld) this.#onAcquired();
  }

  /**
   * Takes the writer's lock only for a lease that is free or abandoned. Renews a lease alone, and takes one alone if
   * that fails together with others: a transaction that confirms one lease must not make the process lose another one.
   */
  async #take(isHeld: boolean): Promise<number | null> {
    const claim = this.#claim();
    const { isTakeable, farEndMs } = isHeld ? HELD : await this.#parts.view(claim);
    const abandonedEndMs = this.#abandoned(farEndMs);
    if (!isTakeable && abandonedEndMs === undefined) return null;
    const wanted = { ...claim, abandonedEndMs };
    return isHeld ? this.#takeAlone(wanted) : this.#parts.take(wanted).catch(() => this.#takeAlone(wanted));
  }

  async #takeAlone(claim: Claim): Promise<number | null> {
    const take = (transaction: WriteTransaction) => takeLeases(transaction, [claim]);
    return (await this.#parts.store.write(lockOf(this.#name), take)).get(claim) ?? null;
  }

  /**
   * Returns an end that is too far ahead if nothing has renewed it for as long as a lease lasts by the time of this
   * process. A living holder renews it before that.
   */
  #abandoned(farEndMs: number | undefined): number | undefined {
    const nowMs = this.#parts.clock.monotonicMs();
    if (farEndMs === undefined) this.#farEnd = undefined;
    else if (farEndMs !== this.#farEnd?.endMs) this.#farEnd = { endMs: farEndMs, seenMs: nowMs };
    const isAbandoned = this.#farEnd !== undefined && nowMs - this.#farEnd.seenMs >= LEASE_MS;
    return isAbandoned ? farEndMs : undefined;
  }

  #claim(): Claim {
    return { name: this.#name, holder: this.#parts.holder, fence: this.#fence };
  }
}

/** The view of a lease that this process holds. */
const HELD: LeaseView = { isTakeable: true, farEndMs: undefined };

/** Returns the lock of one lease, which blocks no tenant's writes. */
const lockOf = (name: string): string => `lease ${name}`;
