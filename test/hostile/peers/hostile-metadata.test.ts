import { expect } from 'chai';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import { postDeclaration, pull } from '../../kit/federation/peering-steps.ts';
import { type Answer, jsonAnswer, startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import { forEachStore } from '../../kit/for-each-store.ts';

const MINUTE_MS = 60_000;

forEachStore('A peer publishes invalid metadata (I20)', () => {
  const world = createWorld();
  let node: FederatedNode;
  const peers: TestPeer[] = [];
  const newPeer = async (): Promise<TestPeer> => {
    const peer = await startTestPeer({ ...world, nowMs: () => world.clock.nowMs(), host: `p${peers.length}.test` });
    peers.push(peer);
    return peer;
  };
  before(async () => {
    node = await startFederatedNode({ name: 'n', ...world });
  });
  after(async () => {
    await node?.stop();
    for (const peer of peers) await peer.stop();
  });
  const statusOf = async (peer: TestPeer): Promise<string | undefined> =>
    (await node.get('/v1/federation/peers')).body.peers.find(
      ({ node_id }: { readonly node_id: string }) => node_id === peer.nodeId,
    )?.status;

  const answers: readonly (readonly [string, (peer: TestPeer) => Answer])[] = [
    ['another node', (peer) => () => jsonAnswer({ ...peer.metadata, node_id: 'svc://other.test' })],
    ['no node id', (peer) => () => jsonAnswer({ ...peer.metadata, node_id: undefined })],
    ['a node id that is a list', (peer) => () => jsonAnswer({ ...peer.metadata, node_id: [peer.nodeId] })],
    [
      'no key',
      (peer) => () => jsonAnswer({ ...peer.metadata, federation_pubkey: undefined, federation_keys: undefined }),
    ],
    ['a key that is too short', (peer) => () => jsonAnswer(keyed(peer, 'AAAA'))],
    ['a key with padding', (peer) => () => jsonAnswer(keyed(peer, `${peer.publicKey}=`))],
    ['a key of low order', (peer) => () => jsonAnswer(keyed(peer, Buffer.alloc(32).toString('base64url')))],
    [
      'the key twice',
      (peer) => () => jsonAnswer(JSON.stringify(peer.metadata).replace('{', '{"federation_pubkey":"AAAA",')),
    ],
    ['a document that is null', () => () => jsonAnswer('null')],
    ['a document that is a list', (peer) => () => jsonAnswer([peer.metadata])],
    ['a document that breaks off', (peer) => () => jsonAnswer(JSON.stringify(peer.metadata).slice(0, -1))],
    ['10,000 levels', () => () => jsonAnswer('['.repeat(10_000) + ']'.repeat(10_000))],
    ['more than 64 KiB', (peer) => () => jsonAnswer({ ...peer.metadata, filler: 'x'.repeat(64 * 1024) })],
    ['a redirect to itself', (peer) => () => jsonAnswer({}, 302, { Location: `${peer.url}/.well-known/svc?again` })],
    ['a redirect to another node', () => () => jsonAnswer({}, 301, { Location: `${node.url}/.well-known/svc` })],
    ['nothing', () => () => ({ status: 200, headers: {} })],
    ['that it is not there', () => () => jsonAnswer({}, 404)],
    ['that it is broken', () => () => jsonAnswer({}, 500)],
    ['a page', () => () => ({ status: 200, headers: { 'Content-Type': 'text/html' }, body: '<html></html>' })],
  ];
  for (const [title, make] of answers) {
    it(`${title}, and does not become a peer`, async () => {
      const peer = await newPeer();
      peer.answerMetadata = make(peer);
      await postDeclaration(node, node.identity.declare(peer.nodeId));
      const reply = await postDeclaration(node, peer.declare(node.nodeId));
      expect(reply.status, reply.text).to.be.oneOf([201, 422]);
      expect(reply.body.status).not.to.equal('active');
      await world.clock.advance(3 * MINUTE_MS);
      expect(await statusOf(peer)).not.to.equal('active');
      expect((await pull(node, peer)).status).to.equal(401);
      expect(peer.pulls).to.deep.equal([]);
      expect(peer.hits.every((path) => path === '/.well-known/svc')).to.equal(true);
      expect((await node.request('GET', '/healthz')).status).to.equal(200);
    });
  }

  it('by sending no reply, and no other request waits for it', async () => {
    const peer = await newPeer();
    peer.answerMetadata = () => new Promise(() => {});
    const posted = postDeclaration(node, peer.declare(node.nodeId));
    expect((await node.say()).id).to.be.a('string');
    expect((await node.request('GET', '/healthz')).status).to.equal(200);
    await world.clock.advance(10_000);
    expect((await posted).body).to.include({ status: 'pending_verification' });
  });
});

const keyed = (peer: TestPeer, key: string): unknown => ({
  ...peer.metadata,
  federation_pubkey: key,
  federation_keys: [
    { key_id: 'x', public_key: key, valid_from: '2026-01-01T00:00:00Z', valid_until: null, signed_by: null },
  ],
});
