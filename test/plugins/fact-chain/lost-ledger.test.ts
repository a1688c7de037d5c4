import { expect } from 'chai';
import { FactStore } from '../../../ports/ports.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTenantsNode, type TenantsNode } from '../multi-tenant/tenants-node.ts';

const VERIFY_INTERVAL_MS = 10_000;

forEachStore('the chain of a tenant whose ledger was deleted from outside', () => {
  let node: TenantsNode;
  beforeEach(async () => {
    node = await startTenantsNode();
  });
  afterEach(() => node.stop());

  const mismatches = (): readonly unknown[] =>
    node.logLines.filter(({ level, fields }) => level === 'error' && fields['plugin'] === 'fact-chain');

  it('is reported as broken, although the store lists the tenant no longer', async () => {
    const store = node.kernel.get(FactStore);
    const acme = await node.create('acme');
    await node.say(acme, 'user:a', 'the first');
    await comesTrue(async () => {
      await node.clock.advance(VERIFY_INTERVAL_MS);
      const [row] = await store.table('fact_chain_checkpoints').where({ tenant_id: 'acme' }).count({ n: '*' });
      return Number(row.n) > 0;
    });
    await node.say(acme, 'user:a', 'the second');
    await store.table('ledgers').where({ tenant_id: 'acme' }).delete();
    await comesTrue(async () => {
      await node.clock.advance(VERIFY_INTERVAL_MS);
      return mismatches().length > 0;
    });
    expect(JSON.stringify(mismatches())).to.include('fact_chain_mismatch');
  });
});
