import { expect } from 'chai';
import { FactStore } from '../../../ports/ports.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { GRAPH_PLUGINS, type GraphNode, startGraphNode } from './graph-node.ts';

forEachStore('neighbours as of a past moment', () => {
  let graph: GraphNode;
  beforeEach(async () => {
    graph = await startGraphNode({ plugins: [...GRAPH_PLUGINS, 'time-travel'] });
  });
  afterEach(() => graph.node.stop());

  /** Returns the present moment, and moves the clock so that later events differ from it. */
  const pause = async (): Promise<string> => {
    const moment = new Date(graph.node.clock.nowMs()).toISOString();
    await graph.node.clock.advance(1_000);
    return moment;
  };
  const store = () => graph.node.kernel.get(FactStore);
  const edgesOver = async (): Promise<number> => (await store().table('graph_edges').where('is_over', 1)).length;

  it('follow the edges that were live then, including edges retired since', async () => {
    await graph.link('a', 'b');
    await graph.link('b', 'c');
    const before = await pause();
    await graph.link('a', 'd', { relation: 'rel:likes' });
    const between = await pause();
    await graph.link('a', 'b', { confidence: 0 });
    await pause();
    await graph.names('entity=a');
    await comesTrue(async () => {
      await graph.node.clock.advance(1_000);
      return (await edgesOver()) === 1;
    });
    expect(await graph.names('entity=a&depth=2')).to.deep.equal(['d']);
    expect(await graph.names(`entity=a&depth=2&as_of=${before}`)).to.deep.equal(['b', 'c']);
    expect(await graph.names(`entity=a&depth=2&as_of=${between}`)).to.deep.equal(['b', 'd', 'c']);
    expect(await graph.names(`entity=c&depth=2&as_of=${between}`)).to.deep.equal(['b', 'a']);
    expect(await graph.names('entity=a&as_of=2000-01-01T00:00:00Z')).to.deep.equal([]);
  });

  it('come in pages that stay the same during writes, with cursors of their moment only', async () => {
    for (let at = 0; at < 7; at += 1) await graph.link('hub', `n${at}`, { confidence: 0.9 });
    const moment = await pause();
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const { status, text, body } = await graph.ask(`entity=hub&limit=2&as_of=${moment}${cursor}`);
      expect(status, text).to.equal(200);
      seen.push(...body.neighbors.map(({ entity }: { entity: string }) => entity));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
      for (const other of [`&as_of=${await pause()}`, '']) {
        expect((await graph.ask(`entity=hub&limit=2${other}${cursor}`)).body.code).to.equal('invalid_cursor');
      }
      await graph.link('hub', `later${seen.length}`);
      await graph.link('hub', 'n0', { confidence: 0 });
      await graph.names('entity=hub');
    }
    expect(seen).to.deep.equal(['n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6']);
  });

  it('ignore facts that were recorded later', async () => {
    await graph.link('a', 'b');
    const moment = await pause();
    await graph.link('a', 'c');
    expect(await graph.names(`entity=a&as_of=${moment}`)).to.deep.equal(['b']);
    expect(await graph.names('entity=a')).to.have.members(['b', 'c']);
  });

  it('are refused for an invalid or future moment', async () => {
    for (const [moment, code] of [
      ['yesterday', 'as_of_invalid_timestamp'],
      [new Date(graph.node.clock.nowMs() + 1_000).toISOString(), 'as_of_future'],
    ] as const) {
      const { status, body } = await graph.ask(`entity=a&as_of=${moment}`);
      expect([status, body.code], moment).to.deep.equal([400, code]);
    }
  });
});

describe('neighbours as of a past moment, without the time-travel plugin', () => {
  it('are refused', async () => {
    const graph = await startGraphNode();
    try {
      const { status, body } = await graph.ask('entity=a&as_of=2026-01-01T00:00:00Z');
      expect([status, body.errors[0].path]).to.deep.equal([400, 'query.as_of']);
    } finally {
      await graph.node.stop();
    }
  });
});
