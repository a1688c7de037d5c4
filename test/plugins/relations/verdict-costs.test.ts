import { expect } from 'chai';
import fc from 'fast-check';
import { evaluateFilter } from '../../../kernel/facts/evaluate-filter.ts';
import { createVerdicts } from '../../../plugins/relations/relation-verdicts.ts';
import type { StoredRule } from '../../../plugins/relations/rule-row.ts';
import type { StoredFact } from '../../../ports/ports.ts';
import { RUNS } from '../../kit/property-runs.ts';

const MOST_RULES = 200;
/** Each rule is read once for its kind, and once or twice for its place among the prefixes. */
const MOST_READS_A_RULE = 4;

const ruleOf = (key: string, values: StoredRule['values']): StoredRule => ({
  tenantId: 'default',
  key,
  pattern: key,
  values,
  valueType: null,
  setBy: 'agent:admin',
  setMs: 0,
  since: { wallMs: 0, counter: 0 },
});

/** Returns how often the verdicts of these patterns read what a rule says. Rules say `many` and `one` in turn. */
const readsOf = (keys: readonly string[]): number => {
  let reads = 0;
  const rules = keys.map((key, at) =>
    Object.defineProperty({ ...ruleOf(key, 'one') }, 'values', {
      get: () => {
        reads += 1;
        return at % 2 === 0 ? 'many' : 'one';
      },
    }),
  );
  createVerdicts(rules);
  return reads;
};

const numbers = Array.from({ length: MOST_RULES }, (_, at) => at);
const SHAPES: Readonly<Record<string, readonly string[]>> = {
  'each within the one before': numbers.map((at) => `x:${'a'.repeat(at)}*`),
  'beside each other': numbers.map((at) => `x:${at}-*`),
  'in pairs': numbers.map((at) => `x:${at >> 1}-${'a'.repeat(at % 2)}*`),
};

describe('the verdicts of relation rules', () => {
  for (const [shape, keys] of Object.entries(SHAPES)) {
    it(`read each rule a few times, with the most prefixes ${shape}`, () => {
      expect(readsOf(keys)).to.be.at.most(MOST_READS_A_RULE * MOST_RULES);
    });
  }

  it('select by their filter exactly the relations that hold many values', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 5 });
    const key = fc.tuple(text, fc.constantFrom('', '*')).map(([letters, rest]) => letters + rest);
    const rules = fc.uniqueArray(fc.tuple(key, fc.constantFrom('one' as const, 'many' as const)), {
      selector: ([pattern]) => pattern,
      maxLength: 14,
    });
    const property = fc.asyncProperty(rules, fc.array(text, { minLength: 1 }), async (given, relations) => {
      const verdicts = createVerdicts(given.map(([pattern, values]) => ruleOf(pattern, values)));
      for (const relationKey of relations) {
        const fact = { relationKey } as StoredFact;
        const isSelected =
          verdicts.many !== undefined && (await evaluateFilter(verdicts.many, fact, async () => false));
        expect(isSelected, relationKey).to.equal(verdicts.holdsMany(relationKey));
      }
    });
    await fc.assert(property, { numRuns: RUNS });
  });
});
