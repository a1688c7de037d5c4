import { appendFile } from 'node:fs/promises';
import { BillingSink } from 'fact-memory-node/billing-api';
import { Clock, definePlugin, NodeSelf, schema } from 'fact-memory-node/plugin';

/** Writes an invoice line for each billing event to a file, in place of the lines on standard error. */
export const acmeInvoices = definePlugin({
  name: 'acme-invoices',
  version: '1.0.0',
  kernelApi: 1,
  summary: 'Invoice lines for Acme, one for each billing event',
  requires: { clock: Clock, self: NodeSelf },
  provides: [BillingSink],
  config: schema({
    type: 'object',
    required: ['file'],
    additionalProperties: false,
    properties: {
      file: { type: 'string', description: 'where invoice lines are appended' },
      centsPerFact: { type: 'integer', minimum: 0, default: 1 },
    },
  }),
  setup({ config, provide, use }) {
    const { clock, self } = use;
    // Events repeat after a crash, so readers of the file must bill each fact once.
    const lineOf = ({ entityUri, factId }) =>
      JSON.stringify({
        node: self.nodeId,
        customer: entityUri,
        fact: factId,
        cents: config.centsPerFact,
        billed_ms: clock.nowMs(),
      });
    provide(BillingSink, {
      write: (events) => appendFile(config.file, events.map((event) => `${lineOf(event)}\n`).join('')),
    });
  },
});
