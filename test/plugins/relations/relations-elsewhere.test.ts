import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RELATION_PLUGINS, type RelationsNode, startRelationsNode } from './relations-node.ts';

forEachStore('a relation that may hold many values, in lint, synthesis and cards', () => {
  let node: RelationsNode;
  before(async () => {
    node = await startRelationsNode({ plugins: [...RELATION_PLUGINS, 'lint', 'synthesis', 'cards', 'gardens'] });
    await node.rule('memory:likes', 'many');
    for (const v of ['tea', 'jam']) await node.say(v);
    for (const v of ['red', 'grey']) await node.say(v, { relation: 'memory:hair' });
  });
  after(() => node.stop());

  it('is not reported by lint', async () => {
    const body = { scope: 'company', checks: ['contradiction'] };
    const { findings } = (await node.request('POST', '/v1/lint', { key: node.key, body })).body;
    expect(findings.map(({ relation }: { relation: string }) => relation)).to.deep.equal(['memory:hair']);
  });

  it('is not reported as a contradiction by a synthesis', async () => {
    const { contradiction_count, summary } = (
      await node.request('GET', '/v1/synthesis?scope=company', { key: node.key })
    ).body;
    expect(contradiction_count).to.equal(1);
    const marks = summary.map((one: { relation: string; contradicted: boolean }) => [one.relation, one.contradicted]);
    expect(marks).to.have.deep.members([
      ['memory:likes', false],
      ['memory:hair', true],
    ]);
  });

  it('has all its values on a card', async () => {
    const card = (await node.request('GET', '/v1/cards/user:a?scope=company', { key: node.key })).body;
    expect(card.contradicted_count).to.equal(1);
    expect(card.summary).to.contain('tea').and.to.contain('jam');
  });
});
