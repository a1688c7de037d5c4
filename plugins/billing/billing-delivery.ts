import type { Clock, Logger } from '../../kernel/plugin-api.ts';
import type { BillingSink } from './billing-api.ts';
import type { BillingStore } from './billing-store.ts';

/** Shortest time between two rounds of delivery: under load, one small transaction for many requests. */
export const DELIVERY_INTERVAL_MS = 250;
/** The same after a failure. */
export const RETRY_INTERVAL_MS = 5_000;
const EVENTS_PER_WRITE = 2_000;

export interface DeliveryParts {
  readonly store: BillingStore;
  readonly sink: BillingSink;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Hands the ledger to the sink, tenant by tenant in commit order. The position moves only after the sink has taken the events, and is
 * kept in the store, so that a crash repeats events and never loses one; several processes share the work and may repeat some.
 */
export class BillingDelivery {
  readonly #parts: DeliveryParts;
  readonly #pending = new Set<string>();
  #round: Promise<void> | undefined;
  #cancelPause: (() => void) | undefined;
  #stopped = false;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  /** Delivers what these tenants have, now or when the pause after the last round ends. */
  request(tenantIds: Iterable<string>): void {
    for (const tenantId of tenantIds) this.#pending.add(tenantId);
    if (this.#stopped || this.#round !== undefined || this.#cancelPause !== undefined) return;
    if (this.#pending.size > 0) this.#round = this.#runRound();
  }

  /** Delivers what any tenant has: after a crash, or for a process that has crashed. */
  async requestAll(): Promise<void> {
    this.request(await this.#parts.store.tenants());
  }

  /** Delivers what is left, then no more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelPause?.();
    await this.#round;
    await this.#deliverPending();
  }

  async #runRound(): Promise<void> {
    const failed = await this.#deliverPending();
    this.#round = undefined;
    if (this.#stopped) return;
    for (const tenantId of failed) this.#pending.add(tenantId);
    const pauseMs = failed.length > 0 ? RETRY_INTERVAL_MS : DELIVERY_INTERVAL_MS;
    this.#cancelPause = this.#parts.clock.schedule(pauseMs, () => {
      this.#cancelPause = undefined;
      this.request([]);
    });
  }

  /** Never rejects: what failed stays in the ledger. Answers whose events those are. */
  async #deliverPending(): Promise<string[]> {
    const failed: string[] = [];
    const tenantIds = [...this.#pending];
    this.#pending.clear();
    for (const tenantId of tenantIds) {
      try {
        await this.#deliver(tenantId);
      } catch (error) {
        failed.push(tenantId);
        this.#parts.log.warn('billing events could not be delivered; they will be tried again', { tenantId, error });
      }
    }
    return failed;
  }

  async #deliver(tenantId: string): Promise<void> {
    const { store, sink } = this.#parts;
    for (;;) {
      const found = await store.undelivered(tenantId, EVENTS_PER_WRITE);
      const last = found.at(-1);
      if (last === undefined) return;
      await sink.write(found.map(({ event }) => event));
      await store.advance(tenantId, last.seq);
      if (found.length < EVENTS_PER_WRITE) return;
    }
  }
}
