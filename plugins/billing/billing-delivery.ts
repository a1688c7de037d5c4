import { turnAfter, withinTime } from '../../kernel/internal-api.ts';
import {
  BackgroundWork,
  type Clock,
  type ConfirmLease,
  type HeldLease,
  type Leases,
  type Logger,
  ServiceError,
} from '../../kernel/plugin-api.ts';
import type { BillingSink } from './billing-api.ts';
import type { BillingStore } from './billing-store.ts';

/**
 * The minimum time in milliseconds between two rounds of delivery. Under load, one small transaction then serves many
 * requests.
 */
export const DELIVERY_INTERVAL_MS = 250;
/** The pause in milliseconds after a failed round of delivery. */
export const RETRY_INTERVAL_MS = 5_000;
/** The time in milliseconds that a stop waits for the sink. The other plugins share the rest of the ten seconds. */
const STOP_LIMIT_MS = 3_000;
const EVENTS_PER_WRITE = 500;

const LEASE = 'billing delivery';

export interface DeliveryParts {
  readonly store: BillingStore;
  readonly sink: BillingSink;
  readonly clock: Clock;
  readonly log: Logger;
  readonly leases: Leases;
}

/**
 * Delivers the ledger to the sink, tenant by tenant in commit order. The stored position moves only after the sink has
 * accepted the events, so a crash repeats events but loses none. If several processes run, the holder of a lease
 * delivers the events of all.
 */
export class BillingDelivery {
  readonly #parts: DeliveryParts;
  readonly #pending = new Set<string>();
  readonly #rounds: BackgroundWork;
  readonly #lease: HeldLease;
  /** For each tenant, the end of the ledger at which this process found all events delivered. */
  readonly #delivered = new Map<string, number>();

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    this.#rounds = new BackgroundWork({
      clock: parts.clock,
      work: (rest) => this.#runRound(rest),
      failed: (error) => parts.log.error('a round of delivery failed', { error }),
    });
    this.#lease = parts.leases.hold(LEASE, { onAcquired: () => this.#begin() });
  }

  /**
   * Delivers the events of these tenants, now or after the pause of the last round. Does nothing in a process without
   * the lease.
   */
  request(tenantIds: Iterable<string>): void {
    if (!this.#lease.held) return;
    for (const tenantId of tenantIds) this.#pending.add(tenantId);
    if (this.#pending.size > 0) void this.#rounds.now();
  }

  /** Delivers all committed events, including those of crashed processes. */
  async requestNew(): Promise<void> {
    if (!this.#lease.held) return;
    const ends = await this.#parts.store.ledgerEnds();
    // After an outage a ledger may end at a lower number than before, so every difference counts.
    const news = ends.filter(({ tenantId, number }) => number !== this.#delivered.get(tenantId));
    this.request(news.map(({ tenantId }) => tenantId));
  }

  /**
   * Delivers the remaining events, also those of a holder that has just stopped, and then ends. Gives up on a sink that
   * does not answer, because its events stay in the ledger.
   */
  async stop(): Promise<void> {
    const { clock, log } = this.#parts;
    const late = (): Error => new ServiceError('unavailable', 'the sink of billing events does not answer');
    await withinTime(clock, STOP_LIMIT_MS, () => this.#deliverRest(), late).catch((error: unknown) => {
      log.warn('billing events wait for the next start', { error });
    });
  }

  async #deliverRest(): Promise<void> {
    if (!this.#lease.held) await this.#lease.attempt();
    await this.requestNew().catch(() => {});
    await this.#rounds.stop();
    await this.#deliverPending();
  }

  /** Called when this process gets the lease. The previous holder may have left events. */
  #begin(): void {
    this.#delivered.clear();
    this.requestNew().catch((error: unknown) => {
      this.#parts.log.warn('billing events could not be looked for; they will be tried again', { error });
    });
  }

  async #runRound(rest: (restMs: number) => void): Promise<void> {
    if (this.#pending.size === 0) return;
    const failed = await this.#deliverPending();
    for (const tenantId of failed) this.#pending.add(tenantId);
    rest(failed.length > 0 ? RETRY_INTERVAL_MS : DELIVERY_INTERVAL_MS);
  }

  /** Never rejects, because failed events stay in the ledger. Returns the tenants with failed events. */
  async #deliverPending(): Promise<string[]> {
    const failed: string[] = [];
    const tenantIds = [...this.#pending];
    this.#pending.clear();
    for (const tenantId of tenantIds) {
      try {
        await this.#deliver(tenantId);
      } catch (error) {
        if (!this.#lease.held) continue;
        failed.push(tenantId);
        this.#parts.log.warn('billing events could not be delivered; they will be tried again', { tenantId, error });
      }
    }
    return failed;
  }

  async #deliver(tenantId: string): Promise<void> {
    while (await this.#lease.whileHeld((confirm) => this.#deliverSome(tenantId, confirm)));
  }

  /** Returns true if there may be more events. */
  async #deliverSome(tenantId: string, confirm: ConfirmLease): Promise<boolean> {
    const { store, sink } = this.#parts;
    const found = await store.undelivered(tenantId, EVENTS_PER_WRITE);
    const { events, to, end } = found;
    const more = to.seq < end;
    await turnAfter(events);
    if (events.length > 0) await sink.write(events.map(({ event }) => event));
    // For a short range without events, the position is kept in memory only.
    if ((events.length > 0 || more) && !(await store.advance(tenantId, found, confirm))) return false;
    if (!more) this.#delivered.set(tenantId, end);
    return more;
  }
}
