import { expect } from 'chai';
import fc from 'fast-check';
import { valueBytesOf } from '../../../kernel/facts/value-bytes.ts';
import { all, type FactValue, type StoredFact } from '../../../ports/ports.ts';
import { factById, fullFact, outlineOf, sampleFact, sampleId, stamp, storeFacts } from '../../kit/fact-samples.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { rejection } from '../../kit/rejection.ts';
import type { CurrentStore } from '../fact-store-contract.ts';

const text = fc.string({ unit: 'binary', maxLength: 40 }).map((value) => value.replaceAll('\u0000', ''));

const contentIdText = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `sha256:${Buffer.from(bytes).toString('hex')}`);

const value: fc.Arbitrary<FactValue> = fc
  .oneof(
    fc.record({ type: fc.constantFrom('string' as const, 'text' as const, 'ref' as const), v: text }),
    fc.record({ type: fc.constant('number' as const), v: fc.double({ noNaN: true, noDefaultInfinity: true }) }),
    fc.record({ type: fc.constant('boolean' as const), v: fc.boolean() }),
    fc.constant({ type: 'datetime' as const, v: '2026-03-02T24:00:00.000000001Z' }),
    fc.constant({ type: 'null' as const, v: null }),
  )
  .chain((made) =>
    fc
      .constantFrom<FactValue['interpretAs']>('content', 'instruction')
      .map((interpretAs) => ({ ...made, interpretAs })),
  );

const members: fc.Arbitrary<Partial<StoredFact>> = fc.record(
  {
    value,
    entity: text,
    source: text,
    valueKey: text,
    confidence: fc.double({ min: 0, max: 1, noNaN: true }),
    gardenId: fc.option(text),
    sessionId: fc.option(text),
    derivedFrom: fc.array(contentIdText, { maxLength: 3 }),
    attested: fc.option(fc.boolean()),
    system: fc.boolean(),
    timestampMs: fc.maxSafeInteger(),
    validFromMs: fc.option(fc.maxSafeInteger()),
    validUntilMs: fc.option(fc.maxSafeInteger()),
  },
  { requiredKeys: [] },
);

const VALUES: readonly FactValue['v'][] = [
  '',
  ' surrounded ',
  'null',
  '1.0',
  '😀 \u2028\u2029 e\u0301 \u{10FFFF} \uFFFD \u0001 "quoted" \\',
  'x'.repeat(1024 * 1024),
];
const NUMBERS = [0, -0, 1, -1, 0.1 + 0.2, 1e21, 5e-324, Number.MAX_VALUE, Number.MAX_SAFE_INTEGER, 1_772_442_904_120.5];

export const describeFacts = (current: CurrentStore): void => {
  describe('insert', () => {
    it('preserves every member exactly', async () => {
      const { store } = current();
      const facts = [sampleFact(1), fullFact(2)];
      await storeFacts(store, facts);
      for (const fact of facts) {
        expect(await store.read((snapshot) => factById(snapshot, fact.id))).to.deep.equal(fact);
      }
    });

    it('preserves every kind of value exactly', async () => {
      const { store } = current();
      const values: FactValue[] = [
        ...VALUES.map((v): FactValue => ({ type: 'text', v, interpretAs: 'content' })),
        ...NUMBERS.map((v): FactValue => ({ type: 'number', v, interpretAs: 'content' })),
        { type: 'boolean', v: true, interpretAs: 'content' },
        { type: 'boolean', v: false, interpretAs: 'instruction' },
        { type: 'null', v: null, interpretAs: 'content' },
      ];
      await storeFacts(
        store,
        values.map((made, n) => sampleFact(n, { value: made })),
      );
      for (const [n, made] of values.entries()) {
        const fact = await store.read((snapshot) => factById(snapshot, sampleId(n)));
        expect(fact?.value).to.deep.equal(made);
        expect(Object.is(fact?.value.v, made.v), String(made.v).slice(0, 20)).to.equal(true);
      }
    });

    it('preserves every text and number that it receives', async () => {
      const { store } = current();
      let n = 0;
      await fc.assert(
        fc.asyncProperty(members, async (made) => {
          n += 1;
          const fact = sampleFact(n, made);
          await storeFacts(store, [fact]);
          expect(await store.read((snapshot) => factById(snapshot, fact.id))).to.deep.equal(fact);
        }),
        { numRuns: RUNS },
      );
    });

    it('stores facts and their feed entries, visible to the transaction itself', async () => {
      const { store } = current();
      const facts = [sampleFact(1), fullFact(2)];
      const seen = await store.write('default', async (transaction) => {
        await transaction.insert(facts);
        return [await factById(transaction, sampleId(1)), await factById(transaction, sampleId(2))];
      });
      expect(seen).to.deep.equal(facts);
      const feed = await store.read((snapshot) => snapshot.feedAfter(stamp(0), 10));
      expect(feed.map(({ subjectId }) => subjectId)).to.deep.equal([sampleId(1), sampleId(2)]);
    });

    it('rolls back the whole transaction for a fact whose id exists', async () => {
      const { store } = current();
      await storeFacts(store, [sampleFact(2)]);
      const careless = store.write('default', async (transaction) => {
        await transaction.insert([sampleFact(1)]);
        await transaction.insert([sampleFact(2, { hlc: stamp(50), feed: stamp(50) })]).catch(() => {});
      });
      expect(await rejection(careless)).not.to.include({ status: 503 });
      expect(await store.read((snapshot) => snapshot.find({ filter: all(), order: 'feed', limit: 9 }))).to.deep.equal([
        sampleFact(2),
      ]);
    });

    it('stores neither of two facts with one id', async () => {
      const { store } = current();
      const twice = [sampleFact(1), sampleFact(1, { entity: 'other', hlc: stamp(2), feed: stamp(2) })];
      expect(await rejection(storeFacts(store, twice))).not.to.include({ status: 503 });
      expect(await store.read((snapshot) => factById(snapshot, sampleId(1)))).to.equal(undefined);
    });

    it('accepts an empty list', async () => {
      const { store } = current();
      await store.write('default', (transaction) => transaction.insert([]));
      expect(await store.read((snapshot) => snapshot.count(all()))).to.equal(0);
    });

    it('accepts many facts at once', async () => {
      const { store } = current();
      const facts = Array.from({ length: 1_000 }, (_, n) => sampleFact(n));
      await storeFacts(store, facts);
      expect(await store.read((snapshot) => snapshot.count(all()))).to.equal(1_000);
    });
  });

  describe('a stored fact', () => {
    it('is undefined for an unknown id', async () => {
      expect(await current().store.read((snapshot) => factById(snapshot, 'nothing'))).to.equal(undefined);
    });

    it('is found by its id byte for byte', async () => {
      const { store } = current();
      await storeFacts(store, [sampleFact(1, { id: 'peer:Fact/1' })]);
      expect(await store.read((snapshot) => factById(snapshot, 'peer:fact/1'))).to.equal(undefined);
      expect((await store.read((snapshot) => factById(snapshot, 'peer:Fact/1')))?.id).to.equal('peer:Fact/1');
    });

    it('cannot be changed or removed', async () => {
      const { store } = current();
      await storeFacts(store, [sampleFact(1)]);
      const changes = [
        () =>
          store.write('default', (tx) =>
            tx
              .table('facts')
              .where({ id: sampleId(1) })
              .update({ confidence: 0 }),
          ),
        () =>
          store.write('default', (tx) =>
            tx
              .table('facts')
              .where({ id: sampleId(1) })
              .del(),
          ),
        () => store.write('default', (tx) => tx.table('facts').del()),
      ];
      for (const change of changes) expect((await rejection(change())).message).to.match(/immutable/);
      expect(await store.read((snapshot) => factById(snapshot, sampleId(1)))).to.deep.equal(sampleFact(1));
    });

    it('has an outline with the length of its value instead of the value, and all other members', async () => {
      const { store } = current();
      const facts = [sampleFact(1), fullFact(2)];
      await storeFacts(store, facts);
      expect(await store.read((snapshot) => snapshot.outline(all()))).to.have.deep.members(
        facts.map((fact) => ({ ...outlineOf(fact), valueBytes: valueBytesOf([fact]) })),
      );
    });
  });
};
