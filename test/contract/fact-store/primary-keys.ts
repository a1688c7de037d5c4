import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import type { OwnedMigration, Row } from '../../../ports/ports.ts';
import { rejection } from '../../kit/rejection.ts';
import type { CurrentStore } from '../fact-store-contract.ts';

const migration = (number: number, name: string, up: OwnedMigration['up']): OwnedMigration => ({
  number,
  name,
  owner: 'notes',
  up,
});

export const describePrimaryKeys = (current: CurrentStore): void => {
  describe('a migration', () => {
    it('gives a table another key, and keeps its rows, its other indexes and what the columns are', async () => {
      const { store } = current();
      const notes = migration(900, 'notes', async (migrating) => {
        await migrating.schema.createTable('notes_rows', (table) => {
          table.text('id').primary();
          table.text('tenant_id').notNullable().defaultTo('default');
          table.text('word').unique();
        });
        await migrating.schema.alterTable('notes_rows', (table) => table.text('later').notNullable().defaultTo('-'));
      });
      await store.migrate([...CORE_MIGRATIONS, notes]);
      const insert = (...rows: readonly Row[]) =>
        store.write('default', (transaction) => transaction.insertRows('notes_rows', rows));
      await insert({ id: 'a', word: 'one' }, { id: 'b', word: 'two' });
      const rekeyed = migration(901, 'rekeyed', (schema) => schema.setPrimaryKey('notes_rows', ['tenant_id', 'id']));
      await store.migrate([...CORE_MIGRATIONS, notes, rekeyed]);
      await insert({ id: 'a', tenant_id: 'acme', word: 'three' });
      await rejection(insert({ id: 'a', tenant_id: 'acme', word: 'four' }));
      await rejection(insert({ id: 'c', word: 'two' }));
      const rows = await store.read((snapshot) => snapshot.table('notes_rows').orderBy(['tenant_id', 'id']));
      expect(rows).to.deep.equal([
        { id: 'a', tenant_id: 'acme', word: 'three', later: '-' },
        { id: 'a', tenant_id: 'default', word: 'one', later: '-' },
        { id: 'b', tenant_id: 'default', word: 'two', later: '-' },
      ]);
    });

    it('gives a table of numbered rows another key, and goes on numbering', async () => {
      const { store } = current();
      const notes = migration(900, 'notes', ({ schema, dialect }) =>
        schema.createTable('notes_rows', (table) => {
          dialect.numberRows(table, 'seq', { deletesRows: true });
          table.text('tenant_id').notNullable();
        }),
      );
      await store.migrate([...CORE_MIGRATIONS, notes]);
      const insert = (tenant: string) =>
        store.write(tenant, (transaction) => transaction.insertRows('notes_rows', [{ tenant_id: tenant }]));
      await insert('default');
      const rekeyed = migration(901, 'rekeyed', (schema) => schema.setPrimaryKey('notes_rows', ['tenant_id', 'seq']));
      await store.migrate([...CORE_MIGRATIONS, notes, rekeyed]);
      await insert('acme');
      await insert('default');
      const rows = await store.read((snapshot) => snapshot.table('notes_rows').orderBy('seq').pluck('tenant_id'));
      expect(rows).to.deep.equal(['default', 'acme', 'default']);
    });

    it('refuses to give a key to a table that has none, or that is not there', async () => {
      const { store } = current();
      const without = migration(900, 'without', async ({ schema, setPrimaryKey }) => {
        await schema.createTable('notes_rows', (table) => table.text('id'));
        await setPrimaryKey('notes_rows', ['id']);
      });
      const refused = await rejection(store.migrate([...CORE_MIGRATIONS, without]));
      expect(refused.message).to.equal('there is no table notes_rows with a primary key');
    });
  });
};
