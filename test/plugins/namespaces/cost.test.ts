import { expect } from 'chai';
import { median } from '../../../bench/report/median.ts';
import { createStoreCounter } from '../../fakes/counting-store.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { assertion, type NamespacesNode, PATTERN, startNamespacesNode } from './namespaces-node.ts';

forEachStore('the cost of namespace rules for a write', () => {
  let node: NamespacesNode;
  afterEach(() => node.stop());

  /** Counts the statements of a batch, after an earlier batch has filled the cache. */
  const statements = async (options: { enabled: boolean; rules: number; facts: number }): Promise<number> => {
    const counter = createStoreCounter();
    const env = { SVC_NAMESPACES_ENABLED: String(options.enabled) };
    node = await startNamespacesNode({ env, wrapStore: (store) => counter.count(store) });
    for (let at = 0; at < options.rules; at += 1) await node.give(`${PATTERN.slice(0, -1)}${at}/*`);
    const send = (word: string) => {
      const facts = Array.from({ length: options.facts }, (_, at) => assertion({ entity: `user:${word}-${at}` }));
      return node.must(200, 'owner', 'POST', '/v1/facts/batch', facts);
    };
    await send('first');
    // Takes the middle of several counts: periodic work may add statements, and a write just before may save some.
    const counts: number[] = [];
    for (const word of ['second', 'third', 'fourth', 'fifth', 'sixth']) {
      counts.push((await counter.during(() => send(word))).statements);
    }
    await node.stop();
    return median(counts);
  };

  for (const rules of [0, 20]) {
    it(`is one statement for all facts of a transaction, with ${rules} rules`, async () => {
      const off = await statements({ enabled: false, rules, facts: 50 });
      expect(await statements({ enabled: true, rules, facts: 50 })).to.equal(off + 1);
    });
  }
});
