import { defineRef } from '../../kernel/plugin-api.ts';

/** Something that is charged for (wire contract 14). */
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
