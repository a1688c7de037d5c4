import { expect } from 'chai';
import fc from 'fast-check';
import { evaluateFilter, type RowExists } from '../../../kernel/facts/evaluate-filter.ts';
import type { StoredFact } from '../../../ports/fact.ts';
import {
  above,
  all,
  any,
  below,
  equals,
  type FactField,
  type Filter,
  inTable,
  isIn,
  isNull,
  not,
} from '../../../ports/fact-filter.ts';
import { RUNS } from '../../kit/property-runs.ts';

const FACT: StoredFact = {
  id: 'f1',
  tenantId: 'default',
  entity: 'User:Alice',
  entityKey: 'user:alice',
  relation: 'memory:role',
  relationKey: 'memory:role',
  scope: 'company',
  value: { type: 'string', v: 'CEO', interpretAs: 'instruction' },
  valueKey: 's:CEO',
  source: 'agent:w1',
  sourceKey: 'agent:w1',
  timestamp: '2026-03-02T09:15:04.120Z',
  timestampMs: 1_772_442_904_120,
  confidence: 0.5,
  validFrom: null,
  validFromMs: null,
  validUntil: null,
  validUntilMs: null,
  gardenId: null,
  cid: `sha256:${'0'.repeat(64)}`,
  derivedFrom: [],
  replaces: [],
  system: false,
  attested: null,
  attestedKeyId: null,
  sessionId: 's/1',
  assertedBy: 'agent:w1',
  receivedFrom: null,
  originNodeId: null,
  speaker: null,
  originId: null,
  hlc: { wallMs: 10, counter: 9 },
  hlcText: '10.9',
  feed: { wallMs: 11, counter: 0 },
};

const noTable: RowExists = () => Promise.reject(new Error('no table should be asked'));
const holds = (filter: Filter, exists = noTable): Promise<boolean> => evaluateFilter(filter, FACT, exists);

describe('a filter over one fact', () => {
  const cases: readonly (readonly [title: string, filter: Filter, expected: boolean])[] = [
    ['every part of nothing holds', all(), true],
    ['some part of nothing does not', any(), false],
    ['all needs every part', all(equals('id', 'f1'), equals('id', 'f2')), false],
    ['any needs one part', any(equals('id', 'f2'), equals('id', 'f1')), true],
    ['not turns a part round', not(equals('id', 'f1')), false],
    ['in takes any of its values', isIn('scope', ['public', 'company']), true],
    ['in takes nothing from an empty list', isIn('scope', []), false],
    ['in compares exactly', equals('entityKey', 'User:Alice'), false],
    ['numbers are not texts', equals('confidence', '0.5'), false],
    ['in compares numbers', equals('confidence', 0.5), true],
    ['booleans compare', equals('system', false), true],
    ['booleans count as 0 and 1', equals('system', 0), true],
    ['true is not false', equals('system', true), false],
    ['a stamp is never in a list', isIn('hlc', ['10.9', 10]), false],
    ['above is strict', above('confidence', 0.5), false],
    ['above holds for less', above('confidence', 0.4), true],
    ['below is strict', below('timestampMs', 1_772_442_904_120), false],
    ['below holds for more', below('timestampMs', 1_772_442_904_121), true],
    ['stamps compare as pairs, 10.10 after 10.9', below('hlc', { wallMs: 10, counter: 10 }), true],
    ['stamps compare strictly', above('hlc', { wallMs: 10, counter: 9 }), false],
    ['stamps compare by wall first', above('hlc', { wallMs: 9, counter: 99 }), true],
    ['the feed stamp is another member', above('feed', { wallMs: 10, counter: 9 }), true],
    ['a null member is null', isNull('validUntilMs'), true],
    ['a filled member is not', isNull('confidence'), false],
    ['the way to interpret is read off the value', equals('interpretAs', 'instruction'), true],
    ['a text is neither above', above('entityKey', 0), false],
    ['nor below a number', below('entityKey', 1e9), false],
    ['a number is not above a stamp', above('confidence', { wallMs: 0, counter: 0 }), false],
    ['a stamp is not above a number', above('hlc', 0), false],
  ];
  for (const [title, filter, expected] of cases) {
    it(title, async () => {
      expect(await holds(filter)).to.equal(expected);
    });
  }

  it('treats every comparison with a null member as false, so that its negation holds', async () => {
    for (const comparison of [
      above('validUntilMs', 0),
      below('validUntilMs', 1e15),
      isIn('gardenId', ['g']),
      equals('receivedFrom', ''),
    ]) {
      expect(await holds(comparison)).to.equal(false);
      expect(await holds(not(comparison))).to.equal(true);
    }
  });

  it('passes store and fact to an `exists` condition', async () => {
    const node = inTable('gardens_members', [{ column: 'garden_id', is: 'equal', field: 'gardenId' }]);
    const asked: unknown[] = [];
    const exists: RowExists = async (given, fact) => {
      asked.push(given, fact);
      return true;
    };
    expect(await holds(not(node), exists)).to.equal(false);
    expect(asked).to.deep.equal([node, FACT]);
  });

  it('evaluates an `exists` condition only if the outcome depends on it', async () => {
    const node = inTable('t', []);
    expect(await holds(all(equals('id', 'other'), node))).to.equal(false);
    expect(await holds(any(equals('id', 'f1'), node))).to.equal(true);
  });

  it('fails when an `exists` condition fails', async () => {
    const failing: RowExists = () => Promise.reject(new Error('gone'));
    const outcome = await holds(any(inTable('t', [])), failing).catch((error: Error) => error.message);
    expect(outcome).to.equal('gone');
  });

  const field = fc.constantFrom<FactField>('id', 'confidence', 'gardenId', 'validUntilMs', 'system', 'hlc', 'feed');
  const stamp = fc.record({ wallMs: fc.integer({ min: 9, max: 12 }), counter: fc.integer({ min: 8, max: 10 }) });
  const number = fc.constantFrom(0, 0.4, 0.5, 1);
  const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.record({
        kind: fc.constant('in' as const),
        field,
        values: fc.array(fc.constantFrom('f1', 'f2', 0, 0.5, false), { maxLength: 3 }),
      }),
      fc.record({ kind: fc.constantFrom('above' as const, 'below' as const), field, value: fc.oneof(number, stamp) }),
      fc.record({ kind: fc.constant('isNull' as const), field }),
      fc.record({ kind: fc.constant('startsWith' as const), field, text: fc.constantFrom('', 'f', 'f1', 'f12') }),
      fc.record({
        kind: fc.constantFrom('all' as const, 'any' as const),
        of: fc.array(tie('filter'), { maxLength: 3 }),
      }),
      fc.record({ kind: fc.constant('not' as const), of: tie('filter') }),
    ),
  }));

  it('obeys De Morgan for any filters, null members included', async () => {
    const law = fc.asyncProperty(filter, filter, async (a, b) => {
      expect(await holds(not(all(a, b)))).to.equal(await holds(any(not(a), not(b))));
      expect(await holds(not(any(a, b)))).to.equal(await holds(all(not(a), not(b))));
      expect(await holds(not(a))).to.equal(!(await holds(a)));
    });
    await fc.assert(law, { numRuns: RUNS });
  });
});
