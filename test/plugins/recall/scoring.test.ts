import { expect } from 'chai';
import fc from 'fast-check';
import { plainView } from '../../../kernel/internal-api.ts';
import { withMark } from '../../../kernel/plugin-api.ts';
import { CONTRADICTED } from '../../../plugins/conflicts/conflicts-api.ts';
import { estimateTokens, factLine } from '../../../plugins/recall/fact-line.ts';
import { fuse, normaliseStages } from '../../../plugins/recall/fuse-stages.ts';
import { accessSignal, salienceOf, weigh } from '../../../plugins/recall/salience.ts';
import { DEFAULT_WEIGHTS, readWeights } from '../../../plugins/recall/stage-weights.ts';
import { shareOfQuery, trustInWords } from '../../../plugins/recall/trust-in-words.ts';
import { SOURCE_TRUST } from '../../../plugins/source-trust/source-trust-api.ts';
import { sampleFact } from '../../kit/fact-samples.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { thrownError } from '../../kit/thrown-error.ts';

const DAY_MS = 86_400_000;
const NEUTRAL = { access: 0, gardenTier: 1 };

const viewOf = (members: Parameters<typeof sampleFact>[1] = {}, contradicted = false, sourceTrust?: number) => {
  const view = plainView(sampleFact(1, members));
  const marked = contradicted ? withMark(view, CONTRADICTED, true) : view;
  return sourceTrust === undefined ? marked : withMark(marked, SOURCE_TRUST, sourceTrust);
};

describe('stage weights', () => {
  it('are accepted in every spelling that clients use, and missing ones are 0', () => {
    expect(readWeights({ lex: 0.4, semantic: 0.5, recency: 0.1 }, 'body.weights')).to.deep.equal({
      lexical: 0.4,
      vector: 0.5,
      graph: 0,
      sourceTrust: 0,
      recency: 0.1,
    });
    const other = { lexical: 0.2, vec: 0.2, graph: 0.2, source_trust: 0.2, recency: 0.2 };
    expect(readWeights(other, 'body.weights')).to.deep.equal({
      lexical: 0.2,
      vector: 0.2,
      graph: 0.2,
      sourceTrust: 0.2,
      recency: 0.2,
    });
  });

  for (const sum of [0.9995, 1.0005, 0.999, 1.001]) {
    it(`may add up to ${sum}`, () => {
      expect(readWeights({ lexical: 0.5, vector: sum - 0.5 }, 'body.weights').lexical).to.equal(0.5);
    });
  }

  for (const [what, given] of [
    ['add up to 0.9985', { lexical: 0.5, vector: 0.4985 }],
    ['add up to 1.0015', { lexical: 0.5, vector: 0.5015 }],
    ['hold a negative one', { lexical: -1, vector: 1, graph: 1 }],
    ['hold text', { lexical: '1' }],
    ['hold NaN', { lexical: Number.NaN }],
    ['name one twice', { lexical: 0.5, lex: 0.5 }],
    ['name one that there is not', { lexical: 0.5, luck: 0.5 }],
    ['name a member of every object', { constructor: 1 }],
    ['are none', {}],
    ['are a list', [1]],
    ['are null', null],
  ] as const) {
    it(`are refused when they ${what}`, () => {
      expect(thrownError(() => readWeights(given, 'body.weights'))).to.include({
        status: 400,
        code: 'invalid_weights',
      });
    });
  }
});

describe('the combined score of all stages', () => {
  it('divides each stage score by the best one of its stage, and counts a missing one as 0', () => {
    const scores = normaliseStages({
      trust: 1,
      lexical: [
        { id: 'a', score: 8 },
        { id: 'b', score: 4 },
      ],
      semantic: [],
      graph: [{ id: 'b', score: 0.25 }],
    });
    expect(scores.get('a')).to.deep.equal({ lexical: 1, semantic: 0, graph: 0 });
    expect(scores.get('b')).to.deep.equal({ lexical: 0.5, semantic: 0, graph: 1 });
    expect(fuse({ lexical: 0.5, semantic: 1, graph: 0 }, { recency: 1, sourceTrust: 1 }, DEFAULT_WEIGHTS)).to.equal(
      0.65,
    );
  });

  it('uses calibrated vector scores unchanged if words found something', () => {
    const semantic = [{ id: 'b', score: 0.25 }];
    const besideWords = normaliseStages({ lexical: [{ id: 'a', score: 8 }], semantic, graph: [], trust: 1 });
    expect(besideWords.get('b')).to.deep.equal({ lexical: 0, semantic: 0.25, graph: 0 });
    const alone = normaliseStages({ lexical: [], semantic, graph: [], trust: 1 });
    expect(alone.get('b')).to.deep.equal({ lexical: 0, semantic: 1, graph: 0 });
  });

  it('lowers the scores by words beside vectors if even the best hit holds little of the query', () => {
    const [byWords, semantic] = [[{ id: 'a', score: 2 }], [{ id: 'b', score: 0.1 }]];
    const trustOf = (bound: number) => trustInWords(shareOfQuery(byWords, bound));
    const lexicalOf = (bound: number, near = semantic) =>
      normaliseStages({ lexical: byWords, semantic: near, graph: [], trust: trustOf(bound) }).get('a')?.lexical;
    expect(lexicalOf(10)).to.equal(1);
    expect(lexicalOf(30)).to.be.within(0.05, 0.1);
    expect(lexicalOf(1e9)).to.be.above(0);
    expect(lexicalOf(30, []), 'without vectors').to.equal(1);
    expect(trustInWords(shareOfQuery(byWords, undefined)), 'an index that gives no bound').to.equal(1);
  });

  it('lowers the scores of neighbours by up to a half beside vectors, together with those of words', () => {
    const graphOf = (trust: number, semantic = [{ id: 'b', score: 0.1 }]) =>
      normaliseStages({ lexical: [], semantic, graph: [{ id: 'a', score: 0.2 }], trust }).get('a')?.graph;
    expect([graphOf(1), graphOf(0.5), graphOf(0)]).to.deep.equal([1, 0.75, 0.5]);
    expect(graphOf(0, []), 'without vectors').to.equal(1);
  });

  it('stays between 0 and 1 for any hits of the stages', () => {
    const hits = fc.array(fc.record({ id: fc.constantFrom('a', 'b', 'c'), score: fc.double({ min: 0, noNaN: true }) }));
    fc.assert(
      fc.property(hits, hits, hits, (lexical, semantic, graph) => {
        for (const scores of normaliseStages({ lexical, semantic, graph, trust: 1 }).values()) {
          const fused = fuse(scores, { recency: 1, sourceTrust: 1 }, DEFAULT_WEIGHTS);
          expect(fused).to.be.within(0, 1 + 1e-9);
        }
      }),
      { numRuns: RUNS },
    );
  });
});

describe('the score factors for age, confidence, use, garden and source', () => {
  it('have the documented values', () => {
    const nowMs = sampleFact(1).timestampMs + 100 * DAY_MS;
    const salience = salienceOf(viewOf({ confidence: 0.6 }, true, 0.4), { access: 0.5, gardenTier: 0 }, nowMs);
    expect(salience).to.deep.equal({
      recency: Math.exp(-1),
      confidence: 0.6,
      access: 0.5,
      contradiction: 0.7,
      gardenTier: 0.05,
      sourceTrust: 0.7,
    });
  });

  it('treat a fact from the future as a new one', () => {
    expect(salienceOf(viewOf(), NEUTRAL, sampleFact(1).timestampMs - DAY_MS).recency).to.equal(1);
  });

  it('move a score by at most the weight of each signal: age, confidence and use, and never to 0', () => {
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(unit, unit, unit, fc.double({ min: 0, max: 0.5, noNaN: true }), (confidence, access, age, weight) => {
        const nowMs = sampleFact(1).timestampMs + age * 10_000 * DAY_MS;
        const score = weigh(1, salienceOf(viewOf({ confidence }), { access, gardenTier: 1 }, nowMs), weight);
        expect(score).to.be.within((1 - weight) ** 3 - 1e-9, (1 + weight) ** 3 + 1e-9);
        expect(score).to.be.greaterThan(0);
      }),
      { numRuns: RUNS },
    );
  });

  it('count recalls by their logarithm, and zero recalls as 0', () => {
    expect(accessSignal(0, 0)).to.equal(0);
    expect(accessSignal(3, 15)).to.equal(0.5);
    expect(accessSignal(99, 15)).to.equal(1);
  });
});

describe('the estimated number of tokens', () => {
  it('is a quarter of the bytes of the line that an agent reads, and at least 1', () => {
    const fact = sampleFact(1, { entity: 'user:zoë', relation: 'memory:n' });
    const line = factLine({ ...fact, value: { type: 'number', v: 41.5, interpretAs: 'content' } });
    expect(line).to.equal('user:zoë memory:n 41.5');
    expect(estimateTokens(line)).to.equal(Math.ceil(23 / 4));
    expect(estimateTokens('')).to.equal(1);
    expect(factLine({ ...fact, value: { type: 'null', v: null, interpretAs: 'content' } })).to.match(/ null$/);
  });
});

describe('the score for the age of a fact', () => {
  it('is above 0 for any age', () => {
    for (const timestampMs of [Date.UTC(1700, 0), Date.UTC(1, 0) - 1_900 * 365 * DAY_MS]) {
      expect(salienceOf(viewOf({ timestampMs }), NEUTRAL, Date.UTC(2026, 0)).recency).to.be.above(0);
    }
  });
});
