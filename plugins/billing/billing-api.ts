import { defineRef, type Principal } from '../../kernel/plugin-api.ts';

/** An event that is charged for: the assertion of a client, or the creation of a garden. */
export interface BillingEvent {
  readonly eventType: 'fact_written' | 'garden_created';
  readonly tenantId: string;
  readonly entityUri: string;
  readonly factId: string | null;
  /** Garden identifier (UUID). */
  readonly gardenId: string | null;
  /** RFC 3339. */
  readonly ts: string;
}

/**
 * The output for billing events besides the ledger. A plugin that provides it replaces the lines on standard error. The
 * ledger and its route remain.
 */
export interface BillingSink {
  /**
   * Receives events of one tenant, in the order of their commits. Each is delivered at least once: after a crash or a
   * rejection, the same events are delivered again, with the same `factId` or `gardenId`. Resolve only after the events
   * are stored safely.
   */
  write(events: readonly BillingEvent[]): Promise<void>;
}

export const BillingSink = defineRef<BillingSink>('billing.sink');

/** An event with its place in the ledger. */
export interface LedgerEvent {
  /** Within one tenant, numbers increase with the instants of the events. */
  readonly seq: number;
  readonly event: BillingEvent;
}

/** Selects events of the caller's tenant. An absent member does not restrict the selection. */
export interface BillingFilter {
  readonly eventType?: BillingEvent['eventType'] | undefined;
  readonly entityUri?: string | undefined;
  /** Milliseconds since the epoch, both inclusive. */
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

export interface LedgerPage {
  readonly events: readonly LedgerEvent[];
  /** Number of matching events on all pages. */
  readonly total: number;
  /** True if older events follow. */
  readonly more: boolean;
}

/** The authoritative record of charges. The sink receives a copy. */
export interface BillingLedger {
  /**
   * Returns events newest first, at most `limit` (1 to 1000, 200 by default). With `beforeSeq`, only events with a
   * lower number. Needs `admin`.
   */
  events(
    caller: Principal,
    filter: BillingFilter,
    page?: { readonly beforeSeq?: number | undefined; readonly limit?: number },
  ): Promise<LedgerPage>;
}

export const BillingLedger = defineRef<BillingLedger>('billing.ledger');
