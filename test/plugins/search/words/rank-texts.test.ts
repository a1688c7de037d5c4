import { expect } from 'chai';
import fc from 'fast-check';
import { MemoryIndex } from '../../../../plugins/search/index/memory-index.ts';
import { createTextRanker } from '../../../../plugins/search/words/rank-texts.ts';
import { findWords } from '../../../contract/search-index/ask-index.ts';
import { SAMPLE_MS, sampleFact } from '../../../kit/fact-samples.ts';
import { RUNS } from '../../../kit/property-runs.ts';
import { TEST_SEED } from '../index/test-seed.ts';

const ranker = createTextRanker(TEST_SEED);
const WORDS = ['deploy', 'deploys', 'roll', 'back', 'the', 'database', 'Zoë', '2023-05-08', "don't", 'x*'] as const;
const sentence = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 12 }).map((words) => words.join(' '));

describe('texts that are ranked by their words outside the index', () => {
  it('get the same scores as facts with the same words in the index', () =>
    fc.assert(
      fc.asyncProperty(sentence, fc.array(sentence, { minLength: 1, maxLength: 8 }), async (query, texts) => {
        const index = MemoryIndex.create(TEST_SEED);
        const facts = texts.map((v, n) => sampleFact(n, { value: { type: 'text', v, interpretAs: 'content' } }));
        for (const fact of facts) index.add(fact);
        const view = {
          tenantId: 'default',
          scopes: ['company' as const],
          gardens: [],
          nowMs: SAMPLE_MS,
          minConfidence: 0,
        };
        const hits = await findWords(index, query, view, texts.length);
        const inIndex = new Map(hits.map(({ id, score }) => [id, score]));
        const lines = facts.map(
          ({ entity, relation, value, timestamp }) => `${entity} ${relation} ${value.v} ${timestamp.slice(0, 10)}`,
        );
        for (const [at, score] of ranker.rank(query, lines).entries()) {
          expect(score).to.be.closeTo(inIndex.get(facts[at]?.id ?? '') ?? 0, 1e-9);
        }
      }),
      { numRuns: RUNS },
    ));

  it('get finite scores of 0 or more for any texts, equal ones for equal texts, and 0 without a common word', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.string({ unit: 'grapheme' })), (query, texts) => {
        const scores = ranker.rank(query, [...texts, ...texts, '']);
        expect(scores).to.have.length(texts.length * 2 + 1);
        for (const score of scores) expect(score).to.satisfy((n: number) => Number.isFinite(n) && n >= 0);
        expect(scores.slice(0, texts.length)).to.deep.equal(scores.slice(texts.length, -1));
        expect(scores.at(-1)).to.equal(0);
      }),
      { numRuns: RUNS },
    ));

  it('get no scores for an empty list or query', () => {
    expect(ranker.rank('a question', [])).to.deep.equal([]);
    expect(ranker.rank('', ['a', 'b'])).to.deep.equal([0, 0]);
  });
});
