import { expect } from 'chai';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import { countsOf, declareBoth, drain, has, peerUp, pullUntil } from '../../kit/federation/peering-steps.ts';
import { startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import { forEachStore } from '../../kit/for-each-store.ts';

const KEPT = [
  'id',
  'entity',
  'relation',
  'value',
  'source',
  'timestamp',
  'hlc',
  'confidence',
  'scope',
  'cid',
  'valid_from',
  'valid_until',
  'derived_from',
] as const;
const BOTH = { scopes: ['public', 'company'] };

forEachStore('Four federated nodes in a line', () => {
  const world = createWorld();
  let nodes: FederatedNode[];
  let observer: TestPeer;
  const [a, b, c, d] = [0, 1, 2, 3].map((at) => () => nodes[at] as FederatedNode) as [
    () => FederatedNode,
    () => FederatedNode,
    () => FederatedNode,
    () => FederatedNode,
  ];
  before(async () => {
    nodes = await Promise.all(['a', 'b', 'c', 'd'].map((name) => startFederatedNode({ name, ...world })));
    await peerUp(a(), b(), BOTH);
    await peerUp(b(), c(), BOTH);
    await peerUp(c(), d(), BOTH);
    observer = await startTestPeer({ ...world, nowMs: () => world.clock.nowMs() });
    await declareBoth(d(), observer, BOTH, BOTH);
  });
  after(async () => {
    for (const node of nodes ?? []) await node.stop();
    await observer?.stop();
  });

  it('relays a public fact from end to end, unchanged', async () => {
    const said = await a().say({
      value: { type: 'number', v: 0.1 },
      confidence: 0.7,
      valid_from: '2026-06-01T00:00:00+02:00',
      valid_until: '2027-01-01T00:00:00Z',
    });
    await pullUntil(a(), () => has(d(), said.id));
    for (const [at, node] of nodes.entries()) {
      const { body } = await node.get(`/v1/facts/${said.id}`);
      for (const name of KEPT) expect(body[name], `${name} at ${at}`).to.deep.equal(said[name]);
      expect(body.received_from).to.equal(at === 0 ? null : (nodes[at - 1] as FederatedNode).nodeId);
      expect(body.origin_node_id).to.equal(at === 0 ? null : a().nodeId);
    }
    const told = (await drain(d(), observer)).facts.find(({ id }) => id === said.id);
    expect(told?.origin_node_id).to.equal(a().nodeId);
    const first = await startTestPeer({ ...world, nowMs: () => world.clock.nowMs(), host: 'first.test' });
    await declareBoth(a(), first);
    const original = (await drain(a(), first)).facts.find(({ id }) => id === said.id);
    expect(told?.origin_proof).to.deep.equal(original?.origin_proof);
    await first.stop();
  });

  it('relays a company fact one step, to the node with the grant', async () => {
    const said = await a().say({ scope: 'company' });
    const marker = await b().say({ scope: 'public' });
    await pullUntil(a(), () => has(b(), said.id));
    await pullUntil(a(), () => has(d(), marker.id));
    await world.clock.advance(5_000);
    expect(await has(c(), said.id)).to.equal(false);
    expect(await has(d(), said.id)).to.equal(false);
  });

  it('relays expired facts and retractions too, so that all nodes give the same answers', async () => {
    const thing = { entity: 'user:gone', relation: 'memory:role' };
    const said = await a().say(thing);
    const short = await a().say({ valid_until: new Date(world.clock.nowMs() + 1).toISOString() });
    await world.clock.advance(10);
    const retraction = await a().say({ ...thing, confidence: 0 });
    await pullUntil(a(), () => has(d(), retraction.id));
    for (const node of nodes) {
      const idsIn = async (query: string): Promise<string[]> =>
        (await node.get(`/v1/facts?entity=user:gone${query}`)).body.facts.map(({ id }: { id: string }) => id);
      expect(await idsIn('')).to.deep.equal([retraction.id]);
      expect(await idsIn('&include_retracted=true')).to.have.members([retraction.id, said.id]);
      expect(await has(node, said.id)).to.equal(true);
    }
    const expired = await d().get('/v1/facts?entity=user:of-a&include_expired=true&limit=500');
    expect(expired.body.facts.map(({ id }: { id: string }) => id)).to.include(short.id);
  });

  it('never sends a fact back to its origin, or to the node that it came from', async () => {
    const { facts } = await drain(b(), a().identity);
    expect(facts.filter((fact) => fact.origin_node_id === a().nodeId)).to.deep.equal([]);
    const own = await b().say();
    await pullUntil(a(), () => has(c(), own.id));
    const back = await drain(c(), b().identity);
    expect(back.facts.map(({ id }) => id)).not.to.include(own.id);
  });
});

forEachStore('Three federated nodes in a ring', () => {
  it('stores each fact once on each node, and then becomes idle (I8, I10)', async function () {
    this.timeout(300_000);
    const world = createWorld();
    const nodes = await Promise.all(['a', 'b', 'c'].map((name) => startFederatedNode({ name, ...world })));
    const observer = await startTestPeer({ ...world, nowMs: () => world.clock.nowMs() });
    try {
      const [a, b, c] = nodes as [FederatedNode, FederatedNode, FederatedNode];
      await peerUp(a, b);
      await peerUp(b, c);
      await peerUp(c, a);
      for (const node of nodes) {
        await declareBoth(node, observer, {}, { direction: 'inbound' });
        for (let n = 0; n < 20; n += 1) await node.say({ relation: `memory:n-${n}` });
      }
      const total = async (node: FederatedNode): Promise<number> => {
        const counts = await Promise.all(
          ['a', 'b', 'c'].map(async (name) => (await node.get(`/v1/facts?entity=user:of-${name}&limit=1`)).body.total),
        );
        return counts.reduce((sum, count) => sum + count, 0);
      };
      await pullUntil(a, async () => (await Promise.all(nodes.map(total))).every((count) => count === 60));
      await world.clock.advance(5_000);
      const counts = await Promise.all(nodes.map((node) => countsOf(node, observer)));
      expect(counts.map(({ receivedFrom }) => receivedFrom)).to.deep.equal([40, 40, 40]);
      for (let round = 0; round < 3; round += 1) await world.clock.advance(1_000);
      expect(await Promise.all(nodes.map((node) => countsOf(node, observer)))).to.deep.equal(counts);
    } finally {
      for (const node of nodes) await node.stop();
      await observer.stop();
    }
  });
});
