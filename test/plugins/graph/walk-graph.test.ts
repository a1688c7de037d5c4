import { expect } from 'chai';
import fc from 'fast-check';
import type { FactDraft, Principal } from '../../../kernel/plugin-api.ts';
import { EntityGraph, type Neighbor, type NeighborPosition } from '../../../plugins/graph/graph-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { GARDEN, gardenDoors } from './garden-doors.ts';
import { refDraft, WRITER } from './ref-drafts.ts';

const ENTITIES = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const entity = fc.constantFrom(...ENTITIES);

const edge = fc.record({
  from: entity,
  to: entity,
  relation: fc.constantFrom('rel:x', 'rel:y', 'memory:z'),
  confidence: fc.constantFrom(0.05, 0.4, 0.8, 1),
  scope: fc.constantFrom('team' as const, 'company' as const),
  garden: fc.boolean(),
  retracted: fc.boolean(),
});
type DrawnEdge = typeof edge extends fc.Arbitrary<infer E> ? E : never;

const walk = fc.record({
  seeds: fc.uniqueArray(entity, { minLength: 1, maxLength: 2 }),
  depth: fc.constantFrom(1, 2),
  scopes: fc.constantFrom(undefined, ['team'] as const),
  relation: fc.constantFrom(undefined, 'rel:x', 'rel:*'),
  minConfidence: fc.constantFrom(0, 0.1, 0.5),
});

const member: Principal = { ...WRITER, entityUri: 'agent:member' };

/** Makes names unique to the run, because all runs share a node. */
const draftOf = ({ from, to, relation, confidence, scope, garden }: DrawnEdge, run: number): FactDraft =>
  refDraft(`${run}:${from}`, `${run}:${to}`, { relation, confidence, scope, gardenId: garden ? GARDEN : null });

/** Returns distances by the simplest breadth-first search over the edges that the caller sees. */
const naiveDistances = (edges: readonly DrawnEdge[], seeds: readonly string[], depth: number): Map<string, number> => {
  const distances = new Map(seeds.map((seed) => [seed, 0]));
  for (let hops = 1; hops <= depth; hops += 1) {
    for (const { from, to } of edges) {
      for (const [near, far] of [
        [from, to],
        [to, from],
      ] as const) {
        if (distances.get(near) === hops - 1 && !distances.has(far)) distances.set(far, hops);
      }
    }
  }
  for (const seed of seeds) distances.delete(seed);
  return distances;
};

forEachStore('a walk over the graph', () => {
  let node: TestNode;
  let run = 0;
  before(async () => {
    node = await startTestNode({ plugins: ['graph', gardenDoors(['agent:member'])] });
  });
  after(() => node.stop());

  const neighbors = (caller: Principal, request: Parameters<EntityGraph['neighbors']>[1]) =>
    node.facts.read(caller, 'query', (reader) => node.kernel.get(EntityGraph).neighbors(reader, request));

  it('reaches the same entities as a simple search over the visible live edges, at the same distance and on an existing path', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(edge, { maxLength: 14 }),
        walk,
        fc.boolean(),
        fc.integer({ min: 1, max: 4 }),
        async (drawn, request, isMember, pageSize) => {
          run += 1;
          const own = `${run}:`;
          await node.facts.appendAll(
            drawn.map((one) => draftOf(one, run)),
            WRITER,
          );
          const retractions = drawn.filter(({ retracted }) => retracted);
          await node.facts.appendAll(
            retractions.map((one) => ({ ...draftOf(one, run), confidence: 0 })),
            WRITER,
          );
          const caller = isMember ? member : WRITER;
          const visible = drawn.filter(
            (one) =>
              (isMember || !one.garden) &&
              (request.scopes === undefined || one.scope === 'team') &&
              (request.relation === undefined || one.relation.startsWith(request.relation.replace('*', ''))) &&
              one.confidence >= request.minConfidence &&
              // A retraction ends the whole triple in its own place.
              !retractions.some(
                (other) =>
                  other.from === one.from &&
                  other.relation === one.relation &&
                  other.scope === one.scope &&
                  other.garden === one.garden,
              ),
          );
          const seeds = request.seeds.map((seed) => own + seed);
          const found = await neighbors(caller, { ...request, seeds });
          const expected = naiveDistances(visible, request.seeds, request.depth);
          const distances = found.map(({ entityKey, hops }) => [entityKey.slice(own.length), hops] as const);
          expect(new Map(distances)).to.deep.equal(expected);
          expect(distances.length, 'each once').to.equal(expected.size);
          for (const neighbor of found) expectRealWay(neighbor, visible, own, seeds);
          expect(inOrder(found), 'the order').to.equal(true);
          expect(await inPages(caller, { ...request, seeds }, pageSize), 'in pages').to.deep.equal([...found]);
        },
      ),
      { numRuns: Math.ceil(RUNS / 2) },
    );
  });

  /** Concatenates the pages of a list, each of which continues the previous one. */
  const inPages = async (caller: Principal, request: Parameters<EntityGraph['page']>[1], limit: number) => {
    const found: Neighbor[] = [];
    let from: NeighborPosition | undefined;
    for (;;) {
      const { listed, end, totalHint } = await node.facts.read(caller, 'query', (reader) =>
        node.kernel.get(EntityGraph).page(reader, request, from, limit),
      );
      const shown = listed.slice(0, limit);
      found.push(...shown.map(({ neighbor }) => neighbor));
      const next: NeighborPosition | null | undefined = shown.length < listed.length ? shown.at(-1)?.position : end;
      if (next == null) {
        expect(totalHint, 'the count').to.equal(found.length);
        return found;
      }
      expect(totalHint, 'at least so many').to.be.at.least(found.length);
      from = next;
    }
  };

  const expectRealWay = (neighbor: Neighbor, visible: readonly DrawnEdge[], own: string, seeds: readonly string[]) => {
    const { path, hops, relation, confidence } = neighbor;
    expect(path).to.have.length(hops);
    expect(seeds).to.include(path[0]);
    const way = [...path, neighbor.entity].map((name) => name.slice(own.length));
    for (let at = 1; at < way.length; at += 1) {
      const ends = [way[at - 1], way[at]];
      const joining = visible.filter(({ from, to }) => ends.includes(from) && ends.includes(to) && from !== to);
      expect(joining.length, `an edge between ${ends}`).to.be.greaterThan(0);
    }
    const last = visible.some((one) => one.relation === relation && one.confidence === confidence);
    expect(last, 'an edge as told').to.equal(true);
  };

  const inOrder = (found: readonly Neighbor[]): boolean =>
    found.every((next, at) => {
      const before = found[at - 1];
      if (before === undefined || before.hops < next.hops) return true;
      if (before.hops > next.hops || before.confidence < next.confidence) return false;
      return before.confidence > next.confidence || before.entity < next.entity;
    });

  it('reads at most the given number of edges, the most confident first, without counting hidden ones', async () => {
    const spokes = Array.from({ length: 30 }, (_, n) =>
      refDraft('hub', `spoke:${n}`, { relation: `rel:n${n}`, confidence: (n + 1) / 100 }),
    );
    const hidden = Array.from({ length: 30 }, (_, n) =>
      refDraft('hub', `secret:${n}`, { relation: `rel:n${n}`, gardenId: GARDEN }),
    );
    await node.facts.appendAll([...hidden, ...spokes], WRITER);
    const names = async (caller: Principal) =>
      (await neighbors(caller, { seeds: ['hub'], depth: 2, minConfidence: 0, maxEdges: 3 })).map((one) => one.entity);
    expect(await names(WRITER)).to.deep.equal(['spoke:29', 'spoke:28', 'spoke:27']);
    expect((await names(member)).every((name) => name.startsWith('secret:'))).to.equal(true);
  });
});
