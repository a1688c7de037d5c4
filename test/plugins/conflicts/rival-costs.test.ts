import { expect } from 'chai';
import { type FactDraft, NodeSelf, nodePrincipal } from '../../../kernel/plugin-api.ts';
import { RecordWriter } from '../../../plugins/conflicts/record-writer.ts';
import { watchSelects } from '../../fakes/watched-selects.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const RIVALS = 200;

forEachStore('the number of conflict members that a batch with many contradicting facts adds (I21)', () => {
  const { join, open } = RecordWriter.prototype;
  let node: TestNode;
  let members = 0;
  before(async () => {
    node = await startTestNode({ plugins: ['facts', 'conflicts'] });
    RecordWriter.prototype.open = function (...given) {
      members += given[3].length;
      return open.apply(this, given);
    };
    RecordWriter.prototype.join = function (...given) {
      members += given[3].length;
      join.apply(this, given);
    };
  });
  after(async () => {
    Object.assign(RecordWriter.prototype, { join, open });
    await node.stop();
  });

  const draft = (v: string): FactDraft => ({
    entity: 'user:a',
    relation: 'memory:role',
    value: { type: 'string', v, interpretAs: 'content' },
    source: 'agent:w',
    scope: 'company',
    confidence: 1,
  });

  it('is one for each contradicting fact; a later batch adds one more for each stored fact that it reads', async () => {
    const caller = nodePrincipal(node.kernel.get(NodeSelf).names);
    const rivals = Array.from({ length: RIVALS }, (_, at) => draft(String(at)));
    await node.facts.appendAll(rivals, caller);
    expect(members).to.equal(RIVALS);
    members = 0;
    const later = Array.from({ length: RIVALS }, (_, at) => draft(`later ${at}`));
    await node.facts.appendAll(later, caller);
    expect(members).to.be.at.most(RIVALS + 64);
  });
});

forEachStore('a batch of facts that contradict the facts of many triples (I21)', () => {
  const watched = watchSelects();
  let node: TestNode;
  before(async () => {
    node = await startTestNode({ plugins: ['facts', 'conflicts'], wrapStore: watched.wrap });
  });
  after(() => node.stop());

  it('looks up each membership once, not each fact in each conflict', async () => {
    const caller = nodePrincipal(node.kernel.get(NodeSelf).names);
    const batch = (round: string) =>
      Array.from({ length: RIVALS }, (_, at): FactDraft => {
        const value = { type: 'string', v: `${round} ${at}`, interpretAs: 'content' } as const;
        const members = { entity: 'user:a', source: 'agent:w', scope: 'company', confidence: 1 } as const;
        return { ...members, relation: `memory:role-${at}`, value };
      });
    for (const round of ['first', 'second', 'third']) await node.facts.appendAll(batch(round), caller);
    expect(watched.mostCombinations).to.be.within(1, 10 * RIVALS);
  });
});
