import { expect } from 'chai';
import fc from 'fast-check';
import { MemoryIndex } from '../../../../plugins/search/index/memory-index.ts';
import type { StoredFact } from '../../../../ports/ports.ts';
import { findBeside, findNewest, findShares, findWords } from '../../../contract/search-index/ask-index.ts';
import { idsOf, sampleFact } from '../../../kit/fact-samples.ts';
import { RUNS } from '../../../kit/property-runs.ts';
import { SAMPLE_VIEW } from '../sample-view.ts';
import { TEST_SEED } from './test-seed.ts';

const WORDS = ['harbour', 'lantern', 'lavender', 'quiet', 'voyage'];

const drafts = fc.array(
  fc.record({
    words: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }),
    isHidden: fc.boolean(),
    session: fc.option(fc.constantFrom('one', 'two')),
  }),
  { minLength: 1, maxLength: 20 },
);

describe('an index with hidden facts', () => {
  /** The named facts are seeds, also while they are hidden. */
  const searches = async (index: MemoryIndex, named: readonly string[]) => {
    const lexical = await findWords(index, WORDS.join(' '), SAMPLE_VIEW, 30);
    return [
      lexical,
      await findWords(index, 'lantern', SAMPLE_VIEW, 3),
      await findNewest(index, SAMPLE_VIEW, 30),
      await findBeside(index, lexical.slice(0, 3), SAMPLE_VIEW, 30),
      await findBeside(
        index,
        named.map((id) => ({ id, score: 1 })),
        SAMPLE_VIEW,
        30,
      ),
      await findShares(index, 'lantern voyage', named, SAMPLE_VIEW),
    ];
  };

  it('finds the same as an index without those facts, with equal scores, and all once they are shown again', () =>
    fc.assert(
      fc.asyncProperty(drafts, async (story) => {
        const facts = story.map(({ words, isHidden, session }, n) => {
          const value = { type: 'text', v: words.join(' '), interpretAs: 'content' } as const;
          return { fact: sampleFact(n, { value, sessionId: session }) as StoredFact, isHidden };
        });
        const indexOf = (some: readonly { fact: StoredFact }[]): MemoryIndex => {
          const index = MemoryIndex.create(TEST_SEED);
          for (const { fact } of some) index.add(fact);
          return index;
        };
        const hidden = facts.filter(({ isHidden }) => isHidden);
        const index = indexOf(facts);
        for (const { fact } of hidden) index.withhold(fact, true);
        for (const { fact } of hidden) index.withhold(fact, true);
        const named = idsOf(facts.map(({ fact }) => fact));
        const without = indexOf(facts.filter(({ isHidden }) => !isHidden));
        expect(await searches(index, named)).to.deep.equal(await searches(without, named));
        for (const { fact } of hidden) index.withhold(fact, false);
        expect(await searches(index, named)).to.deep.equal(await searches(indexOf(facts), named));
      }),
      { numRuns: RUNS },
    ));
});
