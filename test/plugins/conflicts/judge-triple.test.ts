import { expect } from 'chai';
import fc from 'fast-check';
import { type Contender, judgeTriple, strongestRival } from '../../../plugins/conflicts/judge-triple.ts';
import { RUNS } from '../../kit/property-runs.ts';

const contender = fc.record({
  id: fc.uuid(),
  valueKey: fc.constantFrom('a', 'b', 'c'),
  confidence: fc.constantFrom(0.1, 0.5, 0.9, 1),
  hlc: fc.record({ wallMs: fc.integer({ min: 1, max: 3 }), counter: fc.integer({ min: 0, max: 12 }) }),
});
const triple = fc.uniqueArray(contender, { selector: ({ id }) => id, maxLength: 12 });

const fact = (id: string, valueKey: string, confidence: number, counter: number): Contender => ({
  id,
  valueKey,
  confidence,
  hlc: { wallMs: 1, counter },
});

describe('the judgement of a triple', () => {
  it('lets the higher confidence win over the newer fact', () => {
    const { contradicted, losers } = judgeTriple([fact('sure', 'a', 0.9, 1), fact('newer', 'b', 0.8, 2)]);
    expect({ contradicted, losers }).to.deep.equal({ contradicted: true, losers: ['newer'] });
  });

  it('compares stamps as numbers when confidence is equal: counter 10 beats counter 9', () => {
    expect(judgeTriple([fact('ten', 'a', 1, 10), fact('nine', 'b', 1, 9)]).losers).to.deep.equal(['nine']);
  });

  it('leaves every fact standing on an exact tie', () => {
    expect(judgeTriple([fact('x', 'a', 1, 1), fact('y', 'b', 1, 1)])).to.deep.equal({ contradicted: true, losers: [] });
  });

  it('keeps weaker facts that say the same as the winner', () => {
    const { losers } = judgeTriple([fact('win', 'a', 1, 5), fact('same', 'a', 0.1, 1), fact('other', 'b', 0.9, 9)]);
    expect(losers).to.deep.equal(['other']);
  });

  it('sees no contradiction between equal values', () => {
    expect(judgeTriple([fact('x', 'a', 1, 1), fact('y', 'a', 0.5, 2)]).contradicted).to.equal(false);
  });

  it('depends on the set of facts and never on their order', () => {
    fc.assert(
      fc.property(triple, fc.infiniteStream(fc.nat()), (facts, dice) => {
        const shuffled = [...facts].sort(() => ((dice.next().value ?? 0) % 3) - 1);
        const sorted = (losers: readonly string[]) => [...losers].sort();
        expect(sorted(judgeTriple(shuffled).losers)).to.deep.equal(sorted(judgeTriple(facts).losers));
        expect(judgeTriple(shuffled).contradicted).to.equal(judgeTriple(facts).contradicted);
      }),
      { numRuns: RUNS },
    );
  });

  it('never lets a value lose that no other value outranks', () => {
    fc.assert(
      fc.property(triple, (facts) => {
        const losers = new Set(judgeTriple(facts).losers);
        for (const loser of facts.filter(({ id }) => losers.has(id))) {
          const rival = strongestRival(loser, facts);
          const outranks =
            rival !== undefined &&
            (rival.confidence > loser.confidence ||
              (rival.confidence === loser.confidence &&
                (rival.hlc.wallMs > loser.hlc.wallMs ||
                  (rival.hlc.wallMs === loser.hlc.wallMs && rival.hlc.counter > loser.hlc.counter))));
          expect(outranks).to.equal(true);
        }
        if (facts.length > 0) expect(losers.size).to.be.below(facts.length);
      }),
      { numRuns: RUNS },
    );
  });
});
