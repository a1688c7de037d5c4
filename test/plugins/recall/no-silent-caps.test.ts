import { expect } from 'chai';
import type { FactDraft } from '../../../kernel/plugin-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { refDraft, WRITER } from '../graph/ref-drafts.ts';

const CROWD = 600;
const note = (n: number, entity: string, v: string): FactDraft =>
  refDraft(entity, v, { relation: `memory:r${n}`, value: { type: 'string', v, interpretAs: 'content' } });

/** Pairs of facts that contradict each other, and match better than `weaker`. */
const rivals = (pairs: number): FactDraft[] =>
  Array.from({ length: pairs }, (_, n) =>
    [`walrus ${n}`, `walrus minus ${n}`].map((v) => note(0, `sea:${n}`, v)),
  ).flat();
const weaker = (count: number): FactDraft[] =>
  Array.from({ length: count }, (_, n) => note(n, `ice:${n}`, `walrus ${n} of the far north, with more words`));

forEachStore('the number of recalled facts', () => {
  let node: TestNode;
  let key: string;
  before(async () => {
    node = await startTestNode({ plugins: ['keys', 'facts', 'conflicts', 'recall', 'search'] });
    key = await node.addKey();
    const crowd = Array.from({ length: CROWD }, (_, n) => note(n, `user:${n}`, `lantern ${n}`));
    const ofOne = Array.from({ length: CROWD }, (_, n) => note(n, 'user:one', `thing ${n}`));
    await node.facts.appendAll([...crowd, ...ofOne, ...rivals(100), ...weaker(400)], WRITER);
  });
  after(() => node.stop());

  const recall = async (members: object) => {
    const reply = await node.request('POST', '/v1/recall', { key, body: members });
    expect(reply.status, reply.text).to.equal(200);
    return reply.body as {
      readonly facts: readonly unknown[];
      readonly total_scored: number;
      readonly tokens_used: number;
      readonly truncated: boolean;
    };
  };

  for (const [what, members] of [
    ['of a query', { query: 'lantern' }],
    ['of a query that weighs words alone', { query: 'lantern', weights: { lexical: 1 } }],
    ['of an entity', { entity: 'user:one' }],
    ['of a query about an entity', { query: 'thing', entity: 'user:one' }],
  ] as const) {
    for (const limit of [1, 100, 150, 500]) {
      it(`reaches the limit ${limit} if the budget has room for the facts ${what}`, async () => {
        const { facts, total_scored, truncated } = await recall({ ...members, token_budget: 200_000, limit });
        expect(facts).to.have.length(limit);
        expect(total_scored).to.be.at.least(limit);
        expect(truncated).to.equal(false);
      });
    }
  }

  for (const limit of [100, 150, 300, 500]) {
    it(`reaches the limit ${limit} even if many contradicted facts match better`, async () => {
      const { facts } = await recall({ query: 'walrus', weights: { lexical: 1 }, token_budget: 200_000, limit });
      expect(facts).to.have.length(Math.min(limit, 400));
    });
  }

  it('takes all excluded relations into account, or the query is refused', async () => {
    const ask = (count: number) => {
      const excluded = Array.from({ length: count }, (_, n) => `memory:r${n}`).join();
      return node.request('GET', `/v1/recall?query=lantern&token_budget=2000&exclude_relations=${excluded}`, { key });
    };
    const narrowed = await ask(20);
    expect(narrowed.status, narrowed.text).to.equal(200);
    const shown = narrowed.body.facts.map(({ fact }: { fact: { relation: string } }) => fact.relation);
    expect(shown.filter((relation: string) => /^memory:r1?\d$/.test(relation))).to.deep.equal([]);
    const refused = await ask(21);
    expect(refused.status, refused.text).to.equal(400);
    expect(refused.text).to.contain('query.exclude_relations').and.to.contain('at most 20');
  });

  it('reaches the limit for short facts in a small budget too', async () => {
    const { facts, tokens_used } = await recall({ query: 'lantern', token_budget: 2_000 });
    expect(facts).to.have.length(100);
    expect(tokens_used).to.be.below(2_000);
  });

  it('may be smaller if the budget is used up, which the reply reports', async () => {
    const { facts, tokens_used, truncated } = await recall({ query: 'lantern', token_budget: 200, limit: 500 });
    expect(facts.length).to.be.below(100);
    expect(tokens_used).to.be.within(190, 200);
    expect(truncated).to.equal(true);
  });
});
