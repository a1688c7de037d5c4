import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import type { FactStore, OwnedMigration } from '../../../ports/ports.ts';
import type { CurrentStore } from '../fact-store-contract.ts';

const TABLE = 'acme_letters';
const LONG_MS = 1_000_000_000_000;

const LETTERS: OwnedMigration = {
  owner: 'acme',
  number: 9_001,
  name: 'letters',
  up: async ({ schema }) => {
    await schema.createTable(TABLE, (table) => {
      table.integer('number').primary();
      table.integer('period').index();
    });
  },
};

const periodOf = (store: FactStore): Promise<number | undefined> =>
  store.write('default', (transaction) => transaction.period());

/** Clauses about the periods of the keys of a sealed store. A store without `endPeriods` has one period for ever. */
export const describePeriods = (current: CurrentStore): void => {
  describe('the period of the keys', () => {
    beforeEach(async () => {
      const { store } = current();
      await store.migrate([...CORE_MIGRATIONS, LETTERS]);
    });

    it('is one number throughout a transaction, and nothing in a clear store', async () => {
      const { store } = current();
      await store.write('default', async (transaction) => {
        const period = await transaction.period();
        if (period !== undefined) expect(period).to.satisfy(Number.isSafeInteger).and.to.be.at.least(1);
        await transaction.insertRows(TABLE, [{ number: 1, period: period ?? null }]);
        expect(await transaction.period()).to.equal(period);
      });
    });

    it('grows in every process when it has lasted long enough, never otherwise, and never back', async () => {
      const { store, another } = current();
      const other = await another();
      const seen = [await periodOf(store)];
      for (const turned of [store, other, store, other]) {
        expect(await turned.endPeriods?.({ tables: [TABLE], everyMs: 0 })).to.satisfy(isListOfSentences);
        const [period] = [await periodOf(store), await turned.endPeriods?.({ tables: [TABLE], everyMs: LONG_MS })];
        expect(await periodOf(other), 'all processes have the same one').to.equal(period);
        expect(await periodOf(store), 'it has not lasted long enough').to.equal(period);
        seen.push(period);
      }
      const [first] = seen;
      if (store.endPeriods === undefined || first === undefined) expect(new Set(seen)).to.have.property('size', 1);
      else {
        // The first call may only note when the present period began.
        expect(seen.at(-1)).to.be.within(first + 3, first + 4);
        expect(seen).to.deep.equal(seen.toSorted((one, next) => Number(one) - Number(next)));
      }
    });

    it('begins once when two processes end it at the same time', async () => {
      const { store, another } = current();
      const both = [store, await another()];
      await store.endPeriods?.({ tables: [TABLE], everyMs: 0 });
      const before = await periodOf(store);
      const ends = both.map((one) => one.endPeriods?.({ tables: [TABLE], everyMs: 0 }));
      await Promise.all(ends);
      const after = await periodOf(store);
      if (before === undefined || store.endPeriods === undefined) expect(after).to.equal(before);
      else expect(after).to.be.within(before + 1, before + 2);
    });

    it('leaves every row, and its number of the period in which it was made', async () => {
      const { store } = current();
      const made: (number | null)[] = [];
      for (let number = 0; number < 3; number += 1) {
        await store.write('default', async (transaction) => {
          const period = (await transaction.period()) ?? null;
          made.push(period);
          await transaction.insertRows(TABLE, [{ number, period }]);
        });
        await store.endPeriods?.({ tables: [TABLE], everyMs: 0 });
      }
      const rows = await store.read((snapshot) => snapshot.select(TABLE, {}));
      const found = rows.toSorted((one, next) => Number(one['number']) - Number(next['number']));
      expect(found.map(({ period }) => period)).to.deep.equal(made);
    });
  });
};

const isListOfSentences = (sentences: unknown): boolean =>
  sentences === undefined || (Array.isArray(sentences) && sentences.every((one) => typeof one === 'string'));
