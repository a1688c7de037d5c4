import { expect } from 'chai';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import { declareBoth, has, peerUp, pullUntil, push } from '../../kit/federation/peering-steps.ts';
import { startTestPeer } from '../../kit/federation/test-peer.ts';
import { forEachStore } from '../../kit/for-each-store.ts';

const SECOND_MS = 1_000;

const parsed = (hlc: string): [number, number] => hlc.split('.').map(Number) as [number, number];

const comesAfter = (one: string, other: string): boolean => {
  const [[wall, counter], [otherWall, otherCounter]] = [parsed(one), parsed(other)];
  return wall > otherWall || (wall === otherWall && counter > otherCounter);
};

forEachStore('Stamps of federated nodes', () => {
  it('exceed all stamps that a node has received, even if its clock is behind (I5)', async () => {
    const world = createWorld();
    const a = await startFederatedNode({ name: 'a', ...world });
    const b = await startFederatedNode({ name: 'b', ...world });
    const peer = await startTestPeer({ ...world, nowMs: () => world.clock.nowMs() });
    await peerUp(a, b);
    await declareBoth(a, peer, {}, { direction: 'outbound' });
    await push(a, peer, [peer.fact({ hlc: `${world.clock.nowMs() + 200 * SECOND_MS}.0` })]);
    const f = await a.say();
    await pullUntil(b, () => has(b, f.id));
    const g = await b.say();
    expect(comesAfter(g.hlc, f.hlc)).to.equal(true);
    for (const each of [a, b, peer]) await each.stop();
  });

  it('compare as numbers, not as text, when only the counter differs', async () => {
    const world = createWorld();
    const node = await startFederatedNode({ name: 'n', ...world });
    const peer = await startTestPeer({ ...world, nowMs: () => world.clock.nowMs() });
    await declareBoth(node, peer);
    // For the next 200 seconds, only the counter of local stamps increases.
    await push(node, peer, [peer.fact({ hlc: `${world.clock.nowMs() + 200 * SECOND_MS}.7` })]);
    const thing = { entity: 'user:met', relation: 'memory:role' };
    const stamps: string[] = [];
    const misleads = (): boolean => stamps.some((hlc, at) => at > 0 && hlc < (stamps[at - 1] ?? ''));
    for (let n = 0; n < 100 && !misleads(); n += 1) {
      stamps.push((await node.say({ ...thing, value: { type: 'string', v: `value ${n}` } })).hlc);
      const { body } = await node.get('/v1/facts?entity=user:met&relation=memory:role');
      expect(body.facts.map(({ value }: { value: { v: string } }) => value.v)).to.deep.equal([`value ${n}`]);
    }
    expect(misleads(), 'a later stamp came first as text').to.equal(true);
    expect(new Set(stamps.map((hlc) => hlc.split('.')[0])).size).to.equal(1);
    await node.stop();
    await peer.stop();
  });

  it('that are equal tie, and both facts are returned', async () => {
    const world = createWorld();
    const node = await startFederatedNode({ name: 'n', ...world });
    const peer = await startTestPeer({ ...world, nowMs: () => world.clock.nowMs() });
    await declareBoth(node, peer);
    const same = { entity: 'user:met', relation: 'memory:role', hlc: `${world.clock.nowMs()}.5`, confidence: 0.9 };
    const tied = ['x', 'y'].map((v) => peer.fact({ ...same, value: { type: 'string', v } }));
    expect((await push(node, peer, tied)).body.accepted).to.equal(2);
    const { body } = await node.get('/v1/facts?entity=user:met&relation=memory:role');
    expect(body.facts.map(({ id }: { id: string }) => id)).to.have.members(tied.map(({ id }) => id));
    expect(body.facts.every(({ contradicted }: { contradicted: boolean }) => contradicted)).to.equal(true);
    await node.stop();
    await peer.stop();
  });
});

forEachStore('Two nodes that a partition separates', () => {
  it('agree after it ends, with one open conflict for each contradiction (I11, I12)', async function () {
    this.timeout(300_000);
    const world = createWorld();
    const nodes = await Promise.all(['a', 'b', 'c'].map((name) => startFederatedNode({ name, ...world })));
    const [a, b, c] = nodes as [FederatedNode, FederatedNode, FederatedNode];
    try {
      for (const [one, other] of [
        [a, b],
        [b, c],
        [c, a],
      ] as const) {
        await peerUp(one, other, { mayEndOthers: true });
      }
      world.network.partition(a.url, b.url);
      world.network.partition(a.url, c.url);
      const triples = 30;
      for (const [node, values] of [
        [a, ['red', 'shared']],
        [b, ['blue', 'shared']],
      ] as const) {
        const body = Array.from({ length: triples }, (_, n) => ({
          entity: `user:${n}`,
          relation: 'memory:colour',
          value: { type: 'string', v: n % 3 === 0 ? values[1] : values[0] },
          source: `agent:${node.nodeId}`,
          scope: 'public',
          confidence: n % 5 === 0 ? 0.5 : 0.9,
        }));
        await node.request('POST', '/v1/facts/batch', { key: node.key, body });
        await world.clock.advance(700);
      }
      await b.say({ entity: 'user:1', relation: 'memory:colour', confidence: 0 });
      world.network.heal(a.url, b.url);
      world.network.heal(a.url, c.url);
      const totalOf = async (node: FederatedNode): Promise<number> =>
        (await node.get('/v1/facts?relation=memory:colour&include_contradicted=true&include_retracted=true&limit=1'))
          .body.total;
      await pullUntil(a, async () => {
        const totals = await Promise.all(nodes.map(totalOf));
        return totals.every((total) => total === 2 * triples + 1);
      });
      const answers = await Promise.all(
        nodes.map(async (node) => {
          const { body } = await node.get('/v1/facts?relation=memory:colour&limit=500');
          return body.facts
            .map(({ id, contradicted }: { id: string; contradicted: boolean }) => `${id} ${contradicted}`)
            .sort();
        }),
      );
      expect(answers[1]).to.deep.equal(answers[0]);
      expect(answers[2]).to.deep.equal(answers[0]);
      for (const node of nodes) {
        const { body } = await node.get('/v1/conflicts?status=unresolved&limit=500');
        const entities = body.conflicts.map(({ fact_a }: { fact_a: { entity: string } }) => fact_a.entity).sort();
        const differing = Array.from({ length: triples }, (_, n) => n).filter((n) => n % 3 !== 0 && n !== 1);
        const open = entities.filter((entity: string) => entity !== 'user:1');
        expect(open).to.deep.equal(differing.map((n) => `user:${n}`).sort());
      }
    } finally {
      for (const node of nodes) await node.stop();
    }
  });
});
