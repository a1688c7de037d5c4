import { expect } from 'chai';
import {
  ALL_PERMISSIONS,
  createWorld,
  type FederatedNode,
  startFederatedNode,
} from '../../kit/federation/federated-node.ts';
import type { Document } from '../../kit/federation/peer-identity.ts';
import { declareBoth, pull, push } from '../../kit/federation/peering-steps.ts';
import { startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import { forEachStore } from '../../kit/for-each-store.ts';

const PEERS = '/v1/federation/peers';

forEachStore('A node id that several tenants claim', () => {
  const world = createWorld();
  const nowMs = (): number => world.clock.nowMs();
  let node: FederatedNode;
  let peer: TestPeer;
  let impostor: TestPeer;
  before(async () => {
    node = await startFederatedNode({ name: 'n', ...world, settings: { 'multi-tenant': { enabled: true } } });
    peer = await startTestPeer({ ...world, nowMs, host: 'p.test' });
    impostor = await startTestPeer({ ...world, nowMs, host: 'evil.test', nodeId: peer.nodeId, keyName: 'evil' });
  });
  after(async () => {
    await node?.stop();
    await peer?.stop();
    await impostor?.stop();
  });

  const tenantKey = (tenantId: string): Promise<string> =>
    node.addKey({ tenantId, entityUri: 'agent:me', permissions: ALL_PERMISSIONS });
  const ask = async (key: string, method: string, target: string, body?: unknown): Promise<Document> => {
    const reply = await node.request(method, target, { key, ...(body === undefined ? {} : { body }) });
    expect(reply.status, reply.text).to.be.within(200, 299);
    return reply.body;
  };
  const fact = { entity: 'user:x', relation: 'memory:x', value: { type: 'string', v: 'south' }, source: 'agent:s' };

  it('belongs to the tenant whose peering holds the key, and no tenant learns of the others', async () => {
    const south = await tenantKey('south');
    await ask(south, 'POST', PEERS, node.identity.declare(peer.nodeId));
    const claim = impostor.declare(node.nodeId, { node_url: impostor.url });
    expect((await ask(south, 'POST', PEERS, claim))['status']).to.equal('active');
    const west = await tenantKey('west');
    await ask(west, 'POST', PEERS, peer.declare(node.nodeId, { node_url: 'https://nowhere.test' }));
    const peerId = await declareBoth(node, peer);
    const ours = await node.say({});
    const theirs = await ask(south, 'POST', '/v1/facts', { ...fact, scope: 'public' });
    const served = async (one: TestPeer) => {
      const reply = await pull(node, one);
      expect(reply.status, reply.text).to.equal(200);
      return reply.body.facts.map(({ id }: { id: string }) => id);
    };
    expect(await served(peer)).to.deep.equal([ours.id]);
    expect(await served(impostor)).to.deep.equal([theirs['id']]);
    const said = peer.fact();
    expect((await push(node, peer, [said])).body).to.deep.include({ accepted: 1 });
    expect((await node.get(`/v1/facts/${said.id}`)).status).to.equal(200);
    expect((await node.request('GET', `/v1/facts/${said.id}`, { key: south })).status).to.equal(404);
    for (const key of [south, west]) {
      const { peers } = (await ask(key, 'GET', PEERS)) as { peers: { peer_id: string }[] };
      expect(peers).to.have.length(1);
      expect(peers[0]?.peer_id).not.to.equal(peerId);
    }
    expect((await pull(node, peer, '', { nonce: 'short' })).status).to.equal(401);
    const { entries } = (await ask(west, 'GET', '/v1/federation/audit')) as { entries: Document[] };
    expect(entries).to.deep.equal([]);
  });

  it('tells a tenant with an unverified claim nothing of the tokens of that node', async () => {
    const other = await startTestPeer({ ...world, nowMs, host: 'o.test' });
    const east = await tenantKey('east');
    await ask(east, 'POST', PEERS, node.identity.declare(other.nodeId));
    await ask(east, 'POST', PEERS, other.declare(node.nodeId, { node_url: 'https://nowhere.test' }));
    expect((await pull(node, other)).body).to.include({ status: 401, code: 'peer_not_approved' });
    const { entries } = (await ask(east, 'GET', '/v1/federation/audit')) as { entries: Document[] };
    expect(entries).to.deep.equal([]);
    await declareBoth(node, other);
    expect((await pull(node, other)).status).to.equal(200);
    await other.stop();
  });

  it('gets nothing by the declaration that another tenant made, unless an administrator posts it (I14)', async () => {
    const target = await startTestPeer({ ...world, nowMs, host: 't.test' });
    const north = await tenantKey('north');
    const body = { peer: target.nodeId, allowed_scopes: ['company', 'public'] };
    const { declaration } = await ask(north, 'POST', '/v1/federation/declarations', body);
    const clerk = await node.addKey({ entityUri: 'agent:clerk', permissions: ['federate'] });
    const post = (key: string) => node.request('POST', PEERS, { key, body: declaration });
    expect((await post(clerk)).status).to.equal(403);
    const { peers } = (await ask(node.key, 'GET', PEERS)) as { peers: { node_id: string }[] };
    expect(peers.map(({ node_id }) => node_id)).not.to.include(target.nodeId);
    expect((await post(node.key)).status).to.equal(201);
    await target.stop();
  });
});
