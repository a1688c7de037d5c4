import { expect } from 'chai';
import { BillingLedger } from '../../../plugins/billing/billing-api.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { createRecordingSink } from './recording-sink.ts';

const admin = createPrincipal({ permissions: new Set(['admin']) });
const writer = createPrincipal({ entityUri: 'agent:writer' });

describe('the billing ledger without HTTP', () => {
  let node: TestNode;
  let ledger: BillingLedger;
  beforeEach(async () => {
    node = await startTestNode({ plugins: ['keys', 'facts', 'billing', createRecordingSink().plugin] });
    ledger = node.kernel.get(BillingLedger);
    for (const v of ['one', 'two', 'three']) {
      const value = { type: 'string', v, interpretAs: 'content' } as const;
      const draft = { entity: `user:${v}`, relation: 'memory:n', value, source: 'agent:s', confidence: 1 };
      await node.facts.append({ ...draft, scope: 'local' }, writer);
    }
  });
  afterEach(() => node.stop());

  it('is read newest first, in successive pages', async () => {
    const first = await ledger.events(admin, { eventType: 'fact_written' }, { limit: 2 });
    expect(first).to.include({ total: 3, more: true });
    const rest = await ledger.events(admin, { entityUri: 'agent:writer' }, { beforeSeq: first.events[1]?.seq });
    expect(rest).to.include({ total: 3, more: false });
    const numbers = [...first.events, ...rest.events].map(({ seq }) => seq);
    expect(numbers)
      .to.have.lengthOf(3)
      .and.deep.equal([...numbers].sort((a, b) => b - a));
    expect((await ledger.events(admin, { eventType: 'garden_created' })).events).to.deep.equal([]);
  });

  it('is refused to callers without the permission, and for too long pages', async () => {
    expect(await rejection(ledger.events(writer, {}))).to.include({ code: 'authorization', status: 403 });
    expect(await rejection(ledger.events(admin, {}, { limit: 1_001 }))).to.include({ code: 'validation' });
  });

  it('contains no event of another tenant', async () => {
    const foreigner = createPrincipal({ permissions: new Set(['admin']), tenantId: 'other' });
    expect(await ledger.events(foreigner, {})).to.deep.equal({ events: [], total: 0, more: false });
  });
});
