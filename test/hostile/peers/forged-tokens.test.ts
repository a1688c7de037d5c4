import { expect } from 'chai';
import { comesTrue } from '../../kit/comes-true.ts';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import { countsOf, declareBoth, pull } from '../../kit/federation/peering-steps.ts';
import { startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { nextClient, TRUSTS_TEST } from '../../kit/next-client.ts';
import { tokenVectors } from './token-vectors.ts';

const CANARY = 'CANARY';

forEachStore('A peer forges tokens (I9, I15)', () => {
  const world = createWorld();
  let node: FederatedNode;
  let peers: TestPeer[];
  before(async () => {
    node = await startFederatedNode({ name: 'n', ...world, node: TRUSTS_TEST });
    peers = await Promise.all(
      ['p.test', 'q.test', 'canary.test'].map((host) =>
        startTestPeer({ ...world, nowMs: () => world.clock.nowMs(), host }),
      ),
    );
    for (const peer of peers.slice(0, 2)) await declareBoth(node, peer);
    await node.say({ value: { type: 'string', v: CANARY } });
  });
  after(async () => {
    await node?.stop();
    for (const peer of peers ?? []) await peer.stop();
  });

  it('in all known ways, and none of the tokens is accepted', async function () {
    this.timeout(300_000);
    const [peer, other, canary] = peers as [TestPeer, TestPeer, TestPeer];
    const vectors = tokenVectors({
      nowMs: world.clock.nowMs(),
      target: node.nodeId,
      peer,
      other,
      nodeKey: node.identity.publicKey,
      canaryUrl: canary.url,
    });
    expect(vectors.length).to.be.at.least(60);
    const before = await countsOf(node, other);
    const body = { facts: [peer.fact()] };
    for (const [title, token] of vectors) {
      const headers = { 'X-Forwarded-For': nextClient() };
      const pulled = await node.request('GET', '/v1/federation/facts', { key: token, headers });
      const pushed = await node.request('POST', '/v1/federation/facts/push', { key: token, headers, body });
      expect([pulled.status, pushed.status], title).to.deep.equal([401, 401]);
      expect(pulled.text + pushed.text, title).not.to.contain(CANARY);
      // The reply must not repeat a token, with one segment or three.
      const payload = token.split('.')[1] ?? '';
      if (payload !== '') expect(pulled.text, title).not.to.contain(payload);
    }
    expect(await countsOf(node, other)).to.deep.equal(before);
    expect(canary.hits).to.deep.equal([]);
    expect((await pull(node, peer)).status).to.equal(200);
  });

  it('with a path, a statement or a URL as the key name, which the node neither opens nor runs', async () => {
    const [peer, , canary] = peers as [TestPeer, TestPeer, TestPeer];
    for (const kid of ['../../x', "' OR 1=1 --", `${canary.url}/key`, 'x'.repeat(500)]) {
      const headers = { 'X-Forwarded-For': nextClient() };
      const token = peer.token(node.nodeId, {}, { kid });
      // The key name changes nothing, because the node uses the pinned key.
      expect((await node.request('GET', '/v1/federation/facts', { key: token, headers })).status).to.be.oneOf([
        200, 401,
      ]);
    }
    expect(canary.hits).to.deep.equal([]);
  });

  it('many times, and the repeated refusals do not delay other peers', async () => {
    const [peer, other] = peers as [TestPeer, TestPeer];
    // All requests come from one address, so most of them are delayed by the clock.
    const refused = Array.from({ length: 30 }, () =>
      node.request('GET', '/v1/federation/facts', { key: peer.token('svc://nobody.test') }),
    );
    const headers = { 'X-Forwarded-For': nextClient() };
    const token = other.token(node.nodeId);
    expect((await node.request('GET', '/v1/federation/facts', { key: token, headers })).status).to.equal(200);
    let isOver = false;
    const all = Promise.all(refused).finally(() => {
      isOver = true;
    });
    await comesTrue(async () => {
      await world.clock.advance(60_000);
      return isOver;
    });
    expect(new Set((await all).map(({ status }) => status))).to.deep.equal(new Set([401]));
  });
});
