import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { checkPlugin } from '../../../kernel/plugins/check-plugin.ts';
import type { PluginTables } from '../../../kernel/plugins/plugin-definition.ts';
import { createPluginTables } from '../../../kernel/plugins/plugin-tables.ts';
import { ContentBorder, type ContentColumns } from '../../../kernel/store/content-border.ts';
import { ownedBy } from '../../../kernel/store/content-owner.ts';
import { openJson, sealJson } from '../../../kernel/store/sealed-json.ts';
import { createStoredRows } from '../../../kernel/store/stored-rows.ts';
import type { FactStore, Migration } from '../../../ports/ports.ts';
import { fixedContentSeal } from '../../fakes/fixed-content-seal.ts';
import { createTestSeal } from '../../kit/content-seal.ts';
import { forEachStore, type StoreKind } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { placeTestStore, type TestStore } from '../../kit/test-store.ts';

const NOTES = 'acme_notes';

const MIGRATION: Migration = {
  number: 900,
  name: 'notes',
  up: async ({ schema }) => {
    await schema.createTable(NOTES, (table) => {
      table.text('tenant_id').notNullable();
      table.text('id').notNullable();
      table.text('said');
      table.text('topic');
      table.binary('picture');
      table.primary(['tenant_id', 'id']);
    });
  },
};

const CONTENTS: readonly ContentColumns[] = [
  { table: NOTES, key: ['tenant_id', 'id'], texts: ['said'], hidden: ['topic'], bytes: ['picture'] },
];

const NOTE = { tenant_id: 'a', id: '1', said: 'the canary sings', topic: 'birds', picture: Buffer.from('canary.png') };

forEachStore('content of a plugin on a sealed node', (kind: StoreKind) => {
  let folder: string;
  let place: TestStore;
  let store: FactStore;
  let tables: PluginTables;
  const border = new ContentBorder(fixedContentSeal(), CONTENTS);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'content-'));
    place = await placeTestStore(kind, folder);
    store = place.open();
    await store.migrate([...CORE_MIGRATIONS, { ...MIGRATION, owner: 'acme' }]);
    tables = createPluginTables(store, 'acme', () => undefined, border);
  });
  after(async () => {
    await store.close();
    await place.remove();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    await tables(NOTES).delete();
    await tables.write('a', (own) => own.insertRows(NOTES, [NOTE]));
  });

  const stored = (): Promise<Record<string, unknown>[]> => store.read((snapshot) => snapshot.select(NOTES, {}));

  it('is in no column of the store, and the plugin reads it as it wrote it', async () => {
    const [row = {}] = await stored();
    expect(Buffer.concat(Object.values(row).map((value) => Buffer.from(value as string))).toString('latin1'))
      .to.not.include('canary')
      .and.not.include('birds');
    const [read] = await tables.read((own) => own.select(NOTES, { tenant_id: 'a' }));
    expect({ ...read, picture: Buffer.from(read?.['picture'] as Uint8Array) }).to.deep.equal(NOTE);
  });

  it('is sealed by each way to write it', async () => {
    await tables(NOTES).insert({ ...NOTE, id: '2' });
    await tables(NOTES).insert([{ ...NOTE, id: '3', said: 'x' }]);
    await tables(NOTES).where({ tenant_id: 'a', id: '3' }).update({ said: 'a changed canary' });
    await tables(NOTES)
      .insert({ ...NOTE, said: 'a merged canary' })
      .onConflict(['tenant_id', 'id'])
      .merge();
    await tables.write('a', async (own) => {
      await own(NOTES)
        .insert({ ...NOTE, id: '2' })
        .onConflict(['tenant_id', 'id'])
        .merge({ said: 'another canary' });
    });
    const said = (await tables(NOTES).orderBy('id').select('tenant_id', 'said')) as Record<string, string>[];
    expect(said.map((row) => row['said'])).to.deep.equal(['a merged canary', 'another canary', 'a changed canary']);
    for (const row of await stored()) expect(row['said']).to.match(/^sealed:1:/);
  });

  it('is opened by each way to read it, also where only the condition names the tenant', async () => {
    expect(await tables(NOTES).where({ tenant_id: 'a' }).first('said')).to.deep.equal({ said: NOTE.said });
    expect(await tables(NOTES).where('tenant_id', 'a').select('said')).to.deep.equal([{ said: NOTE.said }]);
    expect(await tables(NOTES).where('tenant_id', 'a').clone().select('said')).to.deep.equal([{ said: NOTE.said }]);
    await tables.read(async (own) => {
      expect(await own(NOTES).where('tenant_id', 'a').count({ n: '*' })).to.have.length(1);
      expect((await own(NOTES).select('said', 'tenant_id'))[0]).to.include({ said: NOTE.said });
    });
  });

  it('is found by a text that the plugin hides', async () => {
    const topic = tables.hide('a', NOTES, 'topic', 'birds');
    expect(await tables(NOTES).where({ tenant_id: 'a', topic }).first('id')).to.deep.equal({ id: '1' });
    expect(tables.show('a', NOTES, 'topic', topic)).to.equal('birds');
    expect(tables.hide('b', NOTES, 'topic', 'birds')).to.not.equal(topic);
  });

  it('is not touched for an unknown tenant', async () => {
    expect((await rejection(tables(NOTES).select('said'))).message).to.include('unknown tenant');
    expect((await rejection(tables(NOTES).update({ said: 'x' }))).message).to.include('unknown tenant');
  });

  it('is in no condition and no order, where its stored forms differ; whether it is there may be asked', async () => {
    const own = tables(NOTES).where({ tenant_id: 'a' });
    for (const query of [
      own.clone().where({ said: NOTE.said }),
      own.clone().whereIn('acme_notes.said', [NOTE.said]),
      own.clone().orderBy('said'),
      own.clone().where('picture', NOTE.picture),
    ]) {
      expect((await rejection(query.select('id', 'tenant_id'))).message).to.match(
        /compares or orders by (said|picture)/,
      );
    }
    expect(await own.clone().whereNotNull('said').select('id', 'tenant_id')).to.have.length(1);
  });

  it('has the key of its entity where rows belong to one, and is not written for an unknown entity', async () => {
    const keys = await createTestSeal(folder);
    const contents = CONTENTS.map((columns) => ({ ...columns, owner: { fact: null } }));
    const owned = createPluginTables(store, 'acme', () => undefined, new ContentBorder(keys.seal, contents));
    const unknown = await rejection(owned(NOTES).where({ tenant_id: 'a' }).update({ said: 'x' }));
    expect(unknown.message).to.include('unknown entity');
    const [alice, bob] = ['user:alice', 'user:bob'].map((entityKey) => ({ entityKey, scope: 'local' as const }));
    await owned.write('a', (own) =>
      own.insertRows(NOTES, [
        { ...NOTE, id: '2', ...ownedBy(alice ?? null) },
        { ...NOTE, id: '3', ...ownedBy(bob ?? null) },
        { ...NOTE, id: '4', ...ownedBy(null) },
      ]),
    );
    await owned(NOTES)
      .where({ tenant_id: 'a', id: '2' })
      .update({ said: 'changed', ...ownedBy(alice ?? null) });
    const said = async () =>
      (
        (await owned(NOTES).where({ tenant_id: 'a' }).whereIn('id', ['2', '3', '4']).orderBy('id')) as (typeof NOTE)[]
      ).map((row) => row.said);
    expect(await said()).to.deep.equal(['changed', NOTE.said, NOTE.said]);
    await keys.seal.destroy([{ tenantId: 'a', entityKey: 'user:alice', scope: 'local', generation: 0, isWhole: true }]);
    const [alices = '', ...others] = await said();
    expect(alices).to.match(/^sealed:1:/);
    expect(others).to.deep.equal([NOTE.said, NOTE.said]);
  });

  it('stays sealed in the row of another tenant, where its digest does not fit', async () => {
    await tables(NOTES)
      .where({ tenant_id: 'a' })
      .update({ said: sealJson('canary') });
    await store.table(NOTES).update({ tenant_id: 'b' });
    const columns = { table: NOTES, key: ['tenant_id', 'id'], columns: ['said'] } as const;
    const [row = {}] = await tables.read((own) => own.select(NOTES, {}));
    expect(row['said']).to.match(/^sealed:1:/);
    expect(() => openJson(columns, row, 'said')).to.throw('damaged');
  });

  it('may be from before the node was sealed', async () => {
    await store.table(NOTES).update({ said: 'plain', topic: 'plain', picture: Buffer.from('plain') });
    const [row] = await tables.read((own) => own.select(NOTES, {}));
    expect(row).to.include({ said: 'plain', topic: 'plain' });
    expect(Buffer.from(row?.['picture'] as Uint8Array).toString()).to.equal('plain');
  });

  it('has digests that "verify" checks after it has opened them', async () => {
    const found: string[] = [];
    const sealed = { table: NOTES, key: ['tenant_id', 'id'], columns: ['said'] } as const;
    const check = () => createStoredRows(store, [sealed], border).check(async (message) => void found.push(message));
    await tables(NOTES)
      .where({ tenant_id: 'a' })
      .update({ said: sealJson({ canary: true }) });
    await check();
    expect(found).to.deep.equal([]);
    await tables(NOTES).where({ tenant_id: 'a' }).update({ said: 'without a digest' });
    await check();
    expect(found).to.have.length(1);
  });
});

describe('content of a plugin', () => {
  it('is only in tables of that plugin', () => {
    const plugin = { name: 'acme', version: '1.0.0', kernelApi: 1, setup: () => undefined } as const;
    const contents = [{ table: 'facts_idempotency', key: ['tenant_id'], texts: ['body'] }] as const;
    expect(checkPlugin({ ...plugin, contents: CONTENTS })).to.deep.equal([]);
    expect(checkPlugin({ ...plugin, contents })[0]?.message).to.include('facts_idempotency');
  });
});
