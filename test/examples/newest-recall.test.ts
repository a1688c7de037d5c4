import { expect } from 'chai';
import { Recall, TokenCounter } from '../../plugins/recall/recall-api.ts';
import { describePlugin } from '../contract/plugin-contract.ts';
import { createPrincipal } from '../kit/create-principal.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../kit/start-test-node.ts';
import { newestRecall } from './newest-recall.ts';

describePlugin({ plugin: newestRecall, node: { plugins: ['keys', 'facts'] } });

forEachStore('A third-party recall', () => {
  let node: TestNode;
  before(async () => {
    node = await startTestNode({ plugins: ['keys', 'facts', newestRecall] });
    const key = await node.addKey();
    const say = (v: string, scope: string) =>
      node.request('POST', '/v1/facts', {
        key,
        body: { entity: 'user:ann', relation: 'memory:note', value: { type: 'text', v }, source: 'agent:s', scope },
      });
    await say('Ann keeps two grey cats', 'local');
    await say('Ann feeds grey birds', 'public');
    await say('Ann sails', 'public');
  });
  after(() => node.stop());

  const recalled = async (scopes: readonly ('local' | 'public')[], tokenBudget = 100) => {
    const caller = createPrincipal({ allowedScopes: new Set(scopes) });
    const { facts, omitted } = await node.kernel.get(Recall).recall(caller, { query: 'grey', tokenBudget });
    return { values: facts.map(({ view }) => view.fact.value.v), omitted };
  };

  it('provides the recall service, newest fact first', async () => {
    const { values } = await recalled(['local', 'public']);
    expect(values).to.deep.equal(['Ann feeds grey birds', 'Ann keeps two grey cats']);
  });

  it('shows no fact that the caller may not see', async () => {
    expect((await recalled(['public'])).values).to.deep.equal(['Ann feeds grey birds']);
  });

  it('counts the facts that exceed the budget', async () => {
    const { values, omitted } = await recalled(
      ['local', 'public'],
      node.kernel.get(TokenCounter).count('x'.repeat(20)),
    );
    expect(values).to.have.length(1);
    expect(omitted['budget']).to.equal(1);
  });
});
