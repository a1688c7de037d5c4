import { expect } from 'chai';
import { NodeSelf, nodePrincipal } from '../../../../kernel/plugin-api.ts';
import { PeerLags } from '../../../../plugins/federation/federation-api.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { createWorld, type FederatedNode, startFederatedNode } from '../../../kit/federation/federated-node.ts';
import { declareBoth, has, peerUp, pullUntil } from '../../../kit/federation/peering-steps.ts';
import { startTestPeer } from '../../../kit/federation/test-peer.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { rejection } from '../../../kit/rejection.ts';

forEachStore('the lag between two nodes', () => {
  let world: ReturnType<typeof createWorld>;
  let a: FederatedNode;
  let b: FederatedNode;
  beforeEach(async () => {
    world = createWorld();
    a = await startFederatedNode({ name: 'alpha', ...world });
    b = await startFederatedNode({ name: 'beta', ...world });
  });
  afterEach(async () => {
    await a.stop();
    await b.stop();
  });

  const peerIdOf = async (node: FederatedNode): Promise<string> =>
    (await node.get('/v1/federation/peers')).body.peers[0].peer_id;
  const lagOf = async (node: FederatedNode) =>
    (await node.get(`/v1/federation/peers/${await peerIdOf(node)}/lag`)).body;

  it('is reported for each scope and direction', async () => {
    const fact = await a.say();
    await peerUp(a, b, { scopes: ['public', 'company'] });
    await pullUntil(a, () => has(b, fact.id));
    await pullUntil(a, async () => {
      const { inbound } = await lagOf(b);
      return inbound.length === 2 && inbound.every((lag: Record<string, unknown>) => lag['last_success'] !== null);
    });
    await pullUntil(a, async () => {
      const { outbound } = await lagOf(a);
      return outbound.every((lag: Record<string, unknown>) => lag['cursor'] !== null && lag['lag_facts'] === 0);
    });
    const behind = await lagOf(b);
    expect(behind).to.deep.include({
      node_id: a.nodeId,
      status: 'active',
      facts_today: 1,
      facts_per_day: 10_000_000,
      quarantined_until: null,
    });
    for (const lag of behind.inbound) {
      expect(lag).to.deep.include({ last_error: null, failures: 0, parked: 0, lag_facts: 0 });
      expect(lag.lag_seconds).to.be.within(0, 5);
      expect(lag.cursor).to.match(/^[0-9]{13}\.[0-9]+$/);
    }
    world.network.partition(a.url, b.url);
    await a.say();
    await a.say({ scope: 'company' });
    await a.say({ scope: 'team' });
    await world.clock.advance(90_000);
    const served = (await lagOf(a)).outbound as readonly Record<string, unknown>[];
    expect(served.map(({ scope, lag_facts }) => [scope, lag_facts]).sort()).to.deep.equal([
      ['company', 1],
      ['public', 1],
    ]);
    for (const lag of served) expect(lag['lag_seconds']).to.be.within(85, 95);
    await comesTrue(async () => {
      await world.clock.advance(1_000);
      const { inbound } = await lagOf(b);
      return inbound.every(({ failures }: { failures: number }) => failures > 0);
    });
    for (const lag of (await lagOf(b)).inbound) {
      expect(lag.last_error).to.equal('the peer did not reply, or not within the limits of time and size');
      expect(lag.lag_seconds).to.be.above(80);
    }
  });

  it('includes the number of remaining facts that the peer reports', async () => {
    const peer = await startTestPeer({ network: world.network, nowMs: () => world.clock.nowMs() });
    const peerId = await declareBoth(a, peer);
    peer.answerPull = () => ({
      status: 200,
      headers: { 'Content-Type': 'application/json', 'Svc-Remaining': '700' },
      body: JSON.stringify({ facts: [], cursor: null, has_more: true, epoch: 'e' }),
    });
    await pullUntil(a, async () => {
      const { inbound } = (await a.get(`/v1/federation/peers/${peerId}/lag`)).body;
      return inbound[0]?.lag_facts === 700;
    });
    const { inbound } = (await a.get(`/v1/federation/peers/${peerId}/lag`)).body;
    expect(inbound[0]).to.deep.include({ lag_seconds: null, cursor: null });
  });

  it('is visible only to callers who may administer peers, and only for known peers', async () => {
    await peerUp(a, b);
    const peerId = await peerIdOf(a);
    const target = `/v1/federation/peers/${peerId}/lag`;
    expect((await a.request('GET', target)).status).to.equal(401);
    expect((await a.request('GET', target, { key: await a.addKey() })).status).to.equal(403);
    expect((await a.get('/v1/federation/peers/nobody/lag')).status).to.equal(404);
    const stranger = nodePrincipal(a.kernel.get(NodeSelf).names, 'other');
    const refusal = await rejection(a.kernel.get(PeerLags).of(stranger, peerId));
    expect(refusal).to.have.property('code', 'lookup');
  });
});
