import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { planMigrations } from '../../../kernel/plugins/plan-migrations.ts';
import { conflictsPlugin } from '../../../plugins/conflicts/conflicts-plugin.ts';
import { gardensPlugin } from '../../../plugins/gardens/gardens-plugin.ts';
import type { FactStore, Row, StoredFact } from '../../../ports/ports.ts';
import { factById, SAMPLE_TRIPLE, sampleFact, sampleId } from '../../kit/fact-samples.ts';
import { currentStore, forEachStore } from '../../kit/for-each-store.ts';
import { storeFactsAsBefore } from '../../kit/older-store.ts';
import { placeTestStore, type TestStore } from '../../kit/test-store.ts';

const [HERBS, ROOTS] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
const migrations = planMigrations(CORE_MIGRATIONS, [conflictsPlugin, gardensPlugin], []);

/** Facts whose numbers tell them apart: outside, in one garden, and in another. */
const said = (n: number, v: string, gardenId: string | null = null): StoredFact =>
  sampleFact(n, { valueKey: `s:${v}`, gardenId });

forEachStore('records of a store from before places', () => {
  let folder: string;
  let place: TestStore;
  let store: FactStore;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'places-'));
    place = await placeTestStore(currentStore(), folder);
    store = place.open();
    await store.migrate(migrations.filter(({ number }) => number < 28));
  });
  afterEach(async () => {
    await store.close();
    await place.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const insert = (table: string, ...rows: Row[]) =>
    store.write('default', (transaction) => transaction.insertRows(table, rows));
  const record = async (id: string, gardens: string, status: string, members: readonly number[]): Promise<void> => {
    await insert('conflicts_records', {
      conflict_id: id,
      tenant_id: 'default',
      entity_key: SAMPLE_TRIPLE.entityKey,
      relation_key: SAMPLE_TRIPLE.relationKey,
      scope: SAMPLE_TRIPLE.scope,
      status,
      detected_ms: 1,
      resolved_by: status === 'resolved' ? sampleId(9) : null,
      open_triple: status === 'resolved' ? null : id,
      settled: 0,
      gardens,
    });
    await insert('conflicts_members', ...members.map((n) => ({ conflict_id: id, fact_id: sampleId(n) })));
  };
  const cover = (n: number, gardenId: string | null) =>
    insert('fact_covers', {
      fact_id: `cover ${n}`,
      kind: 'retraction',
      tenant_id: 'default',
      entity_key: SAMPLE_TRIPLE.entityKey,
      relation_key: SAMPLE_TRIPLE.relationKey,
      scope: SAMPLE_TRIPLE.scope,
      garden_id: gardenId,
      hlc_wall: sampleFact(n).hlc.wallMs,
      hlc_ctr: 0,
    });
  const read = <T>(table: string, ...columns: string[]): Promise<T[]> =>
    store.read((snapshot) =>
      snapshot
        .table(table)
        .select(...columns)
        .orderBy(columns),
    );
  const liveIn = async (gardenId: string | null): Promise<string[]> => {
    const [found = []] = await store.read((snapshot) => snapshot.siblings([{ ...SAMPLE_TRIPLE, gardenId }], 0, 10));
    return found.map(({ id }) => id);
  };

  it('keep the facts of one place, and are gone where they joined several', async () => {
    await storeFactsAsBefore(store, [
      said(1, 'a'),
      said(2, 'b'),
      said(3, 'c', HERBS),
      said(4, 'd', HERBS),
      said(5, 'e', ROOTS),
    ]);
    await record('outside', '', 'unresolved', [1, 2]);
    await record('herbs', HERBS, 'unresolved', [1, 2, 3, 4]);
    await record('roots', ROOTS, 'unresolved', [1, 2, 5]);
    await record('between', `${HERBS} ${ROOTS}`, 'unresolved', [1, 2, 3, 4, 5]);
    await record('older', HERBS, 'resolved', [1, 3, 4]);
    await store.migrate(migrations);
    expect(await read('conflicts_records', 'conflict_id', 'place', 'status')).to.deep.equal([
      { conflict_id: 'herbs', place: HERBS, status: 'unresolved' },
      { conflict_id: 'older', place: HERBS, status: 'resolved' },
      { conflict_id: 'outside', place: '', status: 'unresolved' },
    ]);
    expect(await read('conflicts_members', 'conflict_id', 'fact_id')).to.deep.equal(
      [
        ['herbs', 3],
        ['herbs', 4],
        ['older', 3],
        ['older', 4],
        ['outside', 1],
        ['outside', 2],
      ].map(([id, n]) => ({ conflict_id: id, fact_id: sampleId(n as number) })),
    );
    expect(await read('conflicts_reigns', 'place', 'fact_id')).to.deep.equal([
      { place: '', fact_id: sampleId(2) },
      { place: HERBS, fact_id: sampleId(4) },
    ]);
  });

  it('are made for differing facts of a garden that a retraction outside had ended, and no other', async () => {
    await storeFactsAsBefore(store, [said(1, 'a'), said(2, 'b', HERBS), said(3, 'c', HERBS), said(4, 'd', ROOTS)]);
    await cover(9, null);
    await cover(8, ROOTS);
    await store.migrate(migrations);
    expect(await liveIn(null)).to.deep.equal([]);
    expect(await liveIn(ROOTS)).to.deep.equal([]);
    expect(await liveIn(HERBS)).to.deep.equal([sampleId(3), sampleId(2)]);
    const records = await read<{ conflict_id: string }>('conflicts_records', 'conflict_id', 'place', 'status');
    expect(records).to.have.length(1);
    expect(records[0]).to.include({ place: HERBS, status: 'unresolved' });
    expect(records[0]?.conflict_id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(await read('conflicts_members', 'fact_id')).to.deep.equal([2, 3].map((n) => ({ fact_id: sampleId(n) })));
    expect(await read('conflicts_reigns', 'place', 'fact_id')).to.deep.equal([{ place: HERBS, fact_id: sampleId(3) }]);
  });

  it('leave no remark about two gardens to the members of one', async () => {
    const remark = sampleFact(1, { system: true, gardenId: HERBS });
    await storeFactsAsBefore(store, [remark, sampleFact(2, { system: true, gardenId: HERBS })]);
    await insert('gardens_also_in', { fact_id: sampleId(1), tenant_id: 'default', garden_id: ROOTS });
    await store.migrate(migrations);
    const gardens = await store.read((snapshot) => Promise.all([1, 2].map((n) => factById(snapshot, sampleId(n)))));
    expect(gardens.map((fact) => fact?.gardenId)).to.deep.equal(['00000000-0000-0000-0000-000000000000', HERBS]);
    expect(await store.tables()).not.to.include('gardens_also_in');
    const change = store.read((snapshot) => snapshot.table('facts').update({ scope: 'public' }));
    expect(await change.then(String, () => 'refused')).to.equal('refused');
  });
});
