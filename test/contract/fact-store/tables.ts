import { expect } from 'chai';
import fc from 'fast-check';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import type { OwnedMigration, Row, Snapshot, SqlValue } from '../../../ports/ports.ts';
import { sampleFact, sampleId, storeFacts } from '../../kit/fact-samples.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { rejection } from '../../kit/rejection.ts';
import type { CurrentStore } from '../fact-store-contract.ts';

/** A table like those of plugins. */
const NOTES: OwnedMigration = {
  owner: 'notes',
  number: 900,
  name: 'notes',
  up: async ({ schema }) => {
    await schema.createTable('notes_rows', (table) => {
      table.string('id').primary();
      table.integer('n');
      table.double('share');
      table.integer('flag');
      table.text('body');
      table.binary('digest');
    });
  },
};

const note = (id: string, members: Row = {}): Row => ({
  id,
  n: 1,
  share: 0.5,
  flag: true,
  body: `body of ${id}, 😀\u2028`,
  digest: new Uint8Array([1, 2, 255]),
  ...members,
});

/** Generates rows with few values for each column, so that rows often have equal values. */
const MEMBERS: fc.Arbitrary<Row> = fc.record({
  n: fc.constantFrom(null, 0, 7),
  share: fc.constantFrom(null, 0.5, 0, -1e300),
  flag: fc.boolean(),
  body: fc.constantFrom(null, '', 'NULL', 'a "quoted" {text}, with \\'),
  digest: fc.constant(null),
});

export const describeTables = (current: CurrentStore): void => {
  const insert = (...rows: Row[]) =>
    current().store.write('default', (transaction) => transaction.insertRows('notes_rows', rows));
  const select = (where: Parameters<Snapshot['select']>[1]): Promise<SqlValue[]> =>
    current().store.read(async (snapshot) => {
      const rows = await snapshot.select('notes_rows', where);
      return rows.map(({ id }) => id as SqlValue).sort();
    });

  describe('tables', () => {
    beforeEach(() => current().store.migrate([...CORE_MIGRATIONS, NOTES]));

    it('are listed by name', async () => {
      const tables = await current().store.tables();
      expect(tables).to.include.members(['facts', 'ledgers', 'node_clock', 'node_settings', 'notes_rows']);
      expect(tables).to.include.members(['fact_covers', 'fact_expiries', 'schema_migrations']);
      expect(tables).to.deep.equal([...tables].sort());
    });

    it('store rows unchanged, with any shared values in one call', async () => {
      const { store } = current();
      let call = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(MEMBERS, { minLength: 1, maxLength: 5 }), async (given) => {
          call += 1;
          const rows = given.map((members, at) => note(`${call}-${String(at)}`, members));
          await insert(...rows);
          const ids = rows.map(({ id }) => id as string);
          const kept = await store.read((snapshot) => snapshot.select('notes_rows', { id: ids }));
          const byId = new Map(kept.map((row) => [row['id'], row]));
          for (const row of rows)
            expect(byId.get(row['id'] as string)).to.deep.include({ ...row, flag: Number(row['flag']) });
        }),
        { numRuns: RUNS },
      );
    });

    it('store the rows of several tables in alternating calls, each in call order', async () => {
      const { store } = current();
      await store.write('default', async (transaction) => {
        for (const id of ['a', 'b', 'c']) {
          await transaction.insertRows('notes_rows', [note(id)]);
          await transaction.insertRows('node_settings', [{ key: id, value: 'first' }]);
          await transaction.insertRows('notes_rows', [{ id: `${id}2`, body: id }]);
        }
      });
      expect(await select({})).to.deep.equal(['a', 'a2', 'b', 'b2', 'c', 'c2']);
      expect(await store.read((snapshot) => snapshot.select('node_settings', {}))).to.have.length(3);
    });

    it('store the scalars of rows, and booleans as 0 and 1', async () => {
      const other = { n: null, share: 1e-300, flag: false, body: '', digest: new Uint8Array() };
      await insert(note('a'), note('b', other));
      const kept = (id: string) =>
        current().store.read(async (snapshot) => {
          const [row = {}] = await snapshot.select('notes_rows', { id });
          return { ...row, digest: new Uint8Array(row['digest'] as Uint8Array) };
        });
      expect(await kept('a')).to.deep.equal({ ...note('a'), flag: 1 });
      expect(await kept('b')).to.deep.equal({ ...note('b', other), flag: 0 });
    });

    it('accept an empty list of rows', async () => {
      await insert();
      expect(await select({})).to.deep.equal([]);
    });

    it('refuse a row that lacks a member of the first row', async () => {
      expect((await rejection(insert(note('a'), { id: 'b' }))).message).to.match(/no member/);
      expect(await select({})).to.deep.equal([]);
    });

    it('return rows by column values, where a list matches any of its values', async () => {
      await insert(note('a'), note('b', { n: 2 }), note('c', { n: null }), note('d', { n: 2, share: 1 }));
      const many = Array.from({ length: 300 }, (_, n) => n + 2);
      const cases: readonly (readonly [Parameters<Snapshot['select']>[1], readonly string[]])[] = [
        [{}, ['a', 'b', 'c', 'd']],
        [{ id: 'a' }, ['a']],
        [{ id: 'A' }, []],
        [{ n: 2, share: 0.5 }, ['b']],
        [{ n: null }, ['c']],
        [{ n: [1, 2] }, ['a', 'b', 'd']],
        [{ n: many }, ['b', 'd']],
        [{ n: [1, null] }, ['a', 'c']],
        [{ n: [null] }, ['c']],
        [{ n: [] }, []],
        [{ id: ['a', 'b', 'x'], n: 2 }, ['b']],
        [{ id: many.map(String) }, []],
        [{ flag: true }, ['a', 'b', 'c', 'd']],
        [{ flag: [false] }, []],
        [{ digest: new Uint8Array([1, 2, 255]) }, ['a', 'b', 'c', 'd']],
        [{ digest: [new Uint8Array([1])] }, []],
      ];
      for (const [where, expected] of cases) {
        expect(await select(where), JSON.stringify(where).slice(0, 80)).to.deep.equal(expected);
      }
    });

    it('can be queried and changed through the query builder of a transaction', async () => {
      await current().store.write('default', async (transaction) => {
        const notes = () => transaction.table('notes_rows');
        await notes().insert([note('a'), note('b', { n: 5 })]);
        expect(await notes().where('n', '>', 2).select('id')).to.deep.equal([{ id: 'b' }]);
        expect(await notes().where({ id: 'a' }).first('n', 'flag')).to.deep.equal({ n: 1, flag: 1 });
        expect(await notes().where({ id: 'x' }).first()).to.equal(undefined);
        expect(await notes().orderBy('id', 'desc').pluck('id')).to.deep.equal(['b', 'a']);
        expect(await notes().where({ id: 'a' }).update({ n: 7 })).to.equal(1);
        expect(await notes().where({ id: 'a' }).increment('n', 2)).to.equal(1);
        expect(await notes().insert(note('a')).onConflict('id').ignore().returning('id')).to.deep.equal([]);
        await notes()
          .insert(note('b', { n: 6 }))
          .onConflict('id')
          .merge(['n']);
        expect(await notes().orderBy('id').select('n')).to.deep.equal([{ n: 9 }, { n: 6 }]);
        expect(await notes().where({ id: 'b' }).del()).to.equal(1);
        expect(Number((await notes().count({ rows: '*' }).first())?.rows)).to.equal(1);
      });
      expect(await select({})).to.deep.equal(['a']);
    });

    it('can be queried through a builder outside any transaction, each query by itself', async () => {
      const { store } = current();
      await store.table('notes_rows').insert(note('a'));
      expect(await store.table('notes_rows').where({ id: 'a' }).first('n')).to.deep.equal({ n: 1 });
      expect(await store.table('notes_rows').where({ id: 'a' }).update({ n: 3 })).to.equal(1);
      expect(await select({ n: 3 })).to.deep.equal(['a']);
      await store.table('notes_rows').del();
      expect(await select({})).to.deep.equal([]);
    });

    it('refuse a separate builder inside a write, where the store tracks writes', async () => {
      const { store } = current();
      if (store.insideWrite === undefined) return;
      const refused = await store.write('default', async () => rejection((async () => store.table('notes_rows'))()));
      expect(refused.message).to.match(/inside a write/);
    });

    it('never show the values of a query in its error message', async () => {
      const { store } = current();
      await insert(note('a'));
      const clash = store.write('default', (tx) => tx.table('notes_rows').insert(note('a', { body: 'the secret' })));
      expect((await rejection(clash)).message).not.to.match(/secret|insert/i);
    });

    it('cannot be written through a snapshot', async () => {
      const { store } = current();
      const written = store.read((snapshot) => snapshot.table('notes_rows').insert(note('a')));
      await rejection(written);
      expect(await select({})).to.deep.equal([]);
    });

    it('refuse names that are no plain identifiers', async () => {
      const { store } = current();
      for (const use of [
        () => store.read((snapshot) => snapshot.select('facts" --', {})),
        () => store.read((snapshot) => snapshot.select('facts', { 'id" --': 1 })),
        () => store.write('default', (tx) => tx.insertRows('notes_rows', [{ 'id" --': 1 }])),
      ]) {
        expect((await rejection(use())).message).to.match(/names of tables/);
      }
    });

    it('hold facts under the names of their members', async () => {
      const { store } = current();
      await storeFacts(store, [sampleFact(1)]);
      const [found] = await store.read((snapshot) => snapshot.select('facts', { id: sampleId(1) }));
      expect(found).to.include({ tenant_id: 'default', entity_key: 'user:alice', hlc_ctr: 0, system: 0 });
    });
  });
};
