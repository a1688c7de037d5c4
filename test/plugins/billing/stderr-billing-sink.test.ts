import { expect } from 'chai';
import type { BillingEvent } from '../../../plugins/billing/billing-api.ts';
import { createStderrBillingSink } from '../../../plugins/billing/stderr-billing-sink.ts';

const EVENT: BillingEvent = {
  eventType: 'fact_written',
  tenantId: 'default',
  entityUri: 'agent:indexer-7',
  factId: '5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11',
  gardenId: null,
  ts: '2026-03-02T09:15:04.120Z',
};

describe('billing lines on standard error', () => {
  it('are one line of JSON each, with exactly the documented members', async () => {
    let text = '';
    const sink = createStderrBillingSink({
      write(chunk, written) {
        text += chunk;
        written();
      },
    });
    await sink.write([EVENT, { ...EVENT, factId: null, gardenId: 'g1', eventType: 'garden_created' }]);
    const lines = text.split('\n');
    expect(lines.pop()).to.equal('');
    expect(lines[0]).to.equal(
      '{"billing":{"event_type":"fact_written","tenant_id":"default","entity_uri":"agent:indexer-7","fact_id":"5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11","garden_id":null,"ts":"2026-03-02T09:15:04.120Z"}}',
    );
    expect(JSON.parse(lines[1] ?? '').billing).to.include({ event_type: 'garden_created', garden_id: 'g1' });
  });

  it('cannot be forged by a name with line breaks of any kind', async () => {
    let text = '';
    const sink = createStderrBillingSink({
      write(chunk, written) {
        text += chunk;
        written();
      },
    });
    const entityUri = 'a\n{"billing":{}}\r\n\u2028\u2029\u0085\u001b[2J';
    await sink.write([{ ...EVENT, entityUri }]);
    expect(text.trimEnd().split(/[\n\r\u0085\u2028\u2029]/)).to.have.length(1);
    expect(JSON.parse(text).billing.entity_uri).to.equal(entityUri);
  });

  it('count as written only after they have left the process', async () => {
    let finish = (_error?: Error | null): void => {};
    const sink = createStderrBillingSink({
      write(_chunk, written) {
        finish = written;
      },
    });
    let settled = false;
    const writing = sink.write([EVENT]).finally(() => {
      settled = true;
    });
    await Promise.resolve();
    expect(settled).to.equal(false);
    finish(new Error('the pipe is closed'));
    expect(await writing.catch((error: Error) => error.message)).to.equal('the pipe is closed');
  });
});
