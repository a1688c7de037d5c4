import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { type GraphNode, type NeighborBody, startGraphNode } from './graph-node.ts';

forEachStore('pages of neighbours', () => {
  let graph: GraphNode;
  beforeEach(async () => {
    graph = await startGraphNode();
    for (const [n, confidence] of [0.5, 0.9, 0.9, 0.3, 0.7].entries()) {
      await graph.link('hub', `leaf:${n}`, { confidence, relation: `rel:n${n}` });
      await graph.link(`leaf:${n}`, `twig:${n}`, { confidence });
    }
  });
  afterEach(() => graph.node.stop());

  const page = async (query: string, cursor: string | null) =>
    (await graph.ask(cursor === null ? query : `${query}&cursor=${cursor}`)).body;

  it('together hold each neighbour once, in order, and all state the same total', async () => {
    const whole = await graph.names('entity=hub&depth=2');
    expect(whole.slice(0, 6)).to.deep.equal(['leaf:1', 'leaf:2', 'leaf:4', 'leaf:0', 'leaf:3', 'twig:1']);
    for (const limit of [1, 3, 10]) {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const body = await page(`entity=hub&depth=2&limit=${limit}`, cursor);
        expect(body.neighbors.length).to.be.at.most(limit);
        expect(body.total_hint).to.equal(10);
        seen.push(...body.neighbors.map(({ entity }: NeighborBody) => entity));
        cursor = body.next_cursor;
      } while (cursor !== null);
      expect(seen).to.deep.equal(whole);
    }
  });

  it('continue after the last neighbour even if its edge has ended and others were added', async () => {
    const first = await page('entity=hub&limit=2', null);
    await graph.link('hub', 'leaf:2', {
      relation: 'rel:n2',
      value: { type: 'string', v: 'retracted' },
      confidence: 0,
    });
    await graph.link('hub', 'leaf:new', { relation: 'rel:new' });
    const second = await page('entity=hub&limit=2', first.next_cursor);
    expect(second.neighbors.map(({ entity }: NeighborBody) => entity)).to.deep.equal(['leaf:4', 'leaf:0']);
  });

  it('have a cursor that is valid only for its caller and query, unchanged, and for a limited time', async () => {
    const { next_cursor: cursor } = await page('entity=hub&limit=1', null);
    const refused = async (query: string, code: string, key = graph.key) => {
      const { status, body } = await graph.ask(query, key);
      expect([status, body.code], query.slice(0, 60)).to.deep.equal([400, code]);
    };
    const other = await graph.node.addKey({ entityUri: 'agent:x' });
    await refused(`entity=hub&limit=1&cursor=${cursor}`, 'invalid_cursor', other);
    await refused(`entity=leaf:1&limit=1&cursor=${cursor}`, 'invalid_cursor');
    await refused(`entity=hub&limit=1&depth=2&cursor=${cursor}`, 'invalid_cursor');
    const bytes = Buffer.from(cursor, 'base64url');
    for (let at = 0; at < bytes.length; at += 1) {
      const forged = Buffer.from(bytes);
      forged[at] = (forged[at] as number) ^ 1;
      await refused(`entity=hub&limit=1&cursor=${forged.toString('base64url')}`, 'invalid_cursor');
    }
    await graph.node.clock.advance(299_999);
    expect((await graph.ask(`entity=hub&limit=4&cursor=${cursor}`)).body.neighbors).to.have.length(4);
    await graph.node.clock.advance(1);
    await refused(`entity=hub&limit=1&cursor=${cursor}`, 'cursor_expired');
  });
});

forEachStore('the lifetime of a cursor for neighbours', () => {
  it('is set by SVC_CURSOR_TTL_S', async () => {
    const graph = await startGraphNode({ env: { SVC_CURSOR_TTL_S: '7' } });
    try {
      await graph.link('a', 'b');
      await graph.link('a', 'c');
      const { body } = await graph.ask('entity=a&limit=1');
      await graph.node.clock.advance(7_000);
      const late = await graph.ask(`entity=a&limit=1&cursor=${body.next_cursor}`);
      expect([late.status, late.body.code]).to.deep.equal([400, 'cursor_expired']);
    } finally {
      await graph.node.stop();
    }
  });
});

forEachStore('pages of neighbours on a sealed node', () => {
  it('together hold each neighbour once, the most confident first', async () => {
    const graph = await startGraphNode({ isSealed: true });
    try {
      for (let n = 0; n < 8; n += 1) await graph.link('hub', `leaf:${n}`, { relation: `rel:n${n}`, confidence: 0.5 });
      await graph.link('hub', 'zenith', { relation: 'rel:best', confidence: 0.9 });
      const whole = await graph.names('entity=hub');
      expect([whole[0], new Set(whole).size]).to.deep.equal(['zenith', 9]);
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const { body } = await graph.ask(`entity=hub&limit=2${cursor === null ? '' : `&cursor=${cursor}`}`);
        seen.push(...body.neighbors.map(({ entity }: NeighborBody) => entity));
        cursor = body.next_cursor;
      } while (cursor !== null);
      expect(seen).to.deep.equal(whole);
    } finally {
      await graph.node.stop();
    }
  });
});
