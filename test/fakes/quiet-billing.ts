import type { AdapterBinding } from '../../kernel/boot/kernel.ts';
import { BillingSink } from '../../plugins/billing/billing-api.ts';

/**
 * Takes billing events in place of standard error, which belongs to the test run. A plugin that provides a sink still
 * goes first.
 */
export const quietBilling: AdapterBinding = {
  ref: BillingSink,
  create: (): BillingSink => ({ write: async () => {} }),
};
