import { expect } from 'chai';
import {
  createWorld,
  type FederatedNode,
  PULL_INTERVAL_MS,
  startFederatedNode,
} from '../../kit/federation/federated-node.ts';
import { declareBoth, federationEvents, has, postDeclaration, pullUntil } from '../../kit/federation/peering-steps.ts';
import { feedStamp, jsonAnswer, startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import { forEachStore } from '../../kit/for-each-store.ts';

const SECOND_MS = 1_000;

forEachStore('A node that pulls', () => {
  const world = createWorld();
  const now = (): number => world.clock.nowMs();
  let node: FederatedNode;
  const peers: TestPeer[] = [];
  const newPeer = async (scopes: readonly string[] = ['public']): Promise<TestPeer> => {
    const peer = await startTestPeer({ ...world, nowMs: now, host: `p${peers.length}.test` });
    peers.push(peer);
    await declareBoth(node, peer, { scopes }, { scopes });
    return peer;
  };
  const cursorsOf = (peer: TestPeer): (string | null)[] => peer.pulls.map(({ query }) => query.get('cursor'));

  before(async () => {
    node = await startFederatedNode({ name: 'n', ...world });
  });
  after(async () => {
    await node?.stop();
    for (const peer of peers) await peer.stop();
  });

  it('names a scope, sends a new token each time, and continues from its cursor', async () => {
    const peer = await newPeer();
    peer.feed.push(peer.fact(), peer.fact());
    await pullUntil(node, () => has(node, peer.feed[1]?.id ?? ''));
    await pullUntil(node, () => cursorsOf(peer).filter((cursor) => cursor === feedStamp(1)).length >= 2);
    const first = peer.pulls[0]?.query;
    expect(first?.get('scope')).to.equal('public');
    expect(first?.get('cursor') ?? null).to.equal(null);
    const last = peer.pulls.at(-1)?.query;
    expect(last?.get('since_hlc')).to.equal(last?.get('cursor'));
    const tokens = peer.pulls.map(({ token }) =>
      JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()),
    );
    expect(new Set(tokens.map(({ nonce }) => nonce)).size).to.equal(tokens.length);
    for (const claims of tokens) {
      expect(claims).to.include({ iss: node.nodeId, sub: peer.nodeId });
      expect(claims.exp - claims.iat).to.be.within(1, 3_600_000);
    }
  });

  it('reads the next page at once, and otherwise pulls once per interval', async () => {
    const peer = await newPeer();
    peer.feed.push(...Array.from({ length: 1_200 }, () => peer.fact()));
    await pullUntil(node, () => has(node, peer.feed[1_199]?.id ?? ''));
    const [asked, sinceMs] = [peer.pulls.length, now()];
    await pullUntil(node, () => peer.pulls.length - asked >= 3);
    const intervals = (now() - sinceMs) / PULL_INTERVAL_MS;
    // One more pull may have been under way before.
    expect(peer.pulls.length - asked).to.be.at.most(intervals + 1);
  });

  it('pulls each scope separately, and starts a newly granted scope from the beginning', async () => {
    const peer = await newPeer();
    const [open, closed] = [peer.fact(), peer.fact({ scope: 'company' })];
    peer.feed.push(closed, open);
    await pullUntil(node, () => has(node, open.id));
    expect(await has(node, closed.id)).to.equal(false);
    await world.clock.advance(SECOND_MS);
    const scopes = { allowed_scopes: ['public', 'company'] };
    await postDeclaration(node, node.identity.declare(peer.nodeId, scopes));
    await postDeclaration(node, peer.declare(node.nodeId, scopes));
    await pullUntil(node, () => has(node, closed.id));
  });

  it('refuses facts outside the requested scope', async () => {
    const peer = await newPeer();
    const [wrong, right] = [peer.fact({ scope: 'company' }), peer.fact()];
    peer.answerPull = () => jsonAnswer({ facts: [wrong, right], cursor: feedStamp(0), has_more: false, epoch: 'e' });
    await pullUntil(node, () => has(node, right.id));
    expect(await has(node, wrong.id)).to.equal(false);
    await pullUntil(node, async () => (await federationEvents(node, 'scope_violation')).length > 0);
  });

  it('refuses a cursor beyond the permitted time range', async () => {
    const peer = await newPeer();
    const [lure, later] = [peer.fact(), peer.fact()];
    peer.answerPull = () => jsonAnswer({ facts: [lure], cursor: '9999999999999.0', has_more: false, epoch: 'epoch-1' });
    await pullUntil(node, () => has(node, lure.id));
    await world.clock.advance(3 * SECOND_MS);
    peer.feed.push(later);
    peer.answerPull = (request) => {
      const cursor = new URLSearchParams(request.query).get('cursor') ?? '0.0';
      const facts = Number(cursor.split('.')[0]) < Number(feedStamp(0).split('.')[0]) ? [later] : [];
      return jsonAnswer({ facts, cursor: feedStamp(0), has_more: false, epoch: 'epoch-1' });
    };
    await pullUntil(node, () => has(node, later.id));
    expect(cursorsOf(peer)).not.to.include('9999999999999.0');
  });

  it('does not loop endlessly on a peer that always has another page', async () => {
    const peer = await newPeer();
    peer.answerPull = (request) =>
      jsonAnswer({ facts: [], cursor: new URLSearchParams(request.query).get('cursor'), has_more: true, epoch: 'e' });
    await pullUntil(node, () => peer.pulls.length > 0);
    const asked = peer.pulls.length;
    for (let n = 0; n < 5; n += 1) await world.clock.advance(SECOND_MS);
    expect(peer.pulls.length - asked).to.be.at.most(6);
  });

  it('starts from the beginning after an epoch change', async () => {
    const peer = await newPeer();
    peer.feed.push(peer.fact(), peer.fact(), peer.fact());
    await pullUntil(node, () => cursorsOf(peer).includes(feedStamp(2)));
    const restored = peer.fact();
    peer.feed.splice(1, 2, restored);
    peer.epoch = 'epoch-2';
    await pullUntil(node, () => has(node, restored.id));
  });

  it('reads the same millisecond again from a peer without epochs', async () => {
    const peer = await newPeer();
    const [first, second] = [peer.fact(), peer.fact()];
    peer.answerPull = () => jsonAnswer({ facts: [first, second], cursor: `${now() - 5_000}.7`, has_more: false });
    const wall = now() - 5_000;
    await pullUntil(node, () => has(node, second.id));
    peer.answerPull = () => jsonAnswer({ facts: [], cursor: `${wall}.7`, has_more: false });
    await pullUntil(node, () => cursorsOf(peer).some((cursor) => cursor === `${wall}.0`));
  });

  it('stores the valid facts of a page with invalid ones, and continues after it', async () => {
    const peer = await newPeer();
    const good = Array.from({ length: 3 }, () => peer.fact());
    const bad = [
      null,
      'text',
      [],
      {},
      { ...peer.fact(), value: { type: 'blob', v: 1 } },
      { ...peer.fact(), confidence: 'high' },
      { ...peer.fact(), confidence: 0.123 },
      { ...peer.fact(), garden_id: 'g' },
    ];
    const last = peer.fact();
    const pages = [[good[0], ...bad.slice(0, 4), good[1], ...bad.slice(4), good[2]], [last]];
    peer.answerPull = (request) => {
      const cursor = new URLSearchParams(request.query).get('cursor');
      const at = cursor === null ? 0 : cursor === feedStamp(0) ? 1 : 2;
      const facts = pages[at] ?? [];
      return jsonAnswer({ facts, cursor: feedStamp(Math.min(at, 1)), has_more: at === 0, epoch: 'e' });
    };
    await pullUntil(node, () => has(node, last.id));
    for (const fact of good) expect(await has(node, fact.id)).to.equal(true);
    await pullUntil(node, async () => (await federationEvents(node, 'rejected_fact')).length > 0);
  });

  it('postpones a fact whose stamp is too far in the future, and stores it later', async () => {
    const peer = await newPeer();
    const [early, next] = [peer.fact({ hlc: `${now() + 400 * SECOND_MS}.0` }), peer.fact()];
    peer.feed.push(early, next);
    await pullUntil(node, () => has(node, next.id));
    expect(await has(node, early.id)).to.equal(false);
    await pullUntil(node, async () => (await federationEvents(node, 'peer_hlc_anomaly')).length > 0);
    const said = await node.say();
    expect(Number(said.hlc.split('.')[0])).to.be.at.most(now() + 5 * SECOND_MS);
    await world.clock.advance(90 * SECOND_MS);
    await pullUntil(node, () => has(node, early.id));
  });

  it('is not delayed by peers that are gone, broken or silent', async () => {
    const [broken, garbled, huge, silent, good] = [
      await newPeer(),
      await newPeer(),
      await newPeer(),
      await newPeer(),
      await newPeer(),
    ];
    broken.answerPull = () => jsonAnswer({}, 500);
    garbled.answerPull = () => jsonAnswer('{"facts":[{"id":');
    huge.answerPull = () => jsonAnswer(`{"facts":["${'x'.repeat(33 * 1024 * 1024)}"]}`);
    silent.answerPull = () => new Promise(() => {});
    good.feed.push(good.fact());
    await pullUntil(node, () => has(node, good.feed[0]?.id ?? ''));
    await world.clock.advance(10 * SECOND_MS);
    good.feed.push(good.fact());
    await pullUntil(node, () => has(node, good.feed[1]?.id ?? ''));
    for (const peer of [broken, garbled, huge]) {
      peer.answerPull = (request) =>
        jsonAnswer({ facts: peer.feed, cursor: feedStamp(0), has_more: false, epoch: request.path });
      peer.feed.push(peer.fact());
    }
    for (const peer of [broken, garbled, huge]) {
      await pullUntil(node, () => has(node, peer.feed[0]?.id ?? ''));
    }
  });

  it('waits as long as a peer asks for, and retries a failing peer less and less often', async () => {
    const [busy, failing] = [await newPeer(), await newPeer()];
    busy.answerPull = () => jsonAnswer({}, 429, { 'Retry-After': '60' });
    failing.answerPull = () => jsonAnswer({}, 503);
    await pullUntil(node, () => busy.pulls.length > 0 && failing.pulls.length > 0);
    const [askedBusy, askedFailing] = [busy.pulls.length, failing.pulls.length];
    for (let n = 0; n < 30; n += 1) await world.clock.advance(SECOND_MS);
    expect(busy.pulls.length - askedBusy).to.be.at.most(8);
    expect(failing.pulls.length - askedFailing).to.be.at.most(8);
  });
});
