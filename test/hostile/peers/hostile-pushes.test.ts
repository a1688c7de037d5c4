import { expect } from 'chai';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import { countsOf, declareBoth, has, push } from '../../kit/federation/peering-steps.ts';
import { startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import type { TestReply } from '../../kit/test-request.ts';
import { brokenDocuments, hostileItems } from './hostile-shapes.ts';

const PER_PUSH = 20;

forEachStore('A peer pushes invalid facts (I20)', () => {
  const world = createWorld();
  let node: FederatedNode;
  let peer: TestPeer;
  let observer: TestPeer;
  before(async () => {
    node = await startFederatedNode({ name: 'n', ...world });
    const nowMs = (): number => world.clock.nowMs();
    peer = await startTestPeer({ ...world, nowMs });
    observer = await startTestPeer({ ...world, nowMs, host: 'observer.test' });
    for (const each of [peer, observer]) await declareBoth(node, each, {}, {});
  });
  after(async () => {
    for (const each of [node, peer, observer]) await each?.stop();
  });
  const send = (body: unknown): Promise<TestReply> =>
    node.request('POST', '/v1/federation/facts/push', { key: peer.token(node.nodeId), body });
  /** Adds valid facts, so that a few invalid ones do not put the peer into quarantine. */
  const pad = async (): Promise<void> => {
    await push(
      node,
      peer,
      Array.from({ length: 200 }, () => peer.fact()),
    );
  };

  it('item by item: each gets its own result, and the valid facts beside it are stored', async function () {
    this.timeout(300_000);
    const items = hostileItems(() => ({ ...peer.fact() })).filter(({ json }) => !UNREADABLE.test(json));
    for (let at = 0; at < items.length; at += PER_PUSH) {
      await pad();
      const some = items.slice(at, at + PER_PUSH);
      const good = peer.fact();
      const text = `{"facts":[${[...some.map(({ json }) => json), JSON.stringify(good)].join(',')}]}`;
      const reply = await send(text);
      const titles = some.map(({ name }) => name).join('; ');
      expect(reply.status, `${titles}: ${reply.text}`).to.equal(202);
      expect(reply.body.accepted + reply.body.rejected, titles).to.equal(some.length + 1);
      expect(await has(node, good.id), titles).to.equal(true);
      for (const { error } of reply.body.errors) expect(error, titles).not.to.equal('ingest_error');
      const harmless = some.filter(({ name }) => HARMLESS.test(name)).length;
      expect(reply.body.accepted, `${titles}: ${reply.text}`).to.be.within(1, 1 + harmless);
    }
  });

  it('with text or a number that the node cannot represent, which fails the whole push', async () => {
    const items = hostileItems(() => ({ ...peer.fact() })).filter(({ json }) => UNREADABLE.test(json));
    expect(items.length).to.be.at.least(5);
    for (const { name, json } of items) {
      const good = peer.fact();
      const { status } = await send(`{"facts":[${json},${JSON.stringify(good)}]}`);
      expect(status, name).to.be.oneOf([202, 400, 422]);
      expect(await has(node, good.id), name).to.equal(status === 202);
    }
  });

  it('as invalid documents, which change nothing', async () => {
    const before = await countsOf(node, observer);
    const right = JSON.stringify({ facts: [peer.fact()] });
    for (const [title, document] of brokenDocuments(right)) {
      const { status } = await send(document);
      expect(status, title).to.be.oneOf([400, 422]);
    }
    for (const text of ['{"facts":[],"facts":[]}', right.replace('{"id"', '{"id":"x","id"')]) {
      expect((await send(text)).status).to.equal(400);
    }
    expect(await countsOf(node, observer)).to.deep.equal(before);
  });

  it('with names of JavaScript prototypes, and no object gets new properties', async () => {
    const fact = JSON.stringify(peer.fact());
    for (const member of ['"__proto__":{"scope":"company"}', '"constructor":{"prototype":{"admin":true}}']) {
      const reply = await send(`{"facts":[${fact.replace('{', `{${member},`)}]}`);
      expect(reply.status).to.be.oneOf([202, 400, 422]);
    }
    expect(({} as Record<string, unknown>)['admin']).to.equal(undefined);
    const reader = await node.addKey({ permissions: ['read'] });
    expect((await node.request('GET', '/v1/federation/peers', { key: reader })).status).to.equal(403);
  });
});

/** Matches U+0000, lone surrogates, and integers that no double holds. */
const UNREADABLE = /\\u0000|\\ud800|9007199254740993/;

/** Matches harmless deviations of a newer or careless node. */
const HARMLESS =
  /^(valid_from|valid_until|origin_node_id|origin_proof|derived_from|cid|timestamp) = |= "\s|confidence = 1e308/;
