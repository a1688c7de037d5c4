import { expect } from 'chai';
import {
  above,
  all,
  equals,
  type FactQuery,
  type FactStore,
  type Filter,
  isIn,
  REDACTED_REFERENCE,
  type StoredFact,
} from '../../../ports/ports.ts';
import { fullFact, sampleFact, sampleId, storeFacts } from '../../kit/fact-samples.ts';
import { rejection } from '../../kit/rejection.ts';
import type { CurrentStore } from '../fact-store-contract.ts';

const CID = `sha256:${'c'.repeat(64)}`;

/** A store may cache facts, but callers must never get different results because of the cache. */
export const describeCachedFacts = (current: CurrentStore): void => {
  const ask = (filter: Filter, more: Partial<FactQuery> = {}): FactQuery => ({
    filter: all(equals('tenantId', 'default'), filter),
    order: 'feed',
    limit: 100,
    mayCache: true,
    ...more,
  });
  const find = (query: FactQuery, store: FactStore = current().store): Promise<StoredFact[]> =>
    store.read((snapshot) => snapshot.find(query));
  const ids = (...numbers: number[]): Filter => isIn('id', numbers.map(sampleId));

  describe('facts that may be cached', () => {
    it('equal the facts without a cache, in every query and every repetition', async () => {
      const facts = [
        sampleFact(1, { derivedFrom: [CID, CID], confidence: 0.1 + 0.2 }),
        sampleFact(2, { value: { type: 'null', v: null, interpretAs: 'content' } }),
        sampleFact(3, { value: { type: 'number', v: -0, interpretAs: 'content' } }),
        sampleFact(4, { value: { type: 'text', v: 'é'.repeat(5_000), interpretAs: 'content' } }),
        sampleFact(5, { value: { type: 'boolean', v: false, interpretAs: 'content' }, tenantId: 'other' }),
        fullFact(6),
      ];
      await storeFacts(current().store, facts);
      const [second] = facts.slice(1, 2);
      const queries: Partial<FactQuery>[] = [
        {},
        { order: 'hlc' },
        { order: 'timestamp' },
        { order: 'timestamp', after: { timestampMs: second?.timestampMs ?? 0, id: second?.id ?? '' } },
        { limit: 2 },
        { maxBytes: 1 },
        { maxBytes: 5_000 },
      ];
      for (const filter of [ids(1, 2, 3, 4, 5, 6, 7), above('confidence', 0.5), equals('entityKey', 'user:alice')]) {
        for (const query of queries) {
          const plain = await find(ask(filter, { ...query, mayCache: false }));
          for (let time = 1; time <= 3; time += 1) {
            expect(await find(ask(filter, query)), `${JSON.stringify(query)}, time ${time}`).to.deep.equal(plain);
          }
        }
      }
    });

    it('belong to their tenant only, also when two tenants have one id', async () => {
      const other = sampleFact(1, { tenantId: 'other', value: { type: 'text', v: 'theirs', interpretAs: 'content' } });
      await storeFacts(current().store, [sampleFact(1)]);
      await storeFacts(current().store, [other]);
      for (let time = 1; time <= 2; time += 1) {
        expect(await find(ask(ids(1)))).to.deep.equal([sampleFact(1)]);
        expect(await find({ ...ask(ids(1)), filter: all(equals('tenantId', 'other'), ids(1)) })).to.deep.equal([other]);
        expect(await find({ ...ask(ids(1)), filter: all(equals('tenantId', 'third'), ids(1)) })).to.deep.equal([]);
      }
    });

    it('are not returned by a query that excludes them, nor in a snapshot taken before they were stored', async () => {
      const { store } = current();
      await storeFacts(store, [sampleFact(1)]);
      await store.read(async (early) => {
        expect(await early.find(ask(ids(1, 2)))).to.have.length(1);
        await storeFacts(store, [sampleFact(2, { scope: 'local' })]);
        expect(await find(ask(ids(1, 2)))).to.have.length(2);
        expect(await early.find(ask(ids(1, 2)))).to.have.length(1);
      });
      expect(await find(ask(all(ids(1, 2), equals('scope', 'company'))))).to.deep.equal([sampleFact(1)]);
    });

    it('never come from a rolled back write', async () => {
      const { store } = current();
      const failure = store.write('default', async (transaction) => {
        await transaction.insert([sampleFact(1)]);
        expect(await transaction.find(ask(ids(1)))).to.have.length(1);
        throw new Error('on purpose');
      });
      expect(await rejection(failure)).to.be.instanceOf(Error);
      expect(await find(ask(ids(1)))).to.deep.equal([]);
      const retold = sampleFact(1, { value: { type: 'text', v: 'told anew', interpretAs: 'content' } });
      await storeFacts(store, [retold]);
      expect(await find(ask(ids(1)))).to.deep.equal([retold]);
    });

    it('contain nothing of erased facts, in any process, once the erasure has committed', async () => {
      const { store } = current();
      const another = await current().another();
      await storeFacts(store, [sampleFact(1), sampleFact(2)]);
      for (const one of [store, another]) expect(await find(ask(ids(1, 2)), one)).to.have.length(2);
      await another.read(async (early) => {
        const [before] = await early.find(ask(ids(1)));
        await store.write('default', (transaction) =>
          transaction.erase([{ id: sampleId(1), commitment: Buffer.alloc(32, 1) }]),
        );
        for (const one of [store, another]) {
          const [erased, other] = await find(ask(ids(1, 2)), one);
          expect([erased?.value.v, erased?.valueKey, erased?.cid]).to.deep.equal([null, '', '']);
          expect(other).to.deep.equal(sampleFact(2));
        }
        // A snapshot still shows its old state, and adds nothing of it to the cache.
        expect(await early.find(ask(ids(1)))).to.deep.equal([before]);
      });
      for (const one of [store, another]) expect((await find(ask(ids(1)), one))[0]?.value.v).to.equal(null);
    });

    it('contain no redacted reference, in any process', async () => {
      const { store } = current();
      const another = await current().another();
      await storeFacts(store, [sampleFact(1, { derivedFrom: [CID] })]);
      for (const one of [store, another]) await find(ask(ids(1)), one);
      await store.write('default', (transaction) =>
        transaction.redact([{ id: sampleId(1), derivedFrom: [REDACTED_REFERENCE] }]),
      );
      for (const one of [store, another]) {
        expect((await find(ask(ids(1)), one))[0]?.derivedFrom).to.deep.equal([REDACTED_REFERENCE]);
      }
    });

    it('cannot be changed by the caller that received them', async () => {
      await storeFacts(current().store, [sampleFact(1)]);
      const [fact] = (await find(ask(ids(1)))) as unknown as [{ entity: string; value: { v: unknown } }];
      expect(() => {
        fact.entity = 'user:mallory';
      }).to.throw(TypeError);
      expect(() => {
        fact.value.v = 'forged';
      }).to.throw(TypeError);
    });
  });

  describe('the version of a store, where it has one', () => {
    it('changes with each commit of any process, and stays the same between commits', async () => {
      const { store } = current();
      const another = await current().another();
      const versions = [store, another].map((one) => one.version?.());
      if (versions.includes(undefined)) return;
      const seen = new Set(versions.slice(0, 1));
      for (const [at, writer] of [store, another, store].entries()) {
        await storeFacts(writer, [sampleFact(at + 1)]);
        const version = store.version?.();
        expect(seen.has(version), `after commit ${at + 1}`).to.equal(false);
        await find(ask(ids(1, 2)));
        expect(store.version?.()).to.equal(version);
        seen.add(version);
      }
      const before = store.version?.();
      await rejection(store.write('default', () => Promise.reject(new Error('changed its mind'))));
      expect(store.version?.()).to.equal(before);
    });
  });
};
