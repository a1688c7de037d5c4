import { expect } from 'chai';
import { NodeSelf, nodePrincipal } from '../../../../kernel/plugin-api.ts';
import { TombstoneFollows } from '../../../../plugins/tombstones/federation/follow-peer.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { createWorld, type FederatedNode, startFederatedNode } from '../../../kit/federation/federated-node.ts';
import { peerUp } from '../../../kit/federation/peering-steps.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';

const NAMES = ['a', 'b', 'c'];
const SETTINGS = { tombstones: { enabled: true } };
const PLUGINS = [
  ...['audit', 'capability-tokens', 'conflicts', 'facts', 'federation', 'gardens', 'jobs', 'keys', 'node-info'],
  ...['source-trust', 'tombstones'],
];

forEachStore('tombstones that a relay serves', () => {
  const nodes: FederatedNode[] = [];
  const world = createWorld();
  before(async () => {
    for (const name of NAMES) {
      nodes.push(await startFederatedNode({ name, ...world, plugins: PLUGINS, settings: SETTINGS }));
    }
  });
  after(async () => {
    for (const node of nodes) await node.stop();
  });

  const actorOf = (node: FederatedNode) => nodePrincipal(node.kernel.get(NodeSelf).names);
  const follow = async (reader: FederatedNode, issuer: FederatedNode): Promise<string> => {
    const body = {
      issuer: `agent:owner-of-${NAMES[nodes.indexOf(issuer)]}`,
      subject: reader.nodeId,
      verb: 'tombstone:read',
    };
    const { body: capability } = await issuer.request('POST', '/v1/federation/capability-tokens', {
      key: issuer.key,
      body: { ...body, object: 'public' },
    });
    const { peers } = (await reader.get('/v1/federation/peers')).body;
    const { peer_id } = peers.find(({ node_id }: { node_id: string }) => node_id === issuer.nodeId);
    await reader.kernel.get(TombstoneFollows).follow(actorOf(reader), peer_id, capability.token_json);
    return peer_id;
  };
  const has = async (node: FederatedNode, id: string) => (await node.get(`/v1/facts/${id}`)).status === 200;
  const soon = (holds: () => Promise<boolean>) =>
    comesTrue(async () => {
      await world.clock.advance(10_000);
      return holds();
    });

  it('reach also the peer that brought the hidden fact to the relay', async () => {
    const [a, b, c] = nodes as [FederatedNode, FederatedNode, FederatedNode];
    await peerUp(a, b);
    await peerUp(a, c);
    await peerUp(b, c);
    world.network.partition(a.url, b.url);
    const fact = await a.say({ entity: 'user:gone' });
    await soon(async () => (await has(c, fact.id)) && (await has(b, fact.id)));
    world.network.heal(a.url, b.url);
    await follow(b, a);
    await follow(c, b);
    const body = { entity_uri: 'user:gone' };
    const made = await a.request('POST', '/v1/tombstones', { key: a.key, body });
    expect(made.status, made.text).to.equal(201);
    await soon(async () => !(await has(b, fact.id)));
    await soon(async () => !(await has(c, fact.id)));
  });

  it('are reported as unread with the reason, until the peer takes the capability token', async () => {
    const [, b, c] = nodes as [FederatedNode, FederatedNode, FederatedNode];
    const follows = c.kernel.get(TombstoneFollows);
    const peerId = await follow(c, b);
    await follows.follow(actorOf(c), peerId, '{}');
    await soon(async () => (await follows.failing(actorOf(c))).length > 0);
    const [failing] = await follows.failing(actorOf(c));
    expect(failing).to.include({ peerId });
    expect(failing?.reason).to.contain('status 403').and.to.contain('capability token');
    await follow(c, b);
    await soon(async () => (await follows.failing(actorOf(c))).length === 0);
  });
});
