import { defineRef, type Principal } from '../../kernel/plugin-api.ts';

/** Something that is charged for: a fact that a client wrote, or a garden. */
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
 * Where billing events go besides the ledger. A plugin that provides it replaces the lines on standard error; the
 * ledger and its route stay.
 */
export interface BillingSink {
  /**
   * Takes events of one tenant, in the order of their commits. Each is delivered at least once: after a crash, and
   * after a rejection, the same events come again, recognisable by their `factId`, respectively `gardenId`. Resolve
   * only once they are safe.
   */
  write(events: readonly BillingEvent[]): Promise<void>;
}

export const BillingSink = defineRef<BillingSink>('billing.sink');

/** An event with its place in the ledger. */
export interface LedgerEvent {
  /** Numbers of one tenant grow with the instants of its events. */
  readonly seq: number;
  readonly event: BillingEvent;
}

/** Which events of the caller's tenant; a member that is left out narrows nothing. */
export interface BillingFilter {
  readonly eventType?: BillingEvent['eventType'] | undefined;
  readonly entityUri?: string | undefined;
  /** Milliseconds since the epoch, both included. */
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

export interface LedgerPage {
  readonly events: readonly LedgerEvent[];
  /** Events that satisfy the filter, on all pages. */
  readonly total: number;
  /** Whether events follow. */
  readonly more: boolean;
}

/** The authoritative record of charges, of which the sink gets a copy. */
export interface BillingLedger {
  /**
   * Events newest first, those before `beforeSeq` where it is given; at most `limit` (1 to 1000, 200 by default). Needs
   * `admin`.
   */
  events(
    caller: Principal,
    filter: BillingFilter,
    page?: { readonly beforeSeq?: number | undefined; readonly limit?: number },
  ): Promise<LedgerPage>;
}

export const BillingLedger = defineRef<BillingLedger>('billing.ledger');
