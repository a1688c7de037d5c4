import { expect } from 'chai';
import { all, type FactStore } from '../../../ports/ports.ts';
import { beginEpoch, sampleFact, sampleId, stamp, storeFacts } from '../../kit/fact-samples.ts';
import { rejection } from '../../kit/rejection.ts';
import type { CurrentStore } from '../fact-store-contract.ts';

export const describeFeedAndClock = (current: CurrentStore): void => {
  describe('the feed', () => {
    it('has no head while it is empty', async () => {
      expect(await current().store.read((snapshot) => snapshot.head())).to.equal(null);
      expect(await current().store.read((snapshot) => snapshot.feedAfter(stamp(0), 10))).to.deep.equal([]);
    });

    it('is sorted by wall time and counter, and its head is the highest stamp', async () => {
      const { store } = current();
      const stamps = [stamp(1, 2), stamp(1, 9), stamp(1, 10), stamp(2, 0), stamp(2, 100)];
      await storeFacts(
        store,
        stamps.map((feed, n) => sampleFact(n, { feed, hlc: stamp(-n) })),
      );
      const entries = await store.read((snapshot) => snapshot.feedAfter(stamp(0), 10));
      expect(entries).to.deep.equal(
        stamps.map((feed, n) => ({ stamp: feed, kind: 'fact', subjectId: sampleId(n), tenantId: 'default' })),
      );
      expect(await store.read((snapshot) => snapshot.head())).to.deep.equal(stamp(2, 100));
    });

    it('continues strictly after a stamp, page by page', async () => {
      const { store } = current();
      const stamps = [stamp(1, 9), stamp(1, 10), stamp(2, 0), stamp(10, 0)];
      await storeFacts(
        store,
        stamps.map((feed, n) => sampleFact(n, { feed })),
      );
      const pageAfter = (from: (typeof stamps)[number], limit: number) =>
        store.read(async (snapshot) => (await snapshot.feedAfter(from, limit)).map((entry) => entry.stamp));
      expect(await pageAfter(stamp(1, 9), 2)).to.deep.equal([stamp(1, 10), stamp(2, 0)]);
      expect(await pageAfter(stamp(2, 0), 2)).to.deep.equal([stamp(10, 0)]);
      expect(await pageAfter(stamp(10, 0), 2)).to.deep.equal([]);
    });
  });

  describe('an announcement in the feed', () => {
    const announce = (entries: readonly { readonly at: number; readonly kind: string; readonly about: string }[]) =>
      current().store.write('default', (transaction) =>
        transaction.announce(entries.map(({ at, kind, about }) => ({ stamp: stamp(at), kind, subjectId: about }))),
      );

    it('appears between facts, in stamp order', async () => {
      const { store } = current();
      await storeFacts(store, [sampleFact(1, { feed: stamp(1) })]);
      await announce([
        { at: 2, kind: 'mark', about: 'a' },
        { at: 3, kind: 'other', about: 'b' },
      ]);
      await storeFacts(store, [sampleFact(2, { feed: stamp(4) })]);
      await announce([{ at: 5, kind: 'mark', about: 'c' }]);
      const feed = await store.read((snapshot) => snapshot.feedAfter(stamp(0), 10));
      expect(feed.map(({ kind, subjectId }) => [kind, subjectId])).to.deep.equal([
        ['fact', sampleId(1)],
        ['mark', 'a'],
        ['other', 'b'],
        ['fact', sampleId(2)],
        ['mark', 'c'],
      ]);
      expect(await store.read((snapshot) => snapshot.head())).to.deep.equal(stamp(5));
      const rest = await store.read((snapshot) => snapshot.feedAfter(stamp(2), 2));
      expect(rest.map(({ subjectId }) => subjectId)).to.deep.equal(['b', sampleId(2)]);
    });

    it('is found by its kind between two stamps', async () => {
      const { store } = current();
      await storeFacts(store, [sampleFact(1, { feed: stamp(1) })]);
      await announce([2, 3, 4, 5].map((at) => ({ at, kind: at === 4 ? 'other' : 'mark', about: `${at}` })));
      const query = { tenantId: 'default', kind: 'mark', after: stamp(2), upTo: stamp(5), limit: 10 };
      const found = await store.read((snapshot) => snapshot.announced(query));
      expect(found).to.deep.equal(
        [3, 5].map((at) => ({ stamp: stamp(at), kind: 'mark', subjectId: `${at}`, tenantId: 'default' })),
      );
      const other = await store.read((snapshot) => snapshot.announced({ ...query, tenantId: 'acme' }));
      expect(other).to.deep.equal([]);
    });

    it('is not counted as a fact', async () => {
      const { store } = current();
      await storeFacts(store, [sampleFact(1, { feed: stamp(1) })]);
      const before = await store.read((snapshot) => snapshot.ledgerHead('default'));
      await announce([{ at: 2, kind: 'mark', about: 'a' }]);
      const head = await store.read((snapshot) => snapshot.ledgerHead('default'));
      expect(head).to.deep.equal({ ...before, newest: { number: before.newest?.number, feed: stamp(2) } });
    });
  });

  describe('the clock', () => {
    it('starts at zero, and has the saved stamp after reopening', async () => {
      const { store, another } = current();
      expect(await store.write('default', (tx) => tx.lockClock())).to.deep.equal({ wallMs: 0, counter: 0 });
      await store.write('default', (tx) => tx.saveClock(stamp(1, 10)));
      await store.close();
      const reopened = await another();
      expect(await reopened.write('default', (tx) => tx.lockClock())).to.deep.equal(stamp(1, 10));
    });

    it('shows a saved stamp to the same transaction', async () => {
      await current().store.write('default', async (transaction) => {
        await transaction.saveClock(stamp(1));
        expect(await transaction.lockClock()).to.deep.equal(stamp(1));
        await transaction.saveClock(stamp(1));
        await transaction.saveClock(stamp(1, 1));
      });
    });

    it('refuses to go backwards', async () => {
      const { store } = current();
      await store.write('default', (tx) => tx.saveClock(stamp(5, 10)));
      for (const earlier of [stamp(5, 9), stamp(4, 100)]) {
        const back = store.write('default', (tx) => tx.saveClock(earlier));
        expect((await rejection(back)).message).to.match(/backwards/);
      }
      expect(await store.write('default', (tx) => tx.lockClock())).to.deep.equal(stamp(5, 10));
    });

    it('is rolled back with the transaction that saved it', async () => {
      const { store } = current();
      const failed = store.write('default', async (transaction) => {
        await transaction.saveClock(stamp(1));
        throw new Error('no');
      });
      await rejection(failed);
      expect(await store.write('default', (tx) => tx.lockClock())).to.deep.equal({ wallMs: 0, counter: 0 });
    });

    it('is shared by all tenants', async () => {
      const { store } = current();
      await store.write('one', (tx) => tx.saveClock(stamp(1)));
      expect(await store.write('two', (tx) => tx.lockClock())).to.deep.equal(stamp(1));
    });

    it('has its own epoch in every store, which survives reopening', async () => {
      const { store, another } = current();
      const [before] = await store.read((snapshot) => snapshot.select('node_clock', { id: 1 }));
      expect(before?.['epoch']).to.match(/^[0-9a-f-]{36}$/);
      await store.close();
      const reopened = await another();
      const [after] = await reopened.read((snapshot) => snapshot.select('node_clock', { id: 1 }));
      expect(after).to.deep.equal(before);
    });
  });

  describe('the epoch', () => {
    const epochOf = (store: FactStore): Promise<string> => store.read((snapshot) => snapshot.epoch());

    it('is the same in every store on the data, and for transactions', async () => {
      const { store, another } = current();
      const epoch = await epochOf(store);
      expect(epoch).to.match(/^[0-9a-f-]{32,36}$/);
      expect(await epochOf(await another())).to.equal(epoch);
      expect(await store.write('default', (transaction) => transaction.epoch())).to.equal(epoch);
    });

    it('changes when a new one is begun, unless the transaction is rolled back', async () => {
      const { store } = current();
      const first = await epochOf(store);
      const failed = store.write('default', async (transaction) => {
        await beginEpoch(transaction, 'begun in vain');
        throw new Error('no');
      });
      await rejection(failed);
      expect(await epochOf(store)).to.equal(first);
      await store.write('default', (transaction) => beginEpoch(transaction, 'begun'));
      expect(await epochOf(store)).not.to.equal(first);
    });
  });

  describe('the time of the store', () => {
    it('is the same for all stores on the data, advances inside a transaction, and is no higher than it states', async () => {
      const { store, another } = current();
      const other = await another();
      const timeOf = (through: FactStore): Promise<number> => through.read((snapshot) => snapshot.databaseMs());
      const times = [await timeOf(store), await timeOf(other), await timeOf(store)];
      expect(times.every(Number.isSafeInteger)).to.equal(true);
      expect(times).to.deep.equal([...times].sort((one, next) => one - next));
      expect(times[0]).to.be.above(Date.UTC(2024, 0));
      await store.write('default', async (transaction) => {
        const began = await transaction.databaseMs();
        for (let now = began; now === began; ) now = await transaction.databaseMs();
      });
    });
  });

  describe('ping', () => {
    it('resolves while a write is possible, and writes nothing', async () => {
      const { store } = current();
      await store.ping();
      expect(await store.read((snapshot) => snapshot.count(all()))).to.equal(0);
    });

    it('waits for the running write', async () => {
      const { store } = current();
      const order: string[] = [];
      const writing = store.write('default', async (transaction) => {
        await transaction.insert([sampleFact(1)]);
        order.push('write');
      });
      const pinging = store.ping().then(() => order.push('ping'));
      await Promise.all([writing, pinging]);
      expect(order).to.deep.equal(['write', 'ping']);
    });
  });

  describe('close', () => {
    it('waits for running work and refuses later calls', async () => {
      const { store, another } = current();
      const writing = storeFacts(store, [sampleFact(1)]);
      const reading = store.read(async (snapshot) => {
        await new Promise((resolve) => setImmediate(resolve));
        return snapshot.count(all());
      });
      const closing = store.close();
      for (const late of [
        () => storeFacts(store, [sampleFact(2)]),
        () => store.read(async () => 1),
        () => store.ping(),
      ]) {
        const error = await rejection(late());
        expect(error['code']).to.equal('unavailable');
        expect(error['hint']).to.be.a('string');
      }
      await writing;
      expect(await reading).to.be.oneOf([0, 1]);
      await closing;
      expect(await (await another()).read((snapshot) => snapshot.count(all()))).to.equal(1);
    });

    it('may be called again', async () => {
      const { store } = current();
      await Promise.all([store.close(), store.close()]);
      await store.close();
    });
  });
};
