import { expect } from 'chai';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import { declareBoth, pull } from '../../kit/federation/peering-steps.ts';
import { startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import { forEachStore } from '../../kit/for-each-store.ts';

forEachStore('The lag of a peer', () => {
  const world = createWorld();
  let node: FederatedNode;
  let peer: TestPeer;
  before(async () => {
    node = await startFederatedNode({ name: 'n', ...world });
    peer = await startTestPeer({ ...world, nowMs: () => world.clock.nowMs() });
  });
  after(async () => {
    await node?.stop();
    await peer?.stop();
  });

  it('is returned for any cursor of the peer', async () => {
    const peerId = await declareBoth(node, peer);
    const { hlc } = await node.say();
    const cursor = `${hlc.split('.')[0]}.${2 ** 31 - 1}`;
    expect((await pull(node, peer, `since_hlc=${cursor}`)).status).to.equal(200);
    const { status, text } = await node.get(`/v1/federation/peers/${peerId}/lag`);
    expect(status, text).to.equal(200);
  });

  it('is not found for an id that no store holds', async () => {
    expect((await node.get('/v1/federation/peers/a%00b/lag')).status).to.be.within(400, 404);
  });
});
