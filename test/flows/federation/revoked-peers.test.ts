import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import { declareBoth, has, pull, pullUntil, push, refusalOf } from '../../kit/federation/peering-steps.ts';
import { startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import { forEachStore } from '../../kit/for-each-store.ts';

forEachStore('Two processes of one federated node', () => {
  const world = createWorld();
  let folder: string;
  let peer: TestPeer;
  let processes: FederatedNode[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'two-'));
    peer = await startTestPeer({ ...world, nowMs: () => world.clock.nowMs() });
    // A real node has one address behind a load balancer; here each process has its own name on the network.
    processes = [];
    for (const url of ['https://n.test', 'https://n2.test']) {
      processes.push(await startFederatedNode({ name: 'n', ...world, folder, url }));
    }
  });
  afterEach(async () => {
    for (const each of processes) await each.stop();
    await peer.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('both refuse a peer at once when one of them has revoked it (I16)', async () => {
    const [one, two] = processes as [FederatedNode, FederatedNode];
    const peerId = await declareBoth(one, peer);
    for (const each of processes) {
      expect((await pull(each, peer)).status).to.equal(200);
      expect((await push(each, peer, [peer.fact()])).body.accepted).to.equal(1);
    }
    expect((await one.request('DELETE', `/v1/federation/peers/${peerId}`, { key: one.key })).status).to.equal(204);
    expect((await pull(one, peer)).status).to.equal(401);
    // Another process learns about it within one second.
    await world.clock.advance(1_000);
    const unheard = peer.fact();
    for (const each of processes) {
      expect(refusalOf(await pull(each, peer))).to.include({ status: 401, code: 'peer_not_approved' });
      expect((await push(each, peer, [unheard])).status).to.equal(401);
    }
    expect(await has(two, unheard.id)).to.equal(false);
    const pulled = peer.pulls.length;
    await world.clock.advance(60_000);
    expect(peer.pulls.length).to.equal(pulled);
  });

  it('accept a nonce only once in total (I15)', async () => {
    const [one, two] = processes as [FederatedNode, FederatedNode];
    await declareBoth(one, peer);
    expect((await pull(two, peer)).status).to.equal(200);
    for (let turn = 0; turn < 10; turn += 1) {
      const token = peer.token(one.nodeId);
      const replies = await Promise.all(
        [one, two, one, two].map((each) => each.request('GET', '/v1/federation/facts', { key: token })),
      );
      expect(replies.map(({ status }) => status).sort()).to.deep.equal([200, 401, 401, 401]);
      await world.clock.advance(60_000);
    }
  });

  it('store the facts of a peer once, even if both pull', async () => {
    const [one] = processes as [FederatedNode, FederatedNode];
    await declareBoth(one, peer);
    peer.feed.push(...Array.from({ length: 700 }, (_, n) => peer.fact({ relation: 'memory:n', entity: `user:${n}` })));
    await pullUntil(one, () => has(one, peer.feed[699]?.id ?? ''));
    expect((await one.get('/v1/facts?relation=memory:n&limit=1')).body.total).to.equal(700);
    expect((await one.get('/v1/facts?relation=svc:received_from&limit=1')).body.total).to.equal(700);
    const asked = peer.pulls.length;
    for (let n = 0; n < 10; n += 1) await world.clock.advance(1_000);
    expect(peer.pulls.length - asked).to.be.at.most(11);
  });
});
