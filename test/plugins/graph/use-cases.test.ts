import { expect } from 'chai';
import { EntityGraph, type GraphWalk } from '../../../plugins/graph/graph-api.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { rejection } from '../../kit/rejection.ts';
import { type GraphNode, startGraphNode } from './graph-node.ts';

const reader = createPrincipal({ permissions: new Set(['read']) });
const walk = (changes: Partial<GraphWalk> = {}): GraphWalk => ({
  seeds: ['agent:a'],
  depth: 1,
  minConfidence: 0.1,
  ...changes,
});

describe('the neighbours of an entity without HTTP', () => {
  let made: GraphNode;
  let graph: EntityGraph;
  beforeEach(async () => {
    made = await startGraphNode();
    graph = made.node.kernel.get(EntityGraph);
    for (const name of ['b', 'c', 'd']) await made.link('agent:a', `agent:${name}`);
  });
  afterEach(() => made.node.stop());

  it('are listed in consecutive pages', async () => {
    const first = await graph.list(reader, walk(), { limit: 2 });
    const [, second] = first.listed;
    const rest = await graph.list(reader, walk(), { from: second?.position, limit: 2 });
    const names = [...first.listed.slice(0, 2), ...rest.listed].map(({ neighbor }) => neighbor.entity);
    expect(names).to.deep.equal(['agent:b', 'agent:c', 'agent:d']);
    expect(rest.end).to.equal(null);
  });

  it('are refused to callers without the permission or the scope', async () => {
    const writer = createPrincipal({ permissions: new Set(['write']) });
    const ofTeam = createPrincipal({ allowedScopes: new Set(['team']) });
    expect(await rejection(graph.list(writer, walk()))).to.include({ code: 'authorization', status: 403 });
    const foreign = graph.list(ofTeam, walk({ scopes: ['company'] }));
    expect(await rejection(foreign)).to.include({ code: 'authorization', status: 403 });
    expect((await graph.list(ofTeam, walk())).listed).to.deep.equal([]);
  });

  it('are refused outside the limits of a walk', async () => {
    const codeOf = async (changes: Partial<GraphWalk>) => (await rejection(graph.list(reader, walk(changes))))['code'];
    expect(await codeOf({ depth: 3 })).to.equal('graph_depth_exceeded');
    expect(await codeOf({ seeds: [] })).to.equal('validation');
    expect(await codeOf({ seeds: [''] })).to.equal('invalid_entity_uri');
    expect(await codeOf({ minConfidence: Number.NaN })).to.equal('validation');
    expect((await rejection(graph.list(reader, walk(), { limit: 201 })))['code']).to.equal('validation');
  });
});
