import { expect } from 'chai';
import fc from 'fast-check';
import { importConsoleModule } from '../../kit/console-module.ts';

type Weights = Readonly<Record<string, number>>;

interface WeightsModule {
  readonly WEIGHT_NAMES: readonly string[];
  readonly USUAL_WEIGHTS: Weights;
  readWeights(text: string | undefined): Weights;
  spellWeights(weights: Weights): string | undefined;
  sharesOf(weights: Weights): Weights;
  moveWeight(weights: Weights, moved: string, to: number): Weights;
}

describe('the weights of the recall debugger', () => {
  let weights: WeightsModule;
  before(async () => {
    weights = await importConsoleModule('screens/recall/weights.ts');
  });

  const sumOf = (each: Weights): number => Object.values(each).reduce((sum, one) => sum + one, 0);

  it('always have the same sum after any moves of their sliders, and are never negative', () => {
    const move = fc.tuple(fc.constantFrom(...weights.WEIGHT_NAMES), fc.double({ min: -50, max: 150, noNaN: true }));
    fc.assert(
      fc.property(fc.array(move, { maxLength: 20 }), (moves) => {
        let now = weights.USUAL_WEIGHTS;
        for (const [name, to] of moves) {
          now = weights.moveWeight(now, name, to);
          expect(sumOf(now)).to.equal(100);
          expect(now[name]).to.equal(Math.min(100, Math.max(0, Math.round(to))));
          for (const each of Object.values(now)) expect(Number.isInteger(each) && each >= 0).to.equal(true);
        }
        expect(weights.readWeights(weights.spellWeights(now))).to.deep.equal(now);
        expect(sumOf(weights.sharesOf(now))).to.be.closeTo(1, 1e-12);
      }),
    );
  });

  it('have their defaults if the address of the page is invalid', () => {
    for (const text of [undefined, '', '100', '50-50-0-0', '50-50-1-0-0', '-1-101-0-0-0', '1e2-0-0-0', 'a-b-c-d-e']) {
      expect(weights.readWeights(text), text).to.deep.equal(weights.USUAL_WEIGHTS);
    }
    expect(weights.spellWeights(weights.USUAL_WEIGHTS)).to.equal(undefined);
  });
});
