import { expect } from 'chai';
import fc from 'fast-check';
import type { Unit } from '../../../plugins/instructions/manifest.ts';
import { selectUnits } from '../../../plugins/instructions/select-units.ts';
import { RUNS } from '../../kit/property-runs.ts';

interface MadeUnit {
  readonly unit: Unit;
  readonly score: number;
  /** The size of the text, or null for a unit without a visible text. */
  readonly tokens: number | null;
}

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'];

const madeUnit: fc.Arbitrary<Omit<MadeUnit, 'unit'> & Pick<Unit, 'isGuaranteed' | 'isPrepended'>> = fc.record({
  isGuaranteed: fc.boolean(),
  isPrepended: fc.boolean(),
  score: fc.oneof(fc.constant(0), fc.constantFrom(0.5, 1, 2), fc.double({ min: 0, max: 40, noNaN: true })),
  tokens: fc.option(fc.integer({ min: 1, max: 60 })),
});

const madeUnits = fc.array(madeUnit, { maxLength: names.length }).map((made) => {
  let guaranteed = 0;
  return made.map(({ isGuaranteed, isPrepended, score, tokens }, at): MadeUnit => {
    const isLucky = isGuaranteed && guaranteed < 5;
    if (isLucky) guaranteed += 1;
    const name = names[at] as string;
    const said = { description: '', factUri: name, pinnedCid: null, intents: [], keywords: [], taskTypes: [] };
    const unit = { name, ...said, tokenEstimate: 0 };
    return { unit: { ...unit, isGuaranteed: isLucky, isPrepended, requiredByTaskTypes: [] }, score, tokens };
  });
});

const requests = fc.record({
  hints: fc.array(fc.constantFrom(...names, 'unknown'), { maxLength: 6 }),
  maxChunks: fc.integer({ min: 1, max: 6 }),
  tokenBudget: fc.integer({ min: 1, max: 150 }),
});

const select = (made: readonly MadeUnit[], request: Parameters<typeof selectUnits>[2]) =>
  selectUnits(
    made.map(({ unit }) => unit),
    made.map(({ score }) => score),
    request,
    async ({ name }) => {
      const tokens = made.find(({ unit }) => unit.name === name)?.tokens;
      return tokens == null ? undefined : { tokens };
    },
  );

describe('the units selected from a manifest', () => {
  it('are hinted units, then the best matches within slots and budget, and all guaranteed units', () =>
    fc.assert(
      fc.asyncProperty(madeUnits, requests, async (made, request) => {
        const { selected, totalTokens, truncated, missedHints } = await select(made, request);
        const chosen = selected.map(({ unit }) => unit.name);
        const hints = [...new Set(request.hints)];
        const isGuaranteed = (name: string) => made.find(({ unit }) => unit.name === name)?.unit.isGuaranteed === true;
        const isFirst = (name: string) =>
          isGuaranteed(name) && made.find(({ unit }) => unit.name === name)?.unit.isPrepended === true;
        const tokensOf = (list: readonly string[]) =>
          list.reduce((sum, name) => sum + (made.find(({ unit }) => unit.name === name)?.tokens ?? 0), 0);

        expect(new Set(chosen).size).to.equal(chosen.length);
        // All guaranteed units with a visible text are selected, at most five.
        const due = made.filter(({ unit, tokens }) => unit.isGuaranteed && tokens !== null);
        expect(chosen.filter(isGuaranteed)).to.have.members(due.map(({ unit }) => unit.name));
        expect(chosen.filter(isGuaranteed).length).to.be.at.most(5);
        // Slots and token budget limit all other units.
        const others = chosen.filter((name) => !isGuaranteed(name));
        expect(others.length).to.be.at.most(request.maxChunks);
        expect(tokensOf(others)).to.be.at.most(request.tokenBudget);
        expect(totalTokens).to.equal(tokensOf(chosen));
        if (totalTokens > request.tokenBudget) expect(truncated).to.equal(true);

        // The order is: prepended units, hinted units, matches by score, remaining guaranteed units.
        const phase = (name: string) => {
          if (isFirst(name)) return 0;
          if (hints.includes(name)) return 1;
          return isGuaranteed(name) ? 3 : 2;
        };
        const phases = chosen.map(phase);
        expect(phases).to.deep.equal([...phases].sort());
        expect(chosen.filter((name) => phase(name) === 1)).to.deep.equal(
          hints.filter((name) => chosen.includes(name) && !isFirst(name)),
        );
        const byIntent = selected.filter(({ unit }) => phase(unit.name) === 2).map(({ score }) => score);
        expect(byIntent).to.deep.equal([...byIntent].sort((a, b) => b - a));
        for (const score of byIntent) expect(score).to.be.within(Number.MIN_VALUE, 1);
        expect(missedHints).to.deep.equal(hints.filter((name) => !chosen.includes(name)));

        // Every matching unit that fits into the rest of the budget is selected.
        const left = request.tokenBudget - tokensOf(chosen.filter((name) => phase(name) !== 3));
        if (others.length < request.maxChunks) {
          for (const { unit, score, tokens } of made) {
            if (chosen.includes(unit.name) || tokens === null || score === 0) continue;
            expect(tokens).to.be.above(left);
            expect(truncated).to.equal(true);
          }
        }
      }),
      { numRuns: RUNS * 5 },
    ));

  it('do not depend on units without visible text, which count as missing when they are hinted', () =>
    fc.assert(
      fc.asyncProperty(madeUnits, requests, async (made, request) => {
        const withThem = await select(made, request);
        const withoutThem = await select(
          made.filter(({ tokens }) => tokens !== null),
          request,
        );
        expect(withThem).to.deep.equal(withoutThem);
      }),
      { numRuns: RUNS },
    ));
});
