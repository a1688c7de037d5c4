import { expect } from 'chai';
import {
  ALL_PERMISSIONS,
  createWorld,
  type FederatedNode,
  startFederatedNode,
} from '../../kit/federation/federated-node.ts';
import type { Document } from '../../kit/federation/peer-identity.ts';
import { declareBoth, drain, push } from '../../kit/federation/peering-steps.ts';
import { startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import { forEachStore } from '../../kit/for-each-store.ts';

const PEERS = '/v1/federation/peers';
const TRIPLE = { entity: 'user:x', relation: 'memory:x', source: 'agent:s', scope: 'public' };

forEachStore('A peer brings a fact of one tenant to another tenant of the same node', () => {
  const world = createWorld();
  const nowMs = (): number => world.clock.nowMs();
  let node: FederatedNode;
  let southern: TestPeer;
  let peer: TestPeer;
  let south: string;
  /** Starts the node with an empty store, and peers one node with each tenant. */
  const start = async (): Promise<void> => {
    node = await startFederatedNode({ name: 'n', ...world, settings: { 'multi-tenant': { enabled: true } } });
    south = await node.addKey({ tenantId: 'south', entityUri: 'agent:me', permissions: ALL_PERMISSIONS });
    await ask(south, PEERS, node.identity.declare(southern.nodeId));
    await ask(south, PEERS, southern.declare(node.nodeId));
    await declareBoth(node, peer);
  };
  beforeEach(async () => {
    southern = await startTestPeer({ ...world, nowMs, host: 's.test' });
    peer = await startTestPeer({ ...world, nowMs, host: 'p.test' });
    await start();
  });
  afterEach(async () => {
    await node.stop();
    await southern.stop();
    await peer.stop();
  });

  const ask = async (key: string, target: string, body: unknown): Promise<Document> => {
    const reply = await node.request('POST', target, { key, body });
    expect(reply.status, reply.text).to.be.within(200, 299);
    return reply.body;
  };

  it('and the node takes it for no fact of that tenant, so it ends nothing there (I14)', async () => {
    const ours = await node.say({ ...TRIPLE, value: { type: 'string', v: 'ours' } });
    await world.clock.advance(1_000);
    await ask(south, '/v1/facts', { ...TRIPLE, value: { type: 'string', v: 'theirs' }, confidence: 0 });
    const [signed] = (await drain(node, southern)).facts;
    const { body } = await push(node, peer, [{ ...signed, origin_node_id: node.nodeId }]);
    expect(body.errors).to.deep.equal([{ fact_id: signed?.id, error: 'source_not_owned' }]);
    const { facts } = (await node.get('/v1/facts?entity=user:x')).body;
    expect(facts.map(({ id }: Document) => id)).to.deep.equal([ours.id]);
  });

  it('and only the tenant that said it gets it back after the node has lost its store', async () => {
    const said = await ask(south, '/v1/facts', { ...TRIPLE, value: { type: 'string', v: 'theirs' } });
    const [signed] = (await drain(node, southern)).facts;
    const returned = { ...signed, origin_node_id: node.nodeId };
    await node.stop();
    await world.clock.advance(1_000);
    await start();
    const refused = [{ fact_id: said['id'], error: 'source_not_owned' }];
    expect((await push(node, peer, [returned])).body).to.deep.include({ accepted: 0, errors: refused });
    expect((await push(node, southern, [returned])).body).to.deep.include({ accepted: 1, errors: [] });
    const reply = await node.request('GET', `/v1/facts/${said['id']}`, { key: south });
    expect(reply.body).to.include({ id: said['id'], received_from: southern.nodeId });
  });
});
