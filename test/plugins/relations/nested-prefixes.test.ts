import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { type RelationsNode, startRelationsNode } from './relations-node.ts';

const MOST_RULES = 200;

forEachStore('the maximum number of relation rules, each pattern within the one before', () => {
  let node: RelationsNode;
  before(async () => {
    node = await startRelationsNode();
  });
  after(() => node.stop());

  it('keep reads and conflicts correct', async () => {
    const depth = MOST_RULES;
    for (let length = 1; length <= depth; length += 1) {
      await node.rule(`x:${'a'.repeat(length)}*`, length % 2 === 0 ? 'one' : 'many');
    }
    for (const [length, v] of [3, 4].flatMap((at) => [[at, 'one'] as const, [at, 'other'] as const])) {
      await node.say(`${v} of ${length}`, { relation: `x:${'a'.repeat(length)}` });
    }
    expect(await node.shown()).to.deep.equal(['one of 3', 'other of 3', 'other of 4!']);
    expect(await node.conflicts()).to.have.length(1);
  });
});
