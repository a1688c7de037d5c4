import { expect } from 'chai';
import fc from 'fast-check';
import type { Recalled } from '../../../plugins/recall/recall-api.ts';
import { countedText } from '../../../plugins/recall/recall-json.ts';
import { RUNS } from '../../kit/property-runs.ts';

const bytesOf = (text: string): number => Buffer.byteLength(text);

describe('A recall with selected fields', () => {
  it('returns as many facts as its budget holds, and states its length', () => {
    const fact = fc.string({ unit: 'grapheme', maxLength: 60 }).map((v) => JSON.stringify({ v }));
    fc.assert(
      fc.property(fc.array(fact, { maxLength: 30 }), fc.integer({ min: 1, max: 500 }), (texts, tokenBudget) => {
        const recalled = {
          recallId: 'r',
          queryHash: 'q',
          tokenBudget,
          tokensUsed: 0,
          omitted: { budget: 2, contradicted: 1 },
          totalScored: 40,
          facts: texts.map(() => ({})),
          members: new Map(),
          degraded: [],
        } as unknown as Recalled;
        const answer = countedText(recalled, texts, { members: [] });
        const { facts, tokens_used, omitted, truncated } = JSON.parse(answer);
        expect(JSON.stringify(facts)).to.equal(`[${texts.slice(0, facts.length).join()}]`);
        expect(omitted).to.deep.equal({ budget: 2 + texts.length - facts.length, contradicted: 1 });
        expect(truncated).to.equal(true);
        if (facts.length === 0) expect(tokens_used).to.equal(0);
        else expect(tokens_used).to.be.within(Math.floor(bytesOf(answer) / 4), tokenBudget);
        const next = texts[facts.length];
        if (next !== undefined && facts.length > 0) {
          expect((bytesOf(answer) + bytesOf(next) + 3) / 4).to.be.above(tokenBudget - 1);
        }
      }),
      { numRuns: RUNS },
    );
  });
});
