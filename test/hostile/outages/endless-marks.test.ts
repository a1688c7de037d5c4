import { expect } from 'chai';
import fc from 'fast-check';
import { LONGEST_RUN_OF_MARKS, normaliseText } from '../../../ports/ports.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { startTestNode } from '../../kit/start-test-node.ts';

/** The largest number of combining marks in the decomposition of one character. */
const MARKS_IN_ONE = 3;
const longestRun = (text: string): number =>
  Math.max(0, ...[...text.matchAll(/\p{M}+/gu)].map(([run]) => [...run].length));

/** Sample characters: marks of several classes, marks that decompose, and letters with and without marks. */
const UNITS = [
  '\u0301', '\u0316', '\u0345', '\u0344', '\u0f71', '\u0f73', '\u0f81', '\u3099', '\uff9e', '\uff9f', '\u20dd',
  '\u034f', '\u{1d165}', '\u{1d15e}', '\u094d', '\u0bcd', '\u05b0', '\u302e', 'a', 'é', 'ᾳ', '각', '\u1100', '\ufdfa', ' ',
]; // biome-ignore format: an alphabet
const hostile = fc
  .array(fc.tuple(fc.constantFrom(...UNITS), fc.integer({ min: 1, max: 120 })), { maxLength: 12 })
  .map((runs) => runs.map(([unit, times]) => unit.repeat(times)).join(''));
const runsOfPairs = fc
  .tuple(fc.constantFrom(...UNITS), fc.constantFrom(...UNITS), fc.integer({ min: 1, max: 400 }))
  .map(([one, other, times]) => `a${(one + other).repeat(times)}`);

describe('A writer stores a letter with thousands of combining marks, which are slow to normalise (I21)', () => {
  it('and the node sorts combining marks in runs of at most thirty', () =>
    fc.assert(
      fc.property(fc.oneof(hostile, runsOfPairs), fc.constantFrom('NFC' as const, 'NFKD' as const), (text, form) => {
        const normal = normaliseText(text, form);
        const bound = (LONGEST_RUN_OF_MARKS + 1) * MARKS_IN_ONE;
        for (const run of normal.split('\u034f')) expect(longestRun(run)).to.be.at.most(bound);
        expect(normal.length).to.be.at.most(text.length * 19 + 1);
      }),
      { numRuns: RUNS },
    ));

  it('and any other text is normalised as Unicode requires', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom('NFC' as const, 'NFKD' as const), (text, form) => {
        const isLong = /[\p{M}\uff9e\uff9f]{31}/u.test(text);
        fc.pre(!isLong);
        expect(normaliseText(text, form)).to.equal(text.normalize(form));
      }),
      { numRuns: RUNS },
    ));

  it('and its facts are stored, recalled and reloaded like others', async () => {
    const node = await startTestNode({ plugins: ['keys', 'facts', 'recall', 'search'] });
    try {
      const key = await node.addKey();
      const v = `zebra ${`a${'\u0301\u0316'.repeat(80_000)}`} giraffe`;
      const body = { entity: 'user:a', relation: 'memory:note', value: { type: 'text', v }, source: 'agent:s' };
      expect((await node.request('POST', '/v1/facts', { key, body })).status).to.equal(201);
      for (const query of ['zebra', 'giraffe', `giraffe a${'\u0301\u0316'.repeat(2_000)}`]) {
        const reply = await node.request('POST', '/v1/recall', { key, body: { query, token_budget: 200_000 } });
        expect(reply.body.facts.map((one: { fact: { entity: string } }) => one.fact.entity)).to.deep.equal(['user:a']);
      }
    } finally {
      await node.stop();
    }
  });
});
