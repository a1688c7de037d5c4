import { expect } from 'chai';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import { declareBoth, has, postDeclaration, push } from '../../kit/federation/peering-steps.ts';
import { startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import { forEachStore } from '../../kit/for-each-store.ts';

forEachStore('A node id in another spelling', () => {
  const world = createWorld();
  const nowMs = () => world.clock.nowMs();
  let node: FederatedNode;
  let origin: TestPeer;
  let relay: TestPeer;
  before(async () => {
    node = await startFederatedNode({ name: 'n', ...world });
    origin = await startTestPeer({ ...world, nowMs, host: 'origin.test' });
    relay = await startTestPeer({ ...world, nowMs, host: 'relay.test' });
    await declareBoth(node, origin);
    await declareBoth(node, relay);
  });
  after(async () => {
    await Promise.all([node, origin, relay].map((one) => one?.stop()));
  });

  it('does not let a relay assert in the name of a known node', async () => {
    const { origin_proof: proof, ...bare } = relay.fact({ origin_node_id: 'SVC://Origin.test' });
    const { body } = await push(node, relay, [bare, { ...relay.fact(), origin_node_id: 'svc://ORIGIN.test' }]);
    expect(body.errors.map(({ error }: { error: string }) => error)).to.deep.equal([
      'invalid_origin_proof',
      'invalid_origin_proof',
    ]);
    expect(proof).to.be.an('object');
    expect(await has(node, bare.id)).to.equal(false);
  });

  it('adds no peer for a stranger whose name resembles that of this node', async () => {
    const twin = await startTestPeer({ ...world, nowMs, host: 'twin.test', nodeId: 'SVC://N.test' });
    const { status, body } = await postDeclaration(node, twin.declare(node.nodeId, { node_url: twin.url }));
    expect([status, body.errors?.[0]?.path]).to.deep.equal([422, 'body.declaring_node_id']);
    await twin.stop();
  });

  it('adds no second peer for a known node', async () => {
    await world.clock.advance(1_000);
    const twin = await startTestPeer({ ...world, nowMs, host: 'twin.test', nodeId: 'svc://RELAY.test' });
    const { status, body } = await postDeclaration(node, twin.declare(node.nodeId, { node_url: twin.url }));
    expect([status, body.code]).to.deep.equal([409, 'key_mismatch']);
    await twin.stop();
  });
});
