import { expect } from 'chai';
import { createStoreCounter } from '../../fakes/counting-store.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { type RelationsNode, startRelationsNode } from './relations-node.ts';

const RULES = 50;

forEachStore('the cost of relation rules', () => {
  const counter = createStoreCounter();
  let node: RelationsNode;
  before(async () => {
    node = await startRelationsNode({ wrapStore: counter.count });
  });
  after(() => node.stop());

  /** Returns the statements and rows of two differing facts about an entity. */
  const costOf = (entity: string) =>
    counter.during(async () => {
      for (const v of ['tea', 'jam']) await node.say(v, { entity });
    });

  it('is no statement and no row for a write', async () => {
    await costOf('user:warm');
    const before = await costOf('user:before');
    for (let at = 0; at < RULES; at += 1) await node.rule(`memory:r${at}*`, at % 2 === 0 ? 'many' : 'one');
    const { statements, rows } = await costOf('user:after1');
    expect({ statements, rows }).to.deep.equal({ statements: before.statements, rows: before.rows });
  });
});
