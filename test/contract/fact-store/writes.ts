import { expect } from 'chai';
import { all, type FactStore, type WriteTransaction } from '../../../ports/ports.ts';
import {
  factById,
  idsOf,
  SAMPLE_TRIPLE,
  sampleCover,
  sampleFact,
  sampleId,
  stamp,
  storeFacts,
} from '../../kit/fact-samples.ts';
import { rejection } from '../../kit/rejection.ts';
import type { CurrentStore } from '../fact-store-contract.ts';

/** Returns undefined for a store that does not track its writes. */
const watchOf = (store: FactStore): (() => boolean) | undefined => store.insideWrite?.bind(store);
const count = (store: FactStore): Promise<number> => store.read((snapshot) => snapshot.count(all()));

/** Advances the clock as the kernel does, and stores one fact under the new stamp. */
const append = async (transaction: WriteTransaction, n: number): Promise<void> => {
  const { wallMs, counter } = await transaction.lockClock();
  const tick = { wallMs, counter: counter + 1 };
  await transaction.insert([sampleFact(n, { hlc: tick, feed: tick })]);
  await transaction.saveClock(tick);
};

export const describeWrites = (current: CurrentStore): void => {
  describe('write', () => {
    it('commits when its work resolves, and returns its result', async () => {
      const { store } = current();
      await storeFacts(store, [sampleFact(1)]);
      expect(await count(store)).to.equal(1);
    });

    it('is durable: a reopened store has all of it', async () => {
      const { store, another } = current();
      await storeFacts(store, [sampleFact(1), sampleFact(2)]);
      await store.close();
      const reopened = await another();
      expect(await reopened.read((snapshot) => factById(snapshot, sampleId(2)))).to.deep.equal(sampleFact(2));
      expect(await reopened.read((snapshot) => snapshot.head())).to.deep.equal(stamp(2));
    });

    it('sees its own writes', async () => {
      await current().store.write('default', async (transaction) => {
        await transaction.insert([sampleFact(1)]);
        expect(await factById(transaction, sampleId(1))).to.deep.equal(sampleFact(1));
        expect(await transaction.count(all())).to.equal(1);
        expect(await transaction.head()).to.deep.equal(stamp(1));
        expect(await transaction.table('facts').select('id')).to.have.length(1);
      });
    });

    it('stores nothing when its work rejects, and rejects with the same error', async () => {
      const { store } = current();
      const error = new Error('of the work');
      const failed = store.write('default', async (transaction) => {
        await transaction.lockClock();
        await transaction.insert([sampleFact(1)]);
        await transaction.insertRows('node_settings', [{ key: 'name', value: 'x' }]);
        await transaction.cover([sampleCover(sampleId(1), stamp(1))]);
        await transaction.setExpiry(sampleId(1), 1, stamp(1));
        await transaction.saveClock(stamp(1));
        throw error;
      });
      expect(await rejection(failed)).to.equal(error);
      const tables = ['facts', 'ledgers', 'node_settings', 'fact_covers', 'fact_expiries'];
      for (const table of tables) {
        const rows = await store.read((snapshot) => snapshot.select(table, {}));
        expect(rows, table).to.deep.equal([]);
      }
      expect(await store.write('default', (transaction) => transaction.lockClock())).to.deep.equal({
        wallMs: 0,
        counter: 0,
      });
    });

    it('works again after a rollback', async () => {
      const { store } = current();
      await rejection(store.write('default', () => Promise.reject(new Error('no'))));
      await storeFacts(store, [sampleFact(1)]);
      expect(await count(store)).to.equal(1);
    });

    it('commits nothing after a failed statement, even if its work ignores the failure', async () => {
      const { store } = current();
      const careless = store.write('default', async (transaction) => {
        await transaction.insert([sampleFact(1)]);
        await rejection(transaction.insertRows('no_such_table', [{ a: 1 }]));
        return 'fine';
      });
      expect((await rejection(careless)).message).to.match(/no_such_table/);
      expect(await count(store)).to.equal(0);
    });

    it('runs one after another in call order, and sees all earlier writes', async () => {
      const { store } = current();
      const seen = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          store.write('default', async (transaction) => {
            const before = await transaction.count(all());
            await null;
            await append(transaction, n);
            return before;
          }),
        ),
      );
      expect(seen).to.deep.equal(Array.from({ length: 20 }, (_, n) => n));
    });

    it('assigns stamps in commit order over two stores on the same data', async () => {
      const { store, another } = current();
      const other = await another();
      const commits: string[] = [];
      const write = async (through: FactStore, n: number): Promise<void> => {
        await through.write('default', (transaction) => append(transaction, n));
        commits.push(sampleId(n));
      };
      const numbers = Array.from({ length: 40 }, (_, n) => n);
      await Promise.all(numbers.map((n) => write(n % 2 === 0 ? store : other, n)));
      const found = await store.read((snapshot) => snapshot.find({ filter: all(), order: 'feed', limit: 100 }));
      expect(idsOf(found)).to.have.members(commits);
      expect(found.map(({ feed }) => feed.counter)).to.deep.equal(numbers.map((n) => n + 1));
      const even = (ids: readonly string[]) => ids.filter((id) => Number(id.slice(-2)) % 2 === 0);
      expect(even(idsOf(found))).to.deep.equal(even(commits));
    });

    it('throws at once inside a write, which continues, where the store tracks writes', async () => {
      const { store } = current();
      if (watchOf(store) === undefined) return;
      await store.write('default', async (transaction) => {
        const nested = async () => store.write('default', async () => {});
        expect((await rejection(nested())).message).to.match(/inside a write/);
        await transaction.insert([sampleFact(1)]);
      });
      expect(await count(store)).to.equal(1);
    });

    it('throws at once inside a write of another tenant as well, where the store tracks writes', async () => {
      const { store } = current();
      if (watchOf(store) === undefined) return;
      await store.write('one', async () => {
        const nested = async () => store.write('two', async () => {});
        expect((await rejection(nested())).message).to.match(/inside a write/);
      });
    });

    it('refuses a transaction that has ended', async () => {
      const { store } = current();
      const kept = await store.write('default', async (transaction) => ({ transaction }));
      const { transaction } = kept;
      const uses: (() => PromiseLike<unknown>)[] = [
        () => transaction.insert([sampleFact(1)]),
        () => transaction.insertRows('node_settings', [{ key: 'a', value: 'b' }]),
        () => transaction.cover([sampleCover(sampleId(1), stamp(1))]),
        () => transaction.setExpiry(sampleId(1), 1, stamp(1)),
        () => transaction.lockClock(),
        () => transaction.saveClock(stamp(1)),
        () => transaction.siblings([SAMPLE_TRIPLE], 0, 1),
        () => transaction.table('node_settings').insert({ key: 'a', value: 'b' }),
      ];
      for (const use of uses) expect((await rejection(use())).message).to.match(/ended/);
      expect(await store.read((snapshot) => snapshot.select('node_settings', {}))).to.deep.equal([]);
    });
  });

  describe('insideWrite', () => {
    it('is true only inside a write', async () => {
      const { store } = current();
      const isInside = watchOf(store);
      if (isInside === undefined) return;
      expect(isInside()).to.equal(false);
      let beside: Promise<boolean> | undefined;
      const outside = (async () => {
        await null;
        return isInside();
      })();
      await store.write('default', async () => {
        expect(isInside()).to.equal(true);
        await Promise.all([null, new Promise((resolve) => setImmediate(resolve))]);
        expect(isInside()).to.equal(true);
        beside = outside;
      });
      expect(await beside).to.equal(false);
      expect(isInside()).to.equal(false);
    });

    it('is false in work that outlives its write', async () => {
      const { store } = current();
      const isInside = watchOf(store);
      if (isInside === undefined) return;
      const later = await store.write('default', async () => ({
        asked: new Promise<boolean>((resolve) => setImmediate(() => setImmediate(() => resolve(isInside())))),
      }));
      expect(await later.asked).to.equal(false);
    });

    it('is false inside a read', async () => {
      const { store } = current();
      const isInside = watchOf(store);
      if (isInside === undefined) return;
      expect(await store.read(async () => isInside())).to.equal(false);
    });
  });
};
