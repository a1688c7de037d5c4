import { expect } from 'chai';
import type { DefaultPermission } from '../../kit/all-permissions.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

forEachStore('A reader requests a proof in order to count hidden writes (I13)', () => {
  let node: TestNode;
  let writer: string;
  beforeEach(async () => {
    node = await startTestNode({ plugins: ['keys', 'facts', 'fact-chain', 'recall', 'audit', 'search'] });
    writer = await node.addKey();
  });
  afterEach(() => node.stop());

  const say = (v: string, scope: string) =>
    node.request('POST', '/v1/facts', {
      key: writer,
      body: { entity: 'user:a', relation: 'memory:note', value: { type: 'text', v }, source: 'agent:s', scope },
    });
  const proofFor = async (permissions: readonly DefaultPermission[]) => {
    const key = await node.addKey({ permissions, scopes: ['public'] });
    const reply = await node.request('POST', '/v1/recall', {
      key,
      body: { query: 'harbour', token_budget: 200 },
      headers: { 'Svc-Verify': 'full' },
    });
    expect(reply.status, reply.text).to.equal(200);
    return reply.body.chain_proof;
  };

  it('and gets no proof: only a key that may read all counted facts gets one', async () => {
    await say('the harbour', 'public');
    expect(await proofFor(['read', 'write'])).to.equal(null);
    await say('hidden from the reader', 'local');
    expect(await proofFor(['read', 'write'])).to.equal(null);
    expect(await proofFor(['read', 'admin'])).to.include({ checked_entries: 2 });
    expect(await proofFor(['read', 'audit.read'])).to.include({ checked_entries: 2 });
  });
});
