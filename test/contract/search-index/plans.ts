import { expect } from 'chai';
import type { SearchStep } from '../../../plugins/search/search-api.ts';
import { askStep } from './ask-index.ts';
import { vectorOf } from './pointing-vectors.ts';
import type { CurrentNode } from './search-node.ts';

const VECTOR = vectorOf(1, 1);
const WORDS: SearchStep = { find: 'words', query: 'river stone oak', limit: 9 };

/** The contract of plans with several steps. */
export const describePlans = (current: CurrentNode): void => {
  it('answers each step of a plan as it answers the step alone', async () => {
    const seeds = current()
      .facts.slice(0, 5)
      .map(({ id }, n) => ({ id, score: n + 1 }));
    const ids = seeds.map(({ id }) => id);
    const plan: readonly SearchStep[] = [
      WORDS,
      { find: 'near', vector: VECTOR, floor: 0, limit: 5 },
      { find: 'beside', seeds, limit: 5 },
      { find: 'newest', limit: 5 },
      { find: 'newest', limit: 5, entityKey: 'user:bob' },
      { find: 'spread', vector: VECTOR, of: { ids } },
      { find: 'feedback', vector: VECTOR, from: { ids: ids.slice(0, 2) }, of: { ids } },
      { find: 'share', query: 'river oak', of: { ids } },
    ];
    const view = current().view({ entityKey: 'user:alice' });
    const answers = await current().index.ask(plan, view);
    for (const [at, step] of plan.entries()) {
      expect(answers[at]).to.deep.equal(await askStep(current().index, step, view));
    }
    expect(await current().index.ask([], view)).to.deep.equal([]);
  });

  it('lets a step use the facts that earlier steps found, each once and after its own ids', async () => {
    const view = current().view();
    const { index, facts } = current();
    const given = [facts[3]?.id as string];
    const found = [WORDS, { find: 'newest', limit: 20 }] as const;
    const [words, newest] = await index.ask(found, view);
    const ids = [
      ...new Set([...given, ...[words, newest].flatMap((answer) => answer?.hits.map(({ id }) => id) ?? [])]),
    ];
    for (const first of [1, 4, 12, 1_000, undefined]) {
      const named = { ids: given, foundBy: [0, 1], first };
      const steps = [
        { find: 'share', query: 'river', of: named },
        { find: 'spread', vector: VECTOR, of: named },
        { find: 'feedback', vector: VECTOR, from: named, of: named },
      ] as const;
      const [, , ...answers] = await index.ask([...found, ...steps], view);
      const of = { ids: ids.slice(0, first) };
      const alone = steps.map((step) => (step.find === 'feedback' ? { ...step, from: of, of } : { ...step, of }));
      expect(answers).to.deep.equal(await index.ask(alone, view));
    }
  });

  it('ignores references to steps that come later or do not exist', async () => {
    const view = current().view();
    const share: SearchStep = { find: 'share', query: 'river', of: { foundBy: [1, 7] } };
    expect((await current().index.ask([share, WORDS], view))[0]).to.deep.equal({ hits: [] });
  });

  it('takes and returns data that can be cloned', async () => {
    const plan = structuredClone([WORDS, { find: 'near', vector: VECTOR, floor: 0, limit: 5 } as const]);
    const answers = await current().index.ask(plan, structuredClone(current().view()));
    expect(structuredClone(answers)).to.deep.equal(answers);
  });
};
