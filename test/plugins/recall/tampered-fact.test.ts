import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { tamper } from '../../kit/tamper.ts';

forEachStore('a recall of a fact that was changed directly in the store', () => {
  let node: TestNode;
  let key: string;
  beforeEach(async () => {
    node = await startTestNode({
      plugins: ['keys', 'facts', 'fact-chain', 'recall', 'audit', 'search'],
    });
    key = await node.addKey({ permissions: ['read', 'write', 'audit.read'] });
    const body = {
      entity: 'user:a',
      relation: 'memory:note',
      value: { type: 'text', v: 'zeppelin' },
      source: 'agent:s',
    };
    expect((await node.request('POST', '/v1/facts', { key, body })).status).to.equal(201);
    await tamper(node, `UPDATE facts SET value_v = 'zeppelin, changed'`);
  });
  afterEach(() => node.stop());

  const recall = (headers = {}) =>
    node.request('POST', '/v1/recall', { key, headers, body: { query: 'zeppelin', token_budget: 500 } });

  it('leaves the changed fact out', async () => {
    const { status, body } = await recall();
    expect([status, body.facts, body.total_scored]).to.deep.equal([200, [], 0]);
  });

  it('is refused if it must prove the chain', async () => {
    const { status, body } = await recall({ 'Svc-Verify': 'full' });
    expect([status, body.code]).to.deep.equal([409, 'fact_chain_mismatch']);
  });
});
