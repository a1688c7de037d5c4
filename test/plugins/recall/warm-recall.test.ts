import { expect } from 'chai';
import { createStoreCounter } from '../../fakes/counting-store.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

/**
 * The head of the feed; for words and their neighbours the live facts, the winners, and whether a garden holds any; the
 * edges of both ends. Vectors add three of their own, for what they alone have found.
 */
const STATEMENTS = 9;

forEachStore('what a warm recall asks of the store', () => {
  let node: TestNode;
  afterEach(() => node.stop());

  it('is the same few statements, however often its facts were recalled before', async () => {
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
    // Counts of use are written, and from then on belong to every score.
    await node.clock.advance(600_000);
    await ask();
    expect(await fewest()).to.be.at.most(STATEMENTS);
  });
});
