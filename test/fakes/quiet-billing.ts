import { definePlugin, KERNEL_API } from '../../kernel/plugin-api.ts';
import { type BillingEvent, BillingSink } from '../../plugins/billing/billing-api.ts';

/** Takes billing events instead of standard error, which belongs to the test run. */
export const createQuietBilling = (taken: BillingEvent[] = []) =>
  definePlugin({
    name: 'quiet-billing',
    version: '1.0.0',
    kernelApi: KERNEL_API,
    provides: [BillingSink],
    setup({ provide }) {
      provide(BillingSink, {
        async write(events) {
          taken.push(...events);
        },
      });
    },
  });
