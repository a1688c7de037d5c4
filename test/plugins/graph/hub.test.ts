import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { type GraphNode, type NeighborBody, startGraphNode } from './graph-node.ts';
import { refDraft, WRITER } from './ref-drafts.ts';

/** More edges than a page of the walk. */
const SPOKES = 12_000;
const PER_APPEND = 1_000;

forEachStore('a hub with 12,000 edges, cycles and a self loop', () => {
  let graph: GraphNode;
  before(async function () {
    this.timeout(300_000);
    graph = await startGraphNode({ plugins: ['graph'] });
    for (let from = 0; from < SPOKES; from += PER_APPEND) {
      const spokes = Array.from({ length: PER_APPEND }, (_, n) =>
        // Half of them point at the hub, and each points at the next one, so that all lie on cycles.
        n % 2 === 0
          ? refDraft('hub', `spoke:${from + n}`, { relation: `rel:n${from + n}` })
          : refDraft(`spoke:${from + n}`, 'hub'),
      );
      await graph.node.facts.appendAll(spokes, WRITER);
    }
    const ring = Array.from({ length: 50 }, (_, n) =>
      refDraft(`spoke:${n}`, `spoke:${n + 1}`, { relation: 'rel:next' }),
    );
    await graph.node.facts.appendAll([...ring, refDraft('hub', 'hub'), refDraft('spoke:7', 'far')], WRITER);
  });
  after(() => graph.node.stop());

  it('lists every neighbour once, in pages of the requested size', async () => {
    const { body } = await graph.ask('entity=hub&depth=2&limit=200');
    expect(body.neighbors).to.have.length(200);
    expect(body.total_hint).to.be.within(201, SPOKES);
    const seen = new Set<string>(body.neighbors.map(({ entity }: NeighborBody) => entity));
    let last = body;
    for (let pages = 1; last.next_cursor !== null; pages += 1) {
      last = (await graph.ask(`entity=hub&depth=2&limit=200&cursor=${last.next_cursor}`)).body;
      for (const { entity } of last.neighbors) seen.add(entity);
      expect(seen.size, 'none twice').to.equal(Math.min((pages + 1) * 200, SPOKES + 1));
    }
    expect(last.total_hint).to.equal(SPOKES + 1);
    expect(last.neighbors.at(-1).entity).to.equal('far');
  });

  it('has each spoke one hop away, and the spokes are two hops from each other', async () => {
    const { body } = await graph.ask('entity=far&depth=2');
    expect(body.neighbors.map(({ entity }: { entity: string }) => entity)).to.deep.equal([
      'spoke:7',
      'hub',
      'spoke:6',
      'spoke:8',
    ]);
    expect((await graph.ask('entity=spoke:7&depth=2')).body.neighbors).to.have.length(50);
  });
});
