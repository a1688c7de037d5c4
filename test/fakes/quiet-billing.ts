import type { AdapterBinding } from '../../kernel/boot/kernel.ts';
import { BillingSink } from '../../plugins/billing/billing-api.ts';

/**
 * Discards billing events, which would otherwise mix with the output of the test run. A plugin that provides a sink
 * takes precedence.
 */
export const quietBilling: AdapterBinding = {
  ref: BillingSink,
  create: (): BillingSink => ({ write: async () => {} }),
};
