import { expect } from 'chai';
import type { BillingEvent } from '../../../plugins/billing/billing-api.ts';
import { createTerminalBillingSink } from '../../../plugins/billing/terminal-billing-sink.ts';

const eventOf = (eventType: BillingEvent['eventType']): BillingEvent => ({
  eventType,
  tenantId: 'default',
  entityUri: 'agent:indexer-7\u001b[2J',
  factId: null,
  gardenId: null,
  ts: '2026-03-02T09:15:04.120Z',
});

describe('billing events on a terminal', () => {
  it('are counted, and summed up in one line', async () => {
    let text = '';
    const sink = createTerminalBillingSink({
      write: (chunk) => {
        text += chunk;
      },
    });
    sink.summarise();
    await sink.write([eventOf('fact_written'), eventOf('garden_created')]);
    await sink.write([eventOf('fact_written')]);
    sink.summarise();
    sink.summarise();
    expect(text).to.equal('billing: 2 fact_written, 1 garden_created\n');
  });
});
