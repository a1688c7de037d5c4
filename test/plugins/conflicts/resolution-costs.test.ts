import { expect } from 'chai';
import { type FactDraft, NodeSelf, nodePrincipal } from '../../../kernel/plugin-api.ts';
import { createStoreCounter } from '../../fakes/counting-store.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

forEachStore('the cost of checking whether a new fact is a resolution', () => {
  const counter = createStoreCounter();
  let node: TestNode;
  let entities = 0;
  before(async () => {
    node = await startTestNode({ plugins: ['facts', 'conflicts'], wrapStore: (store) => counter.count(store) });
  });
  after(() => node.stop());

  const caller = () => nodePrincipal(node.kernel.get(NodeSelf).names);
  const draft = (entity: string, v: string, more: Partial<FactDraft> = {}): FactDraft => ({
    entity,
    relation: 'memory:role',
    value: { type: 'string', v, interpretAs: 'content' },
    source: 'agent:w',
    scope: 'company',
    confidence: 1,
    ...more,
  });
  const hash = (digit: string): string => `sha256:${digit.repeat(64)}`;

  /** Creates an entity with two facts that contradict each other. */
  const contested = async (): Promise<string> => {
    entities += 1;
    const entity = `user:${entities}`;
    for (const v of ['a', 'b']) await node.facts.append(draft(entity, v), caller());
    return entity;
  };

  const statementsFor = async (derivedFrom: readonly string[], entity: string): Promise<number> => {
    const said = draft(entity, 'c', { derivedFrom });
    return (await counter.during(() => node.facts.append(said, caller()))).statements;
  };

  it('is no look-up for facts derived from fewer than two facts', async () => {
    const least = await statementsFor([], await contested());
    expect(await statementsFor([hash('1')], await contested())).to.equal(least);
    expect(await statementsFor([hash('1'), hash('1')], await contested())).to.equal(least);
    entities += 1;
    const alone = await statementsFor([], `user:${entities}`);
    expect(alone).to.be.below(least);
    entities += 1;
    expect(await statementsFor([hash('1')], `user:${entities}`)).to.equal(alone);
  });

  it('is one look-up for facts derived from known facts, even of other triples', async () => {
    const { view: one } = await node.facts.append(draft('user:x', 'x'), caller());
    const { view: other } = await node.facts.append(draft('user:y', 'y'), caller());
    entities += 1;
    const alone = await statementsFor([], `user:${entities}`);
    entities += 1;
    expect(await statementsFor([one.fact.cid, other.fact.cid], `user:${entities}`)).to.equal(alone + 1);
  });

  it('is the same for a whole page of a peer as for one of its facts', async () => {
    const page = async (count: number): Promise<number> => {
      entities += 1;
      const nowMs = node.clock.nowMs();
      const drafts = Array.from({ length: count }, (_, n) =>
        draft(`user:${entities}-${n}`, 'a', {
          id: `peer-${entities}-${n}`,
          hlcText: `${nowMs}.${n}`,
          receivedFrom: 'svc:node:far',
          derivedFrom: [hash('2'), hash(String(n % 10))],
        }),
      );
      const { statements } = await counter.during(() => node.facts.appendAll(drafts, caller(), { origin: 'peer' }));
      return statements;
    };
    expect(await page(100)).to.equal(await page(1));
  });
});
