import { expect } from 'chai';
import {
  above,
  all,
  any,
  below,
  equals,
  type FactQuery,
  type Filter,
  inTable,
  isIn,
  isNull,
  not,
  type StoredFact,
} from '../../../ports/ports.ts';
import { fullFact, idsOf, sampleCover, sampleFact, sampleId, stamp, storeFacts } from '../../kit/fact-samples.ts';
import { rejection } from '../../kit/rejection.ts';
import type { CurrentStore } from '../fact-store-contract.ts';

/** Returns the numbers of the sample facts with these ids. */
const numbersOf = (facts: readonly StoredFact[]): number[] => idsOf(facts).map((id) => Number(id.slice(-12)));

export const describeSearch = (current: CurrentStore): void => {
  const find = async (filter: Filter, query: Partial<FactQuery> = {}): Promise<number[]> =>
    numbersOf(
      await current().store.read((snapshot) => snapshot.find({ filter, order: 'timestamp', limit: 100, ...query })),
    );

  describe('find', () => {
    it('sorts by timestamp, newest first, and then by id', async () => {
      const times = [3, 1, 2, 2, 3];
      await storeFacts(
        current().store,
        times.map((timestampMs, n) => sampleFact(n, { timestampMs })),
      );
      expect(await find(all())).to.deep.equal([4, 0, 3, 2, 1]);
    });

    it('sorts by origin stamp, highest first, as numbers and not as text', async () => {
      const counters = [9, 10, 2, 100];
      const stamps = counters.map((counter) => stamp(0, counter));
      await storeFacts(
        current().store,
        stamps.map((hlc, n) => sampleFact(n, { hlc, timestampMs: 0 })),
      );
      expect(await find(all(), { order: 'hlc' })).to.deep.equal([3, 1, 0, 2]);
    });

    it('sorts by the feed, which differs from the order of origin stamps', async () => {
      const facts = [3, 2, 1].map((n, at) => sampleFact(n, { hlc: stamp(-n), feed: stamp(0, at + 9) }));
      await storeFacts(current().store, facts);
      expect(await find(all(), { order: 'feed' })).to.deep.equal([3, 2, 1]);
      expect(await find(isIn('id', [sampleId(1), sampleId(3)]), { order: 'feed' })).to.deep.equal([3, 1]);
      expect(await find(above('feed', stamp(0, 9)), { order: 'feed' })).to.deep.equal([2, 1]);
      expect(await find(all(equals('system', false), above('feed', stamp(0, 10))), { order: 'feed' })).to.deep.equal([
        1,
      ]);
    });

    it('returns no more facts than its limit', async () => {
      await storeFacts(
        current().store,
        [1, 2, 3].map((n) => sampleFact(n)),
      );
      for (const order of ['timestamp', 'hlc', 'feed'] as const) {
        expect(await find(all(), { order, limit: 2 }), order).to.have.length(2);
        expect(await find(all(), { order, limit: 0 }), order).to.deep.equal([]);
      }
    });

    it('continues after a position without gap or repetition, for any page size', async () => {
      const facts = Array.from({ length: 23 }, (_, n) => sampleFact(n, { timestampMs: Math.floor(n / 5) }));
      await storeFacts(current().store, facts);
      const whole = await find(all());
      for (const limit of [1, 2, 5, 7, 23]) {
        const pages: number[] = [];
        let after: FactQuery['after'];
        for (;;) {
          const page = await current().store.read((snapshot) =>
            snapshot.find({ filter: all(), order: 'timestamp', limit, ...(after === undefined ? {} : { after }) }),
          );
          const last = page.at(-1);
          if (last === undefined) break;
          pages.push(...numbersOf(page));
          after = { timestampMs: last.timestampMs, id: last.id };
        }
        expect(pages, `pages of ${limit}`).to.deep.equal(whole);
      }
    });

    it('refuses a position in an order that supports none', async () => {
      const query = { filter: all(), order: 'hlc', limit: 1, after: { timestampMs: 0, id: '' } } as const;
      expect((await rejection(current().store.read((snapshot) => snapshot.find(query)))).message).to.match(/after/);
    });

    it('distinguishes facts by every kind of condition', async () => {
      const { store } = current();
      const plain = sampleFact(1);
      const full = fullFact(2);
      await storeFacts(store, [plain, full]);
      await store.write('default', (transaction) => transaction.cover([sampleCover('c', stamp(5))]));
      const cases: readonly (readonly [Filter, readonly number[]])[] = [
        [all(), [2, 1]],
        [any(), []],
        [not(all()), []],
        [not(any()), [2, 1]],
        [equals('entityKey', 'user:alice'), [1]],
        [equals('entityKey', 'USER:ALICE'), []],
        [isIn('entityKey', ['user:alice', full.entityKey, 'x']), [2, 1]],
        [isIn('entityKey', []), []],
        [not(isIn('entityKey', [])), [2, 1]],
        [
          isIn(
            'id',
            Array.from({ length: 300 }, (_, n) => sampleId(n)),
          ),
          [2, 1],
        ],
        [isIn('timestampMs', [plain.timestampMs, ...Array.from({ length: 50 }, (_, n) => n)]), [1]],
        [equals('system', true), [2]],
        [equals('confidence', 0.1 + 0.2), [2]],
        [equals('confidence', '1'), []],
        [equals('id', 1), []],
        [equals('gardenId', full.gardenId as string), [2]],
        [isNull('gardenId'), [1]],
        [not(isNull('gardenId')), [2]],
        [above('confidence', 0.9), [1]],
        [below('confidence', 1), [2]],
        [above('validUntilMs', 0), [2]],
        [not(above('validUntilMs', 0)), [1]],
        [not(below('validUntilMs', 0)), [2, 1]],
        [above('hlc', stamp(0)), [1]],
        [below('hlc', stamp(0)), [2]],
        [above('hlc', 0), []],
        [above('timestampMs', stamp(0)), []],
        [above('confidence', Number.NaN), []],
        [not(below('confidence', Number.NaN)), [2, 1]],
        [equals('interpretAs', 'instruction'), [2]],
        [all(equals('scope', 'company'), not(equals('sessionId', 'x'))), [1]],
        [any(equals('scope', 'company'), equals('sessionId', full.sessionId as string)), [2, 1]],
      ];
      for (const [filter, expected] of cases) {
        expect(await find(filter), JSON.stringify(filter).slice(0, 120)).to.deep.equal(expected);
        expect(await store.read((snapshot) => snapshot.count(filter))).to.equal(expected.length);
        expect(await store.read((snapshot) => snapshot.outline(filter))).to.have.length(expected.length);
      }
    });

    it('joins a table, even the table of facts itself', async () => {
      const { store } = current();
      await storeFacts(store, [
        sampleFact(1),
        sampleFact(2, { confidence: 0 }),
        sampleFact(3, { scope: 'local', validUntilMs: 5 }),
      ]);
      const sameEntity = { column: 'entity_key', is: 'equal', field: 'entityKey' } as const;
      const higher = { column: 'hlc', is: 'above', field: 'hlc' } as const;
      const cases: readonly (readonly [Filter, readonly number[]])[] = [
        [inTable('facts', [sameEntity, higher]), [2, 1]],
        [inTable('facts', [sameEntity, higher], [{ column: 'confidence', above: 0.5 }]), [2, 1]],
        [inTable('facts', [sameEntity, higher], [{ column: 'confidence', below: 0.5 }]), [1]],
        [inTable('facts', [sameEntity, higher], [{ column: 'scope', in: ['company'] }]), [1]],
        [inTable('facts', [sameEntity, higher], [{ column: 'hlc', above: stamp(2) }]), [2, 1]],
        [inTable('facts', [sameEntity, higher], [{ column: 'hlc', below: stamp(3) }]), [1]],
        [inTable('facts', [sameEntity, higher], [{ column: 'valid_until_ms', isNull: true }]), [1]],
        [inTable('facts', [sameEntity, higher], [{ column: 'valid_until_ms', isNull: false }]), [2, 1]],
        [inTable('facts', [sameEntity, higher], [{ column: 'valid_until_ms', in: [7], orNull: true }]), [1]],
        [{ ...join([sameEntity, higher]), whereFact: equals('scope', 'local') }, [2, 1]],
        [{ ...join([sameEntity, higher]), whereFact: not(above('validUntilMs', 4)) }, [1]],
        [{ ...join([sameEntity, higher]), whereFact: inTable('facts', [sameEntity, higher]) }, [1]],
        [not(inTable('facts', [sameEntity, higher])), [3]],
        [inTable('facts', []), [3, 2, 1]],
        [inTable('fact_covers', []), []],
      ];
      for (const [filter, expected] of cases) {
        expect(await find(filter), JSON.stringify(filter)).to.deep.equal(expected);
      }
    });

    it('refuses names that are no plain identifiers', async () => {
      const filter = inTable('facts; drop table facts', []);
      expect((await rejection(find(filter))).message).to.match(/names of tables/);
    });
  });
};

const join = (match: Extract<Filter, { kind: 'inTable' }>['match']) =>
  ({ kind: 'inTable', table: 'facts', match, where: [] }) as const;
