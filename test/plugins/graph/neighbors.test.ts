import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { type GraphNode, type NeighborBody, startGraphNode } from './graph-node.ts';

forEachStore('GET /v1/graph/neighbors', () => {
  let graph: GraphNode;
  beforeEach(async () => {
    graph = await startGraphNode();
  });
  afterEach(() => graph.node.stop());

  it('lists the entities that an entity references and is referenced by, with the path', async () => {
    await graph.link('svc://Alpha.example/user/noor', 'svc://alpha.example/project/atlas', { relation: 'rel:owner' });
    await graph.link('team:core', 'svc://alpha.example/user/NOOR', { relation: 'rel:member', confidence: 0.5 });
    const { status, body } = await graph.ask('entity=svc://alpha.example/user/noor');
    expect(status).to.equal(200);
    expect(body).to.deep.equal({
      entity: 'svc://alpha.example/user/noor',
      depth: 1,
      neighbors: [
        {
          entity: 'svc://alpha.example/project/atlas',
          relation: 'rel:owner',
          hops: 1,
          confidence: 1,
          source_trust: null,
          path: ['svc://alpha.example/user/noor'],
        },
        {
          entity: 'team:core',
          relation: 'rel:member',
          hops: 1,
          confidence: 0.5,
          source_trust: null,
          path: ['svc://alpha.example/user/noor'],
        },
      ],
      next_cursor: null,
      total_hint: 2,
    });
  });

  it('lists no neighbour of an unknown entity, without an error', async () => {
    const { status, body } = await graph.ask('entity=user:nobody');
    expect(status).to.equal(200);
    expect(body).to.deep.include({ neighbors: [], next_cursor: null, total_hint: 0 });
  });

  it('walks at most two hops, lists each entity once at its shortest distance, and never the seed', async () => {
    await graph.link('a', 'b');
    await graph.link('b', 'c');
    await graph.link('c', 'a', { confidence: 0.4 });
    await graph.link('c', 'd');
    await graph.link('d', 'e');
    await graph.link('a', 'a');
    expect(await graph.names('entity=a')).to.deep.equal(['b', 'c']);
    const { body } = await graph.ask('entity=a&depth=2');
    const seen = body.neighbors.map(({ entity, hops, path }: NeighborBody) => [entity, hops, path]);
    expect(seen).to.deep.equal([
      ['b', 1, ['a']],
      ['c', 1, ['a']],
      ['d', 2, ['a', 'c']],
    ]);
  });

  it('lists the union for several seeds, and repeats them as they were sent', async () => {
    await graph.link('a', 'x');
    await graph.link('B', 'y');
    await graph.link('a', 'b');
    const { body } = await graph.ask('entity=A&entity=b');
    expect(body.entity).to.equal('A');
    expect(body.entities).to.deep.equal(['A', 'b']);
    expect(body.neighbors.map(({ entity, path }: NeighborBody) => [entity, path])).to.deep.equal([
      ['x', ['A']],
      ['y', ['b']],
    ]);
  });

  it('follows one relation, or all with the same prefix', async () => {
    await graph.link('a', 'x', { relation: 'memory:likes' });
    await graph.link('a', 'y', { relation: 'memory:knows' });
    await graph.link('a', 'z', { relation: 'memo:knows' });
    expect(await graph.names('entity=a&relation=Memory:LIKES')).to.deep.equal(['x']);
    expect(await graph.names('entity=a&relation=memory:*')).to.deep.equal(['x', 'y']);
    expect(await graph.names('entity=a&relation_filter=memo*')).to.deep.equal(['x', 'y', 'z']);
    expect(await graph.names('entity=a&relation=*')).to.deep.equal(['x', 'y', 'z']);
    expect(await graph.names('entity=a&relation=*knows')).to.deep.equal([]);
  });

  it('leaves out edges of low confidence: below 0.1 by default', async () => {
    await graph.link('a', 'x', { confidence: 0.05 });
    await graph.link('a', 'y', { confidence: 0.1 });
    await graph.link('a', 'z', { confidence: 0.9 });
    expect(await graph.names('entity=a')).to.deep.equal(['z', 'y']);
    expect(await graph.names('entity=a&min_confidence=0')).to.deep.equal(['z', 'y', 'x']);
    expect(await graph.names('entity=a&min_confidence=0.5')).to.deep.equal(['z']);
  });

  it('shows the most confident of several edges to one entity', async () => {
    await graph.link('a', 'x', { confidence: 0.4, relation: 'rel:a' });
    await graph.link('X', 'a', { confidence: 0.8, relation: 'rel:b' });
    const { body } = await graph.ask('entity=a');
    expect(body.neighbors).to.have.length(1);
    expect(body.neighbors[0]).to.deep.include({ entity: 'X', relation: 'rel:b', confidence: 0.8 });
  });

  it('never leaves the requested scope, nor those of the key', async () => {
    await graph.link('a', 'b', { scope: 'team' });
    await graph.link('b', 'c', { scope: 'company' });
    await graph.link('a', 'd', { scope: 'company' });
    await graph.link('d', 'e', { scope: 'team' });
    expect(await graph.names('entity=a&depth=2')).to.deep.equal(['b', 'd', 'c', 'e']);
    expect(await graph.names('entity=a&depth=2&scope=team')).to.deep.equal(['b']);
    const team = await graph.node.addKey({ entityUri: 'agent:team', scopes: ['team'] });
    expect(await graph.names('entity=a&depth=2', team)).to.deep.equal(['b']);
    expect((await graph.ask('entity=a&scope=company', team)).status).to.equal(403);
    expect((await graph.ask('entity=a&scope=galaxy', team)).status).to.equal(400);
  });

  it('lists entities with long names, and matches every spelling of them', async () => {
    const long = `doc:${'x'.repeat(2000)}`;
    await graph.link(long, 'b');
    await graph.link('c', long.toUpperCase());
    expect(await graph.names(`entity=${long}`)).to.deep.equal(['b', 'c']);
    expect(await graph.names('entity=c&depth=2')).to.deep.equal([long.toUpperCase(), 'b']);
  });

  it('ignores invalid references, and facts of the node about facts', async () => {
    await graph.link('a', 'x', { value: { type: 'string', v: 'b' } });
    const fact = await graph.link('a', 'c');
    const ttl = { relation: 'svc:ttl', value: { type: 'datetime', v: '2027-01-01T00:00:00Z' } };
    await graph.link(`svc:fact:${fact.id}`, 'x', ttl);
    expect(await graph.names('entity=a&depth=2')).to.deep.equal(['c']);
  });

  it('refuses invalid parameters, and a depth above two', async () => {
    const refused = async (query: string, code: string) => {
      const { status, body } = await graph.ask(query);
      expect([status, body?.code], query).to.deep.equal([400, code]);
    };
    await refused('', 'validation');
    await refused('entity=', 'invalid_entity_uri');
    await refused('entity=a&entity=%01', 'invalid_entity_uri');
    for (const depth of ['0', '3', '-1']) await refused(`entity=a&depth=${depth}`, 'graph_depth_exceeded');
    await refused('entity=a&depth=deep', 'validation');
    for (const limit of ['0', '201']) {
      await refused(`entity=a&limit=${limit}`, 'validation');
      await refused(`entity=a&page_size=${limit}`, 'validation');
    }
    await refused('entity=a&limit=1&page_size=1', 'validation');
    await refused('entity=a&relation=x&relation_filter=x', 'validation');
    await refused('entity=a&min_confidence=1.5', 'validation');
    await refused('entity=a&depth=1&depth=1', 'validation');
    await refused('entity=a&cursor=x', 'invalid_cursor');
  });
});
