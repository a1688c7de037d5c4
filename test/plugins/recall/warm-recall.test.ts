import { expect } from 'chai';
import { createStoreCounter } from '../../fakes/counting-store.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

/**
 * The expected statements: the head of the feed; live facts, winners and the existence of gardens, for words and their
 * neighbours; the edges of both ends. Vectors add three for their own hits.
 */
const STATEMENTS = 9;

forEachStore('the store queries of a repeated recall', () => {
  let node: TestNode;
  afterEach(() => node.stop());

  it('are the same few statements, however often its facts were recalled before', async () => {
    const counter = createStoreCounter();
    node = await startTestNode({
      plugins: ['keys', 'facts', 'conflicts', 'gardens', 'graph', 'search', 'recall'],
      wrapStore: (store) => counter.count(store),
    });
    const key = await node.addKey();
    const session = { 'Svc-Session': 'walk' };
    for (const v of ['an oak by the river', 'a bridge of stone', 'the oak was felled']) {
      const body = {
        entity: `tree:${v.length}`,
        relation: 'memory:note',
        value: { type: 'text', v },
        source: 'agent:a',
      };
      const reply = await node.request('POST', '/v1/facts', { key, body, headers: session });
      expect(reply.status, reply.text).to.equal(201);
    }
    const ask = async (): Promise<void> => {
      const body = { query: 'oak', token_budget: 1_000, weights: { lexical: 0.6, graph: 0.4 } };
      const reply = await node.request('POST', '/v1/recall', { key, body });
      expect(reply.body.facts, reply.text).to.have.length(3);
    };
    const fewest = async (): Promise<number> => {
      const counts: number[] = [];
      for (let time = 0; time < 3; time += 1) counts.push((await counter.during(ask)).statements);
      return Math.min(...counts);
    };
    await ask();
    expect(await fewest()).to.be.at.most(STATEMENTS);
    // Recall counts are written, and every later score includes them.
    await node.clock.advance(600_000);
    await ask();
    expect(await fewest()).to.be.at.most(STATEMENTS);
  });
});
