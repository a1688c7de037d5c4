import { expect } from 'chai';
import {
  all,
  equals,
  type FactStore,
  type LedgerEntry,
  type LedgerQuery,
  type StoredFact,
  type WriteRecord,
} from '../../../ports/ports.ts';
import { factById, SAMPLE_MS, sampleFact, sampleId, stamp } from '../../kit/fact-samples.ts';
import { rejection } from '../../kit/rejection.ts';
import type { CurrentStore } from '../fact-store-contract.ts';

const record = (n: number, members: Partial<WriteRecord> = {}): WriteRecord => ({
  writer: 'agent:writer',
  writerSub: null,
  writerKeyId: null,
  tags: [],
  salt: new Uint8Array(16).fill(n),
  link: null,
  ...members,
});

const link = (seq: number) => ({ seq, hash: new Uint8Array(32).fill(seq) });

const storeWith = (store: FactStore, facts: readonly StoredFact[], records: readonly WriteRecord[]) =>
  store.write('default', (transaction) => transaction.insert(facts, records));

/** Tests the ledger of each tenant, which consists of the rows of its facts. */
export const describeLedger = (current: CurrentStore): void => {
  const entries = (query: Partial<LedgerQuery> = {}) =>
    current().store.read((snapshot) => snapshot.ledger({ tenantId: 'default', order: 'oldest', limit: 100, ...query }));
  const numbers = async (query?: Partial<LedgerQuery>) => (await entries(query)).map(({ number }) => number);

  describe('the ledger', () => {
    it('has an entry for each fact, with its writer and its tags', async () => {
      const { store } = current();
      const given = record(1, {
        writer: 'agent:w',
        writerSub: 'sub-1',
        writerKeyId: 'key-1',
        tags: ['second', 'first'],
        link: link(1),
      });
      await storeWith(store, [sampleFact(1, { attestedKeyId: 'key-2' })], [given]);
      expect(await entries()).to.deep.equal([
        {
          ...given,
          tags: ['first', 'second'],
          tenantId: 'default',
          number: 1,
          factId: sampleId(1),
          scope: 'company',
          gardenId: null,
          source: 'agent:W1',
          attestedKeyId: 'key-2',
          feed: stamp(1),
          commitment: null,
        },
      ]);
    });

    it('returns only the requested members', async () => {
      const { store } = current();
      await storeWith(store, [sampleFact(1)], [record(1, { link: link(1) })]);
      const only = (members: readonly (keyof LedgerEntry)[]) =>
        store.read((snapshot) => snapshot.ledger({ tenantId: 'default', order: 'oldest', limit: 9, members }));
      expect(await only(['feed', 'number'])).to.deep.equal([{ feed: stamp(1), number: 1 }]);
      expect(await only(['link', 'factId', 'salt'])).to.deep.equal([
        { link: link(1), factId: sampleId(1), salt: new Uint8Array(16).fill(1) },
      ]);
    });

    it('names the asserting entity as the writer when no other writer is given', async () => {
      const { store } = current();
      await store.write('default', (transaction) =>
        transaction.insert([sampleFact(1), sampleFact(2, { assertedBy: null, receivedFrom: 'svc:node:b' })]),
      );
      expect((await entries()).map(({ writer }) => writer)).to.deep.equal(['agent:admin', 'svc:node:b']);
    });

    it('numbers the entries of each tenant in commit order', async () => {
      const { store } = current();
      await storeWith(store, [sampleFact(1), sampleFact(2)], [record(1), record(2)]);
      await store.write('other', (transaction) => transaction.insert([sampleFact(3, { tenantId: 'other' })]));
      await storeWith(store, [sampleFact(4)], [record(4)]);
      expect(await numbers()).to.deep.equal([1, 2, 3]);
      expect(await numbers({ tenantId: 'other' })).to.deep.equal([1]);
      expect(await numbers({ tenantId: 'nobody' })).to.deep.equal([]);
    });

    it('skips numbers that were reserved for other purposes', async () => {
      const { store } = current();
      const taken = await store.write('default', async (transaction) => {
        const first = await transaction.takeNumbers(2);
        await transaction.insert([sampleFact(1)]);
        return [first, await transaction.takeNumbers(1)];
      });
      expect(taken).to.deep.equal([1, 4]);
      expect(await store.write('default', (transaction) => transaction.takeNumbers(1))).to.equal(5);
      expect(await numbers()).to.deep.equal([3]);
    });

    it('never reuses the number of a rolled back transaction', async () => {
      const { store } = current();
      await rejection(
        store.write('default', async (transaction) => {
          await transaction.takeNumbers(5);
          await transaction.insert([sampleFact(1)]);
          throw new Error('rolled back');
        }),
      );
      await storeWith(store, [sampleFact(2)], [record(2)]);
      expect(await numbers()).to.deep.equal([1]);
    });

    it('is filtered by number, writer, subject, tag and fact, and counted by the same filters', async () => {
      const { store } = current();
      await storeWith(
        store,
        [1, 2, 3, 4].map((n) => sampleFact(n, { sourceKey: `agent:s${n % 2}` })),
        [
          record(1, { tags: ['charged'] }),
          record(2, { writer: 'agent:other', tags: ['char'] }),
          record(3, { writerSub: 'sub-1', tags: ['charged', 'more'] }),
          record(4),
        ],
      );
      const cases: readonly (readonly [Partial<LedgerQuery>, readonly number[]])[] = [
        [{ above: 1, below: 4 }, [2, 3]],
        [{ writer: 'agent:other' }, [2]],
        [{ writerSub: 'sub-1' }, [3]],
        [{ tag: 'charged' }, [1, 3]],
        [{ tag: 'charged', above: 1 }, [3]],
        [{ filter: equals('sourceKey', 'agent:s1') }, [1, 3]],
        [{ filter: equals('id', sampleId(4)), writer: 'agent:writer' }, [4]],
      ];
      for (const [query, found] of cases) {
        expect(await numbers(query), JSON.stringify(query)).to.deep.equal(found);
        expect(await numbers({ ...query, order: 'newest' })).to.deep.equal([...found].reverse());
        const count = store.read((snapshot) => snapshot.ledgerCount({ tenantId: 'default', ...query }));
        expect(await count).to.equal(found.length);
      }
      expect(await numbers({ limit: 2 })).to.deep.equal([1, 2]);
      expect(await numbers({ limit: 2, order: 'newest' })).to.deep.equal([4, 3]);
    });

    it('returns the number of the first entry at or after a stamp', async () => {
      const { store } = current();
      const feeds = [stamp(1), stamp(5), stamp(5, 2)];
      const facts = feeds.map((feed, n) => sampleFact(n, { hlc: feed, feed }));
      await storeWith(store, facts, [record(1), record(2), record(3)]);
      const at = (ms: number, counter = 0) =>
        store.read((snapshot) => snapshot.ledgerNumberAt('default', stamp(ms, counter)));
      expect([await at(0), await at(1), await at(2), await at(5)]).to.deep.equal([1, 1, 2, 2]);
      expect([await at(5, 1), await at(5, 2), await at(5, 3), await at(6)]).to.deep.equal([3, 3, undefined, undefined]);
    });

    it('returns its last number and its last linked number, also inside the transaction', async () => {
      const { store } = current();
      const head = () => store.read((snapshot) => snapshot.ledgerHead('default'));
      expect(await head()).to.deep.equal({ number: 0, newest: null, linked: null });
      await storeWith(store, [sampleFact(1), sampleFact(2)], [record(1, { link: link(1) }), record(2)]);
      const before = {
        number: 2,
        newest: { number: 2, feed: stamp(2) },
        linked: { number: 1, link: link(1) },
      };
      expect(await head()).to.deep.equal(before);
      await store.write('default', async (transaction) => {
        expect(await transaction.ledgerHead('default')).to.deep.equal(before);
        await transaction.addLinks([{ number: 2, link: link(2) }]);
        await transaction.takeNumbers(3);
        const after = { ...before, number: 5, linked: { number: 2, link: link(2) } };
        expect(await transaction.ledgerHead('default')).to.deep.equal(after);
      });
      expect((await head()).linked).to.deep.equal({ number: 2, link: link(2) });
      expect((await entries())[1]?.link).to.deep.equal(link(2));
    });

    it('refuses to change a link, or to link a missing fact', async () => {
      const { store } = current();
      await storeWith(store, [sampleFact(1)], [record(1, { link: link(1) })]);
      const relink = (number: number) =>
        store.write('default', (transaction) => transaction.addLinks([{ number, link: link(7) }]));
      await rejection(relink(1));
      await rejection(relink(9));
      expect((await entries())[0]?.link).to.deep.equal(link(1));
    });

    it('ends in each tenant at the highest issued number', async () => {
      const { store } = current();
      const ends = () => store.read((snapshot) => snapshot.ledgerEnds());
      expect(await ends()).to.deep.equal([]);
      await storeWith(store, [sampleFact(1), sampleFact(2)], [record(1), record(2)]);
      await store.write('other', (transaction) => transaction.takeNumbers(5));
      expect(await ends()).to.have.deep.members([
        { tenantId: 'default', number: 2 },
        { tenantId: 'other', number: 5 },
      ]);
    });

    it('distinguishes facts with one id in two tenants', async () => {
      const { store } = current();
      await store.write('default', (transaction) => transaction.insert([sampleFact(1)]));
      const twin = sampleFact(1, { tenantId: 'other', hlc: stamp(9), feed: stamp(9) });
      await store.write('other', (transaction) => transaction.insert([twin]));
      expect((await entries({ tenantId: 'other' })).map(({ factId }) => factId)).to.deep.equal([sampleId(1)]);
      const followed = await store.read((snapshot) => snapshot.feedAfter(stamp(0), 10));
      expect(followed.map(({ tenantId }) => tenantId)).to.deep.equal(['default', 'other']);
    });
  });

  describe('erase', () => {
    const commitment = new Uint8Array(32).fill(9);
    const erase = (id: string) =>
      current().store.write('default', (transaction) => transaction.erase([{ id, commitment }]));

    it('destroys value, value key, content id and salt, and keeps the rest with a commitment', async () => {
      const { store } = current();
      const fact = sampleFact(1, { validUntil: '2026-12-31T23:59:60Z', validUntilMs: SAMPLE_MS });
      await storeWith(store, [fact, sampleFact(2)], [record(1, { link: link(1) }), record(2)]);
      const [before] = await entries();
      await erase(fact.id);
      const [after, other] = await entries();
      expect(after).to.deep.equal({ ...before, salt: null, commitment });
      expect(other?.salt).to.deep.equal(new Uint8Array(16).fill(2));
      const left = await store.read((snapshot) => factById(snapshot, fact.id));
      expect(left).to.deep.equal({ ...fact, value: { ...fact.value, v: null }, valueKey: '', cid: '' });
      const byCid = await store.read((snapshot) =>
        snapshot.count(all(equals('tenantId', 'default'), equals('cid', fact.cid))),
      );
      expect(byCid).to.equal(0);
    });

    it('does nothing to a fact that is erased, missing or of another tenant', async () => {
      const { store } = current();
      await storeWith(store, [sampleFact(1)], [record(1)]);
      await erase(sampleId(1));
      await erase(sampleId(1));
      await erase(sampleId(2));
      const twin = sampleFact(3, { tenantId: 'other' });
      await store.write('other', (transaction) => transaction.insert([twin]));
      await erase(twin.id);
      expect(await store.read((snapshot) => factById(snapshot, twin.id))).to.deep.equal(twin);
    });
  });

  describe('a row of a fact', () => {
    it('accepts no other change', async () => {
      const { store } = current();
      await storeWith(store, [sampleFact(1)], [record(1, { link: link(1) })]);
      const [stored] = await store.read((snapshot) => snapshot.select('facts', { id: sampleId(1) }));
      const value = stored?.['sealed'] === null ? 'value_v' : 'sealed';
      const changes: readonly Readonly<Record<string, unknown>>[] = [
        { confidence: 0.5 },
        { value_v: 'another' },
        { value_v: 'another', sealed: null },
        ...(value === 'sealed' ? [] : [{ value_v: null, sealed: new Uint8Array(40) }]),
        { [value]: null },
        { cid: null },
        { salt: null },
        { salt: new Uint8Array(16) },
        { link_hash: new Uint8Array(32) },
        { link_seq: null, link_hash: null },
        { commitment: new Uint8Array(32) },
        { [value]: null, value_key: '', cid: null, salt: null },
        { writer: 'agent:mallory' },
        { tags: ',charged,' },
        { number: 7 },
        { feed_wall: 1 },
        { [value]: null, value_key: '', cid: null, salt: null, commitment: new Uint8Array(32), scope: 'public' },
      ];
      const before = await entries();
      for (const change of changes) {
        const error = await rejection(
          store.write('default', async (transaction) => {
            await transaction
              .table('facts')
              .where({ id: sampleId(1) })
              .update(change);
          }),
        );
        expect(error, JSON.stringify(Object.keys(change))).to.be.instanceOf(Error);
      }
      await rejection(
        store.write('default', async (transaction) => {
          await transaction.table('facts').delete();
        }),
      );
      expect(await entries()).to.deep.equal(before);
      expect(await store.read((snapshot) => factById(snapshot, sampleId(1)))).to.deep.equal(sampleFact(1));
    });
  });
};
