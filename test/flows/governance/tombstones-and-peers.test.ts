import { expect } from 'chai';
import { comesTrue } from '../../kit/comes-true.ts';
import {
  createWorld,
  type FederatedNode,
  PULL_INTERVAL_MS,
  startFederatedNode,
} from '../../kit/federation/federated-node.ts';
import { declareBoth, drain, peerUp } from '../../kit/federation/peering-steps.ts';
import { startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import { forEachStore } from '../../kit/for-each-store.ts';

const ON = { SVC_TOMBSTONES_ENABLED: 'true' };
const GONE = 'user:gone';

const bury = async (node: FederatedNode, members: object = {}): Promise<string> => {
  const body = { entity_uri: GONE, ...members };
  const reply = await node.request('POST', '/v1/tombstones', { key: node.key, body });
  expect(reply.status, reply.text).to.equal(201);
  return reply.body.id;
};

const revoke = async (node: FederatedNode, id: string): Promise<void> => {
  const body = { reason: 'a mistake' };
  const reply = await node.request('POST', `/v1/tombstones/${id}/revoke`, { key: node.key, body });
  expect(reply.status, reply.text).to.equal(200);
};

const idsAbout = async (node: FederatedNode, entity: string): Promise<string[]> =>
  (await node.get(`/v1/facts?entity=${entity}`)).body.facts.map(({ id }: { readonly id: string }) => id).sort();

forEachStore('A peer of a node with tombstones', () => {
  let world: ReturnType<typeof createWorld>;
  let node: FederatedNode;
  let peer: TestPeer;
  const start = async (env: Record<string, string> = ON): Promise<void> => {
    world = createWorld();
    node = await startFederatedNode({ name: 'a', ...world, env });
    peer = await startTestPeer({ ...world, nowMs: () => world.clock.nowMs() });
    await declareBoth(node, peer);
  };
  afterEach(async () => {
    await peer?.stop();
    await node?.stop();
  });

  it('gets the facts of an entity while no tombstone hides them', async () => {
    await start({});
    const { id } = await node.say({ entity: GONE });
    await bury(node);
    expect((await drain(node, peer)).facts.map((fact) => fact.id)).to.deep.equal([id]);
    expect(await idsAbout(node, GONE)).to.deep.equal([id]);
  });

  it('gets no fact about the entity of a tombstone, including later facts', async () => {
    await start();
    await node.say({ entity: GONE });
    await bury(node);
    await node.say({ entity: GONE });
    const { id } = await node.say({ entity: 'user:here' });
    const { facts, text } = await drain(node, peer, { limit: 1 });
    expect(facts.map((fact) => fact.id)).to.deep.equal([id]);
    expect(text).not.to.contain(GONE);
  });

  it('learns nothing of a tombstone for an entity that is unknown to it', async () => {
    await start();
    await node.say({ entity: GONE, scope: 'local' });
    const garden = await node.request('POST', '/v1/gardens', {
      key: node.key,
      body: { slug: 'hidden', name: 'hidden', scope: 'public' },
    });
    await node.say({ entity: GONE, garden_id: garden.body.garden_id });
    const before = await drain(node, peer);
    const ids = [await bury(node, { scope: 'local', reason: GONE }), await bury(node)];
    const buried = await drain(node, peer);
    for (const id of ids) await revoke(node, id);
    const revoked = await drain(node, peer);
    for (const { facts, text } of [before, buried, revoked]) {
      expect(facts).to.deep.equal([]);
      expect(text).not.to.contain(GONE);
    }
  });

  it('gets all facts after a revocation, even if its cursor is past them', async () => {
    await start();
    const first = await node.say({ entity: GONE });
    const { id: here } = await node.say({ entity: 'user:here' });
    const { cursors } = await drain(node, peer);
    const from = cursors.at(-1) as string;
    const id = await bury(node);
    const later = await node.say({ entity: GONE });
    expect((await drain(node, peer, { from })).facts).to.deep.equal([]);
    await revoke(node, id);
    const { facts } = await drain(node, peer, { from });
    const got = facts.map((fact) => fact.id);
    expect([...new Set(got)].sort()).to.deep.equal([first.id, later.id].sort());
    expect(got).not.to.contain(here);
  });
});

forEachStore('Two nodes and a tombstone that is revoked', () => {
  const world = createWorld();
  const nodes: FederatedNode[] = [];
  after(async () => {
    for (const node of nodes) await node.stop();
  });

  it('both have all facts after the revocation, including those withheld before', async () => {
    for (const name of ['a', 'b']) nodes.push(await startFederatedNode({ name, ...world, env: ON }));
    const [a, b] = nodes as [FederatedNode, FederatedNode];
    await peerUp(a, b);
    const reaches = (entity: string, ids: readonly string[]) =>
      comesTrue(async () => {
        await world.clock.advance(PULL_INTERVAL_MS);
        return JSON.stringify(await idsAbout(b, entity)) === JSON.stringify([...ids].sort());
      });
    const first = await a.say({ entity: GONE });
    await reaches(GONE, [first.id]);
    const id = await bury(a);
    const withheld = await a.say({ entity: GONE });
    const marker = await a.say({ entity: 'user:marker' });
    await reaches('user:marker', [marker.id]);
    expect(await idsAbout(b, GONE)).not.to.contain(withheld.id);
    expect(await idsAbout(a, GONE)).to.deep.equal([]);
    await revoke(a, id);
    expect(await idsAbout(a, GONE)).to.deep.equal([first.id, withheld.id].sort());
    await reaches(GONE, [first.id, withheld.id]);
  });
});
