import { expect } from 'chai';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import { createPeerIdentity, type Document } from '../../kit/federation/peer-identity.ts';
import { postDeclaration, pull, refusalOf } from '../../kit/federation/peering-steps.ts';
import { startTestPeer } from '../../kit/federation/test-peer.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import type { TestReply } from '../../kit/test-request.ts';

forEachStore('A pairing of two nodes by a code', () => {
  const world = createWorld();
  const { clock, network } = world;
  let here: FederatedNode;
  let there: FederatedNode;
  before(async () => {
    here = await startFederatedNode({ name: 'here', ...world });
    there = await startFederatedNode({ name: 'there', ...world });
  });
  after(async () => {
    await here?.stop();
    await there?.stop();
  });

  const declare = (node: FederatedNode, body: Document, key = node.key): Promise<TestReply> =>
    node.request('POST', '/v1/federation/declarations', { key, body });
  const take = (node: FederatedNode, declaration: unknown, code: string): Promise<TestReply> =>
    node.request('POST', `/v1/federation/peers?code=${encodeURIComponent(code)}`, { key: node.key, body: declaration });
  const statusesAt = async (node: FederatedNode): Promise<readonly string[]> =>
    (await node.get('/v1/federation/peers')).body.peers.map(({ status }: { readonly status: string }) => status);

  it('takes a declaration by its code on each side, and exchanges nothing until both are taken', async () => {
    await there.say({ value: { type: 'string', v: 'kept until both agree' } });
    const ours = await declare(here, { peer: 'https://there.test', allowed_scopes: ['public', 'company'] });
    expect(ours.status, ours.text).to.equal(201);
    expect(ours.body).to.include({ node_id: there.nodeId, status: 'pending_verification' });
    expect(ours.body.code).to.match(/^\d{5}( \d{5}){4}$/);
    expect(ours.body.declaration).to.deep.include({ declaring_node_id: here.nodeId, target_node_id: there.nodeId });
    expect((await take(there, ours.body.declaration, ours.body.code)).body.status).to.equal('pending_verification');
    expect(refusalOf(await pull(there, here.identity)).code).to.equal('peer_not_approved');
    const theirs = await declare(there, { peer: 'https://here.test' });
    expect(theirs.body.status).to.equal('active');
    expect(await statusesAt(here), 'the other side has not agreed yet').to.deep.equal(['pending_verification']);
    const spelled = theirs.body.code.replaceAll(' ', '-');
    expect((await take(here, theirs.body.declaration, spelled)).body.status).to.equal('active');
    expect((await pull(there, here.identity)).body.facts).to.have.lengthOf(1);
  });

  it('refuses a declaration with another code before its node is asked, and changes nothing', async () => {
    const before = await statusesAt(here);
    const peer = await startTestPeer({ network, nowMs: () => clock.nowMs(), host: 'mallory.test' });
    try {
      const declaration = peer.declare(here.nodeId, { federation_pubkey: peer.publicKey });
      for (const code of ['11111 22222 33333 44444 55555', '1', 'no digits']) {
        const refused = await take(here, declaration, code);
        expect(refusalOf(refused)).to.include({ status: 422, code: 'invalid_signature' });
        expect(refused.text).to.contain('another code');
      }
      expect(peer.hits).to.deep.equal([]);
      expect(await statusesAt(here)).to.deep.equal(before);
      expect((await postDeclaration(here, declaration)).status, 'without a code').to.equal(201);
    } finally {
      await peer.stop();
    }
  });

  it('takes an id that looks like an address once a node with this id has declared itself', async () => {
    const { nodeId, publicKey, declare: signed } = createPeerIdentity('beta.example', () => clock.nowMs());
    expect(refusalOf(await declare(here, { peer: nodeId })).status).to.equal(422);
    const theirs = await postDeclaration(
      here,
      signed(here.nodeId, { federation_pubkey: publicKey, node_url: 'https://beta.example' }),
    );
    expect(theirs.status, theirs.text).to.equal(201);
    const ours = await declare(here, { peer: nodeId });
    expect(ours.status, ours.text).to.equal(201);
    expect(ours.body).to.include({ node_id: nodeId, peer_id: theirs.body.peer_id });
  });

  it('gives every declaration a code of its own', async () => {
    const one = await declare(here, { peer: 'svc://later.test' });
    await clock.advance(1);
    const other = await declare(here, { peer: 'svc://later.test' });
    expect(one.body.code).to.not.equal(other.body.code);
    expect(refusalOf(await take(there, one.body.declaration, other.body.code)).status).to.equal(422);
  });

  it('is begun by administrators, and says why another node cannot be asked', async () => {
    for (const permissions of [['federate'], ['read', 'write'], ['admin']] as const) {
      const key = await here.addKey({ permissions: [...permissions] });
      expect((await declare(here, { peer: 'https://there.test' }, key)).status, String(permissions)).to.equal(403);
    }
    const silent = await declare(here, { peer: 'https://nobody.test' });
    expect(silent.status).to.equal(422);
    expect(silent.text).to.contain('could not be asked who it is');
    for (const peer of ['', ' ', 'https://user:secret@there.test', 'x'.repeat(300), here.nodeId]) {
      expect((await declare(here, { peer })).status, peer).to.equal(422);
    }
  });
});
