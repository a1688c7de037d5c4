import { expect } from 'chai';
import fc from 'fast-check';
import { type Packable, packByMmr } from '../../../plugins/recall/pack-by-mmr.ts';
import { similarityOf, textSignature } from '../../../plugins/recall/text-signature.ts';
import { RUNS } from '../../kit/property-runs.ts';

const one = (rank: number, tokens: number, text: string, byScore = false) => ({
  rank,
  tokens,
  text,
  byScore,
  signature: () => textSignature(text),
});

const candidates = fc
  .array(
    fc.record({
      score: fc.double({ min: 0, max: 1, noNaN: true }),
      tokens: fc.integer({ min: 1, max: 60 }),
      text: fc.constantFrom('red house', 'red house near the sea', 'blue car', 'a green boat', ''),
      byScore: fc.boolean(),
    }),
    { maxLength: 30 },
  )
  .map((all) => all.map(({ score, tokens, text, byScore }) => one(score, tokens, text, byScore)))
  .map((all) => all.sort((a, b) => b.rank - a.rank));
const options = fc.record({
  budget: fc.integer({ min: 1, max: 400 }),
  limit: fc.integer({ min: 1, max: 30 }),
  lambda: fc.double({ min: 0, max: 1, noNaN: true }),
});

const sum = (all: readonly Packable[]): number => all.reduce((total, { tokens }) => total + tokens, 0);

/** A literal implementation of Maximal Marginal Relevance. */
const packPlainly = (all: readonly Packable[], budget: number, limit: number, lambda: number): Packable[] => {
  const packed: Packable[] = [];
  const best = all[0]?.rank || 1;
  const likeness = ({ signature, byScore }: Packable): number =>
    byScore ? 0 : Math.max(0, ...packed.map((other) => similarityOf(signature(), other.signature())));
  while (packed.length < limit) {
    const left = budget - sum(packed);
    const fitting = all.filter((one) => !packed.includes(one) && one.tokens <= left);
    const values = fitting.map((one) => lambda * (one.rank / best) - (1 - lambda) * likeness(one));
    const chosen = fitting[values.indexOf(Math.max(...values))];
    if (chosen === undefined) break;
    packed.push(chosen);
  }
  return packed;
};

describe('the choice of facts for a budget (maximal marginal relevance)', () => {
  it('never exceeds budget and limit, takes no fact twice, and includes the best fact that fits', () => {
    fc.assert(
      fc.property(candidates, options, (all, { budget, limit, lambda }) => {
        const { packed } = packByMmr(all, { budget, limit, lambda });
        expect(sum(packed)).to.be.at.most(budget);
        expect(packed.length).to.be.at.most(limit);
        expect(new Set(packed).size).to.equal(packed.length);
        const best = all.find(({ tokens }) => tokens <= budget);
        if (best === undefined) expect(packed).to.deep.equal([]);
        else expect(packed.map(({ rank }) => rank)).to.include(best.rank);
      }),
      { numRuns: RUNS },
    );
  });

  it('takes next the fact that adds most to the chosen ones', () => {
    fc.assert(
      fc.property(candidates, options, (all, { budget, limit, lambda }) => {
        expect(packByMmr(all, { budget, limit, lambda }).packed).to.deep.equal(packPlainly(all, budget, limit, lambda));
      }),
      { numRuns: RUNS },
    );
  });

  it('names each fact that did not fit into the budget', () => {
    fc.assert(
      fc.property(candidates, options, (all, { budget, lambda }) => {
        const { packed, unfit } = packByMmr(all, { budget, limit: all.length + 1, lambda });
        expect([...packed, ...unfit]).to.have.members(all);
      }),
      { numRuns: RUNS },
    );
  });

  it('takes facts strictly by score when lambda is 1', () => {
    fc.assert(
      fc.property(candidates, options, (all, { budget, limit }) => {
        const greedy: Packable[] = [];
        for (const candidate of all) {
          if (greedy.length < limit && sum(greedy) + candidate.tokens <= budget) greedy.push(candidate);
        }
        expect(packByMmr(all, { budget, limit, lambda: 1 }).packed).to.deep.equal(greedy);
      }),
      { numRuns: RUNS },
    );
  });

  it('prefers a new statement over a better one that repeats a chosen fact', () => {
    const repeated = one(0.95, 10, 'red house near the sea');
    const all = [one(1, 10, 'red house near the sea'), repeated, one(0.8, 10, 'a green boat')];
    expect(packByMmr(all, { budget: 20, limit: 9, lambda: 0.5 }).packed).to.deep.equal([all[0], all[2]]);
    expect(packByMmr(all, { budget: 20, limit: 9, lambda: 1 }).packed).to.deep.equal([all[0], repeated]);
  });

  it('lets a fact repeat a chosen one if it is marked to be judged by its score alone', () => {
    const all = [one(1, 10, 'red house'), one(0.95, 10, 'red house', true), one(0.8, 10, 'a green boat')];
    expect(packByMmr(all, { budget: 20, limit: 9, lambda: 0.5 }).packed).to.deep.equal(all.slice(0, 2));
  });
});
