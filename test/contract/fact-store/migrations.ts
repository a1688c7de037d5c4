import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import type { FactStore, MigrationProgress, MigrationSchema, OwnedMigration } from '../../../ports/ports.ts';
import { sampleFact, storeFacts } from '../../kit/fact-samples.ts';
import { rejection } from '../../kit/rejection.ts';
import type { CurrentStore } from '../fact-store-contract.ts';

const migration = (
  number: number,
  name: string,
  up: (schema: MigrationSchema) => Promise<void> = async () => {},
  owner = 'notes',
): OwnedMigration => ({ number, name, owner, up });

const createTable =
  (name: string) =>
  async ({ schema }: MigrationSchema): Promise<void> => {
    await schema.createTable(name, (table) => {
      table.string('id').primary();
    });
  };

const ledger = (store: FactStore): Promise<unknown[]> =>
  store.read((snapshot) => snapshot.table('schema_migrations').orderBy('version').pluck('version'));

export const describeMigrations = (current: CurrentStore): void => {
  describe('migrate', () => {
    it('applies migrations in ascending order, for any order of the list', async () => {
      const { store } = current();
      const applied: number[] = [];
      const noting = (number: number) => migration(number, `m${number}`, async () => void applied.push(number));
      await store.migrate([noting(30), ...CORE_MIGRATIONS, noting(6), noting(20)]);
      expect(applied).to.deep.equal([6, 20, 30]);
      expect(await ledger(store)).to.deep.equal([
        '001_init',
        '006_m6',
        '011_facts_garden_attested',
        '012_multi_tenant',
        '020_m20',
        '030_m30',
      ]);
    });

    it('lists pending migrations in advance, without any change', async () => {
      const { store } = current();
      const noted = migration(99, 'later', createTable('notes_later'));
      const pending = await store.migrate([noted, ...CORE_MIGRATIONS], { isTrial: true });
      expect(pending.map(({ number }) => number)).to.deep.equal([...CORE_MIGRATIONS.map(({ number }) => number), 99]);
      expect(await store.tables()).to.deep.equal([]);
      await store.migrate(CORE_MIGRATIONS);
      expect(await store.migrate([noted, ...CORE_MIGRATIONS], { isTrial: true })).to.deep.equal([noted]);
      expect(await store.migrate(CORE_MIGRATIONS, { isTrial: true })).to.deep.equal([]);
    });

    it('applies each once, in this store and in others on the same data', async () => {
      const { store, another } = current();
      let times = 0;
      const counted = [
        ...CORE_MIGRATIONS,
        migration(6, 'once', async () => {
          times += 1;
        }),
      ];
      await store.migrate(counted);
      await store.migrate(counted);
      await (await another()).migrate(counted);
      expect(times).to.equal(1);
      await storeFacts(store, [sampleFact(1)]);
    });

    it('applies each once when several start together', async () => {
      const { store, another } = current();
      const stores = [store, await another(), await another(), await another()];
      let times = 0;
      const counted = [
        ...CORE_MIGRATIONS,
        migration(6, 'once', async (schema) => {
          await createTable('notes_rows')(schema);
          times += 1;
        }),
      ];
      await Promise.all(stores.map((each) => each.migrate(counted)));
      expect(times).to.equal(1);
      expect(await ledger(store)).to.have.length(CORE_MIGRATIONS.length + 1);
    });

    it('applies migrations that a later list adds, even under a lower number', async () => {
      const { store } = current();
      await store.migrate(CORE_MIGRATIONS);
      await store.migrate([...CORE_MIGRATIONS, migration(6, 'late', createTable('notes_rows'))]);
      expect(await ledger(store)).to.include('006_late');
      expect(await store.tables()).to.include('notes_rows');
    });

    it('undoes a failed migration, keeps those before it, and continues from there', async () => {
      const { store } = current();
      const broken = migration(20, 'second', async (schema) => {
        await createTable('notes_second')(schema);
        throw new Error('interrupted');
      });
      const first = migration(6, 'first', createTable('notes_first'));
      const failed = store.migrate([...CORE_MIGRATIONS, first, broken]);
      expect((await rejection(failed)).message).to.equal('interrupted');
      expect(await ledger(store)).to.deep.equal([
        '001_init',
        '006_first',
        '011_facts_garden_attested',
        '012_multi_tenant',
      ]);
      expect(await store.tables()).not.to.include('notes_second');
      await store.migrate([...CORE_MIGRATIONS, first, migration(20, 'second', createTable('notes_second'))]);
      expect(await store.tables()).to.include('notes_second');
    });

    it('refuses a store that a newer core has written, and changes nothing', async () => {
      const { store } = current();
      const newer = migration(99, 'from_the_future', async () => {}, 'core');
      await store.migrate([...CORE_MIGRATIONS, newer]);
      const refused = await rejection(store.migrate([...CORE_MIGRATIONS, migration(20, 'x', createTable('notes_x'))]));
      expect(refused).to.include({ code: 'unavailable' });
      expect(refused['hint']).to.be.a('string');
      expect(await store.tables()).not.to.include('notes_x');
    });

    it('starts without a plugin whose migrations are already applied', async () => {
      const { store } = current();
      await store.migrate([...CORE_MIGRATIONS, migration(900, 'notes', createTable('notes_rows'))]);
      await store.migrate(CORE_MIGRATIONS);
      expect(await store.tables()).to.include('notes_rows');
    });

    it('refuses two migrations of one number', async () => {
      const { store } = current();
      const twice = store.migrate([...CORE_MIGRATIONS, migration(7, 'a'), migration(7, 'b')]);
      expect((await rejection(twice)).message).to.match(/007_a.*007_b/);
      expect(await store.tables()).to.deep.equal([]);
    });

    it('refuses a number that another migration has taken in the store', async () => {
      const { store } = current();
      await store.migrate([...CORE_MIGRATIONS, migration(900, 'a')]);
      const refused = await rejection(store.migrate([...CORE_MIGRATIONS, migration(900, 'b')]));
      expect(refused).to.include({ code: 'unavailable' });
      expect(refused.message).to.match(/900_a.*900_b/);
    });

    it('shows a migration the existing tables and columns, except the ledger', async () => {
      const { store } = current();
      let seen: unknown;
      const looking = migration(20, 'look', async (schema) => {
        seen = [
          (await schema.tables()).includes('schema_migrations'),
          (await schema.tables()).includes('facts'),
          await schema.hasColumn('facts', 'garden_id'),
          await schema.hasColumn('facts', 'nothing'),
          await schema.hasColumn('facts', 'tenant_id'),
          await schema.hasColumn('node_clock', 'tenant_id'),
        ];
      });
      await store.migrate([...CORE_MIGRATIONS, looking]);
      expect(seen).to.deep.equal([false, true, true, false, true, false]);
    });
  });

  describe('a migration with a preparation', () => {
    /** Copies `total` numbers into a table, `chunk` in each call, and stores its progress there. */
    const copying = (total: number, chunk: number, beforeCommit = async (_placed: number): Promise<void> => {}) => ({
      ...migration(900, 'numbers', async ({ schema }) => {
        await schema.renameTable('notes_next', 'notes_numbers');
      }),
      prepare: async ({ schema, data, tables }: MigrationSchema, progress: MigrationProgress): Promise<boolean> => {
        if (!(await tables()).includes('notes_next')) {
          await schema.createTable('notes_next', (table) => void table.integer('number').primary());
        }
        const place = (await data.select('notes_next', {})).length;
        const rows = Array.from({ length: Math.min(chunk, total - place) }, (_, at) => ({ number: place + at + 1 }));
        await data.insertRows('notes_next', rows);
        await beforeCommit(place + rows.length);
        progress(place + rows.length, total, 'numbers');
        return place + rows.length === total;
      },
    });
    const numbers = (store: FactStore): Promise<unknown[]> =>
      store.read((snapshot) => snapshot.table('notes_numbers').orderBy('number').pluck('number'));
    const upTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1);

    it('is called until it is ready and then applied, and reports its progress', async () => {
      const { store } = current();
      const lines: string[] = [];
      await store.migrate([...CORE_MIGRATIONS, copying(2_500, 1_000)], { onProgress: (line) => lines.push(line) });
      expect(lines).to.deep.equal([
        'migration 900_numbers: 1,000 of 2,500 numbers',
        'migration 900_numbers: 2,000 of 2,500 numbers',
        'migration 900_numbers: 2,500 of 2,500 numbers',
      ]);
      expect(await numbers(store)).to.deep.equal(upTo(2_500));
      expect(await ledger(store)).to.include('900_numbers');
    });

    it('continues after an interruption, and undoes a failed step', async () => {
      const { store, another } = current();
      const broken = copying(10, 3, async (placed) => {
        if (placed === 9) throw new Error('interrupted');
      });
      expect((await rejection(store.migrate([...CORE_MIGRATIONS, broken]))).message).to.equal('interrupted');
      expect(await ledger(store)).not.to.include('900_numbers');
      const lines: string[] = [];
      await (await another()).migrate([...CORE_MIGRATIONS, copying(10, 3)], { onProgress: (line) => lines.push(line) });
      expect(lines).to.deep.equal([
        'migration 900_numbers: 9 of 10 numbers',
        'migration 900_numbers: 10 of 10 numbers',
      ]);
      expect(await numbers(store)).to.deep.equal(upTo(10));
    });

    it('is shared by all processes that start together, step by step', async () => {
      const { store, another } = current();
      await store.migrate(CORE_MIGRATIONS);
      const stores = [store, await another(), await another()];
      await Promise.all(stores.map((each) => each.migrate([...CORE_MIGRATIONS, copying(40, 3)])));
      expect(await numbers(store)).to.deep.equal(upTo(40));
    });

    it('is not called for a dry run', async () => {
      const { store } = current();
      await store.migrate(CORE_MIGRATIONS);
      await store.migrate([...CORE_MIGRATIONS, copying(40, 3)], { isTrial: true });
      expect(await store.tables()).not.to.include('notes_next');
    });
  });
};
