import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { DEFAULT_TENANT, type PluginTables } from '../../../kernel/plugin-api.ts';
import { narrowTransaction } from '../../../kernel/store/narrow-transaction.ts';
import { FactStore } from '../../../ports/ports.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

forEachStore('tables of a plugin', () => {
  let node: TestNode;
  let tables: PluginTables;

  before(async () => {
    const notes = defineOwnPlugin({
      name: 'acme-notes',
      migrations: [
        {
          number: 900,
          name: 'notes',
          up: async ({ schema }) => schema.createTable('acme_notes_entries', (table) => table.text('id').primary()),
        },
      ],
      setup(context) {
        tables = context.tables;
      },
    });
    node = await startTestNode({ plugins: [notes] });
  });
  after(() => node.stop());

  const ids = async (): Promise<unknown[]> =>
    (await tables('acme_notes_entries').select('id').orderBy('id')).map((row: { id: string }) => row.id);

  it('are read and written outside a transaction, each query by itself', async () => {
    await tables('acme_notes_entries').insert({ id: 'a' });
    expect(await ids()).to.deep.equal(['a']);
    await tables('acme_notes_entries').where({ id: 'a' }).delete();
    expect(await ids()).to.deep.equal([]);
  });

  it('are written in a transaction that commits or fails as a whole', async () => {
    const failed = tables.write(DEFAULT_TENANT, async (own) => {
      await own.insertRows('acme_notes_entries', [{ id: 'gone' }]);
      expect(await own.select('acme_notes_entries', { id: 'gone' })).to.deep.equal([{ id: 'gone' }]);
      throw new Error('no');
    });
    expect((await rejection(failed)).message).to.equal('no');
    expect(await ids()).to.deep.equal([]);
    await tables.write(DEFAULT_TENANT, async (own) => {
      await own('acme_notes_entries').insert({ id: 'kept' });
    });
    expect(await ids()).to.deep.equal(['kept']);
  });

  it('are visible in a snapshot, which cannot insert', async () => {
    await tables.read(async (own, snapshot) => {
      expect(own).not.to.have.property('insertRows');
      expect(await own.select('acme_notes_entries', {})).to.deep.equal([{ id: 'kept' }]);
      expect(await tables.in(snapshot)('acme_notes_entries').select('id')).to.have.length(1);
    });
  });

  it('are refused outside the transaction while inside a write, with a remedy', async () => {
    const store = node.kernel.get(FactStore);
    const error = await rejection(
      store.write(DEFAULT_TENANT, async (transaction) => {
        expect(await tables.in(narrowTransaction(transaction))('acme_notes_entries').select('id')).to.have.length(1);
        await tables('acme_notes_entries').select('id');
      }),
    );
    expect(error.message).to.include('inside a write use tables.in(transaction)');
  });

  it('refuse any name that does not start with the prefix of the plugin', async () => {
    const message = 'its tables start with acme_notes_';
    for (const name of ['facts', 'node_settings', 'acme_notes', 'acme_other', 'ACME_NOTES_ENTRIES', '']) {
      expect(() => tables(name)).to.throw(message);
      await tables.read(async (own) => {
        expect(() => own(name)).to.throw(message);
        expect(() => own.select(name, {})).to.throw(message);
      });
      await tables.write(DEFAULT_TENANT, async (own) => {
        expect(() => own.insertRows(name, [{ id: 'x' }])).to.throw(message);
      });
    }
  });
});
