import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { GARDEN, gardenDoors } from './garden-doors.ts';
import { type GraphNode, startGraphNode } from './graph-node.ts';
import { refDraft, WRITER } from './ref-drafts.ts';

forEachStore('an edge of the graph', () => {
  let graph: GraphNode;
  let outsider: string;
  let member: string;
  beforeEach(async () => {
    graph = await startGraphNode({
      plugins: ['keys', 'facts', 'conflicts', 'graph', gardenDoors(['agent:member'])],
    });
    outsider = await graph.node.addKey({ entityUri: 'agent:outsider' });
    member = await graph.node.addKey({ entityUri: 'agent:member' });
  });
  afterEach(() => graph.node.stop());

  const inGarden = (from: string, to: string, members = {}) =>
    graph.node.facts.append(refDraft(from, to, { gardenId: GARDEN, ...members }), WRITER);

  it('disappears with its retraction, and returns with a new assertion', async () => {
    await graph.link('a', 'b');
    await graph.link('b', 'c');
    await graph.link('a', 'b', { value: { type: 'string', v: 'retracted' }, confidence: 0 });
    expect(await graph.names('entity=a&depth=2')).to.deep.equal([]);
    await graph.link('a', 'b');
    expect(await graph.names('entity=a&depth=2')).to.deep.equal(['b', 'c']);
  });

  it('disappears in the instant at which it expires', async () => {
    await graph.link('a', 'b', { valid_until: '2026-03-02T09:00:10Z' });
    const fact = await graph.link('a', 'c');
    await graph.link(fact.id, 'x', {
      relation: 'svc:ttl',
      value: { type: 'datetime', v: '2026-03-02T09:00:20Z' },
    });
    expect(await graph.names('entity=a')).to.deep.equal(['b', 'c']);
    await graph.node.clock.advance(10_000);
    expect(await graph.names('entity=a')).to.deep.equal(['c']);
    await graph.node.clock.advance(10_000);
    expect(await graph.names('entity=a')).to.deep.equal([]);
  });

  it('stays in both directions while its fact is contradicted, and is gone if a resolution ends the fact', async () => {
    const winner = await graph.link('a', 'b');
    await graph.link('a', 'c', { confidence: 0.5 });
    expect(await graph.names('entity=a')).to.deep.equal(['b', 'c']);
    const conflicts = await graph.node.request('GET', '/v1/conflicts', { key: graph.key });
    const id = encodeURIComponent(conflicts.body.conflicts[0].id ?? conflicts.body.conflicts[0].conflict_id);
    const resolved = await graph.node.request('POST', `/v1/conflicts/${id}/resolve`, {
      key: graph.key,
      body: { winning_fact_id: winner.id },
    });
    expect(resolved.status, resolved.text).to.equal(200);
    expect(await graph.names('entity=a')).to.deep.equal(['b']);
    expect(await graph.names('entity=c')).to.deep.equal([]);
  });

  it('in a garden is followed only for members; other readers reach nothing behind it', async () => {
    await inGarden('a', 'b');
    await graph.link('b', 'c');
    await graph.link('a', 'd');
    expect(await graph.names('entity=a&depth=2', member)).to.deep.equal(['b', 'd', 'c']);
    const { body } = await graph.ask('entity=a&depth=2&limit=1', outsider);
    expect(body.neighbors.map(({ entity }: { entity: string }) => entity)).to.deep.equal(['d']);
    expect(body).to.deep.include({ next_cursor: null, total_hint: 1 });
  });

  it('changes no byte of the answers to readers who cannot see it', async () => {
    await graph.link('a', 'b', { confidence: 0.6 });
    await graph.link('b', 'c');
    await graph.link('a', 'e', { confidence: 0.9 });
    const queries = ['entity=a', 'entity=a&depth=2', 'entity=b&depth=2&limit=1', 'entity=a&entity=c&depth=2'];
    const answers = () => Promise.all(queries.map(async (query) => (await graph.ask(query, outsider)).text));
    const before = await answers();
    await inGarden('a', 'b', { confidence: 1, relation: 'rel:secret' });
    await inGarden('a', 'c', { confidence: 0.95 });
    await inGarden('z', 'b');
    // A retraction inside the garden ends nothing outside it.
    await inGarden('a', 'b', { confidence: 0, value: { type: 'string', v: 'x', interpretAs: 'content' } });
    expect(await answers()).to.deep.equal(before);
  });

  it('belongs to its tenant', async () => {
    await graph.link('a', 'b');
    await graph.node.facts.append(refDraft('a', 'hidden'), { ...WRITER, tenantId: 'other' });
    expect(await graph.names('entity=a')).to.deep.equal(['b']);
    expect(await graph.names('entity=hidden')).to.deep.equal([]);
  });

  it('exists for a fact from a peer as for an asserted one', async () => {
    await graph.node.facts.append(
      refDraft('a', 'b', { id: 'elsewhere-1', hlcText: '1772442004120.0', receivedFrom: 'svc:node:peer' }),
      WRITER,
      { origin: 'peer' },
    );
    expect(await graph.names('entity=b')).to.deep.equal(['a']);
  });
});
