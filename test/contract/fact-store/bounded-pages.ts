import { expect } from 'chai';
import { valueBytesOf } from '../../../kernel/facts/value-bytes.ts';
import { all, equals, type FactQuery, type FactValue, isIn, type StoredFact } from '../../../ports/ports.ts';
import { sampleFact, sampleId, storeFacts } from '../../kit/fact-samples.ts';
import type { CurrentStore } from '../fact-store-contract.ts';

const LONG = 100_000;

const typeOf = (v: FactValue['v']): FactValue['type'] => {
  if (v === null) return 'null';
  return typeof v === 'string' ? 'text' : (typeof v as 'number' | 'boolean');
};

const textFact = (n: number, text: string | null): StoredFact =>
  sampleFact(n, { value: { type: text === null ? 'null' : 'text', v: text, interpretAs: 'content' } });

export const describeBoundedPages = (current: CurrentStore): void => {
  const find = (query: Partial<FactQuery>): Promise<StoredFact[]> =>
    current().store.read((snapshot) => snapshot.find({ filter: all(), order: 'feed', limit: 100, ...query }));
  const textsOf = (facts: readonly StoredFact[]) => facts.map(({ value }) => value.v);

  describe('a page of facts with a limit in bytes', () => {
    it('ends with the fact whose value reaches the limit, in every order', async () => {
      const facts = [1, 2, 3, 4].map((n) => textFact(n, String(n).repeat(LONG)));
      await storeFacts(current().store, facts);
      for (const order of ['feed', 'hlc', 'timestamp'] as const) {
        const whole = await find({ order });
        for (const [maxBytes, count] of [
          [0, 1],
          [1, 1],
          [LONG, 1],
          [LONG + 1, 2],
          [3 * LONG, 3],
          [4 * LONG + 1, 4],
        ] as const) {
          expect(await find({ order, maxBytes }), `${order} ${maxBytes}`).to.deep.equal(whole.slice(0, count));
        }
      }
      const after = { timestampMs: facts[2]?.timestampMs ?? 0, id: facts[2]?.id ?? '' };
      expect(textsOf(await find({ order: 'timestamp', after, maxBytes: LONG }))).to.deep.equal(['2'.repeat(LONG)]);
      const ids = isIn('id', [1, 3].map(sampleId));
      expect(textsOf(await find({ filter: ids, maxBytes: LONG + 1 }))).to.deep.equal(
        ['1', '3'].map((c) => c.repeat(LONG)),
      );
    });

    it('returns short, long and absent values as stored', async () => {
      const texts = [
        '',
        'a',
        'é'.repeat(3_000),
        'x'.repeat(4_096),
        'x'.repeat(4_097),
        '\u{1F600}"\\\n'.repeat(5_000),
        null,
      ];
      await storeFacts(
        current().store,
        texts.map((text, n) => textFact(n, text)),
      );
      expect(textsOf(await find({ maxBytes: 10_000_000 }))).to.deep.equal(texts);
    });

    it('counts bytes, not characters', async () => {
      const facts = [1, 2, 3].map((n) => textFact(n, '\u{1F600}'.repeat(1_000)));
      await storeFacts(current().store, facts);
      expect(await find({ maxBytes: 4_001 })).to.have.length(2);
      expect(await find({ maxBytes: 4_000 })).to.have.length(1);
    });

    it('has no more facts than its limit', async () => {
      await storeFacts(
        current().store,
        [1, 2, 3].map((n) => textFact(n, 'short')),
      );
      expect(await find({ limit: 2, maxBytes: 1_000 })).to.have.length(2);
    });
  });

  describe('long values that a query leaves out', () => {
    const texts = ['a', '1'.repeat(LONG), '2'.repeat(3 * LONG), '3'.repeat(LONG), null, 'é'.repeat(LONG / 2)];
    const unread = (fact: StoredFact): StoredFact => ({
      ...fact,
      value: { ...fact.value, v: '' },
      unreadBytes: valueBytesOf([fact]),
    });

    for (const [what, longValues, left] of [
      ['none', { each: 3 * LONG, total: 6 * LONG }, []],
      ['all', { each: 0, total: 0 }, [1, 2, 3, 5]],
      ['those above the limit of one value', { each: LONG, total: 9 * LONG }, [2]],
      ['those behind the limit of all values', { each: LONG, total: 2 * LONG }, [2, 5]],
      ['those that do not fit into the rest', { each: 9 * LONG, total: 3 * LONG }, [2]],
    ] as const) {
      it(`are ${what}, and have their lengths`, async () => {
        const facts = texts.map((text, n) => textFact(n, text));
        await storeFacts(current().store, facts);
        const numbers: readonly number[] = left;
        const expected = facts.map((fact, n) => (numbers.includes(n) ? unread(fact) : fact));
        expect(await find({ longValues })).to.deep.equal(expected);
        const filter = all(
          equals('tenantId', 'default'),
          isIn(
            'id',
            facts.map(({ id }) => id),
          ),
        );
        for (let time = 1; time <= 3; time += 1) {
          expect(await find({ filter, longValues, mayCache: true }), `time ${time}`).to.deep.equal(expected);
        }
        expect(await find({ filter, mayCache: true })).to.deep.equal(facts);
      });
    }
  });

  it('outlines contain the number of bytes of a value', async () => {
    const texts = ['', 'abc', '\u{1F600}'.repeat(2_000), null];
    await storeFacts(
      current().store,
      texts.map((text, n) => textFact(n, text)),
    );
    const outlines = await current().store.read((snapshot) => snapshot.outline(equals('tenantId', 'default')));
    const bytes = new Map(outlines.map(({ id, valueBytes }) => [id, valueBytes]));
    expect(texts.map((_, n) => bytes.get(sampleId(n)))).to.deep.equal([0, 3, 8_000, 0]);
  });

  it('outlines and callers count the same bytes, for every value', async () => {
    const values = [0, -0, 1.5, 1e21, -1e-7, Number.MAX_SAFE_INTEGER, true, false, null, 'é\u{1F600}\u2028'];
    const facts = values.map((v, n) => sampleFact(n, { value: { type: typeOf(v), v, interpretAs: 'content' } }));
    await storeFacts(current().store, facts);
    const outlines = await current().store.read((snapshot) => snapshot.outline(equals('tenantId', 'default')));
    const bytes = new Map(outlines.map(({ id, valueBytes }) => [id, valueBytes]));
    for (const fact of facts) expect(bytes.get(fact.id), String(fact.value.v)).to.equal(valueBytesOf([fact]));
  });
};
