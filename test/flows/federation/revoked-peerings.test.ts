import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { comesTrue } from '../../kit/comes-true.ts';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import { createPeerIdentity, type Document } from '../../kit/federation/peer-identity.ts';
import {
  declareBoth,
  federationEvents,
  postDeclaration,
  pull,
  push,
  refusalOf,
} from '../../kit/federation/peering-steps.ts';
import { jsonAnswer, startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import { forEachStore } from '../../kit/for-each-store.ts';

forEachStore('A revoked peering', () => {
  const world = createWorld();
  const { clock, network } = world;
  let node: FederatedNode;
  const peers: TestPeer[] = [];
  const newPeer = async (): Promise<TestPeer> => {
    const peer = await startTestPeer({ network, nowMs: () => clock.nowMs(), host: `p${peers.length}.test` });
    peers.push(peer);
    return peer;
  };
  const rowOf = async (peer: { readonly nodeId: string }): Promise<Document | undefined> =>
    (await node.get('/v1/federation/peers')).body.peers.find(
      ({ node_id }: { readonly node_id: string }) => node_id === peer.nodeId,
    );

  before(async () => {
    node = await startFederatedNode({ name: 'n', ...world });
  });
  after(async () => {
    await node?.stop();
    for (const peer of peers) await peer.stop();
  });

  it('exchanges nothing from then on, and starts over with newer declarations', async () => {
    const peer = await newPeer();
    const peerId = await declareBoth(node, peer);
    const path = `/v1/federation/peers/${peerId}`;
    const federate = await node.addKey({ permissions: ['federate'] });
    expect((await node.request('DELETE', path, { key: federate })).status).to.equal(403);
    expect((await node.request('DELETE', `/v1/federation/peers/${randomUUID()}`, { key: node.key })).status).to.equal(
      404,
    );
    expect((await node.request('DELETE', path, { key: node.key })).status).to.equal(204);
    expect(refusalOf(await pull(node, peer))).to.include({ status: 401, code: 'peer_not_approved' });
    const pulled = peer.pulls.length;
    await clock.advance(30_000);
    expect(peer.pulls.length).to.equal(pulled);
    expect((await federationEvents(node, 'peer_revoked'))[0]).to.include({ peer_id: peerId });
    expect((await rowOf(peer))?.['status']).to.equal('revoked');
    await declareBoth(node, peer);
    expect((await pull(node, peer)).status).to.equal(200);
  });

  it('lets no relay sign facts of the revoked node, not even before its next declaration is verified (I14)', async () => {
    const [peer, relay] = [await newPeer(), await newPeer()];
    const peerId = await declareBoth(node, peer);
    await declareBoth(node, relay);
    await node.request('DELETE', `/v1/federation/peers/${peerId}`, { key: node.key });
    await clock.advance(1_000);
    peer.answerMetadata = () => jsonAnswer({}, 503);
    const other = createPeerIdentity(peer.nodeId, () => clock.nowMs(), 'another key');
    for (const declaration of [node.identity.declare(peer.nodeId), other.declare(node.nodeId)]) {
      expect((await postDeclaration(node, declaration)).body.status).to.equal('pending_verification');
      const forged = { ...relay.fact(), origin_node_id: peer.nodeId };
      const facts = [
        { ...forged, origin_proof: relay.prove(forged) },
        { ...peer.fact(), origin_node_id: peer.nodeId },
      ];
      const { body } = await push(node, relay, facts);
      expect(body.errors).to.deep.equal([{ fact_id: forged.id, error: 'invalid_origin_proof' }]);
      expect(body.accepted).to.equal(1);
    }
    peer.answerMetadata = () =>
      jsonAnswer({ ...peer.metadata, federation_pubkey: other.publicKey, federation_keys: undefined });
    await comesTrue(async () => {
      await clock.advance(30_000);
      return (await rowOf(peer))?.['status'] === 'active';
    });
    expect((await pull(node, other)).status).to.equal(200);
    expect((await pull(node, peer)).status).to.equal(401);
  });
});
