import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import type { FactStore, Row, StoredFact } from '../../../ports/ports.ts';
import { createTemporaryDatabase } from '../../adapters/postgres/temporary-database.ts';
import { createTemporaryStore } from '../../adapters/sqlite/temporary-store.ts';
import type { StoreUnderTest } from '../../contract/fact-store-contract.ts';
import { factById, sampleFact, sampleId } from '../../kit/fact-samples.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { createSealedStore, type SealedStore } from '../../kit/sealed-store.ts';

const cidOf = (n: number): string => `sha256:${String(n).repeat(64)}`;

/** Facts of one entity, of another entity and of another tenant. */
const FACTS: readonly StoredFact[] = [
  sampleFact(1, { cid: cidOf(1) }),
  sampleFact(2, { cid: cidOf(2) }),
  sampleFact(3, { cid: cidOf(3), entity: 'user:bob', entityKey: 'user:bob' }),
  sampleFact(4, { cid: cidOf(4), tenantId: 'other' }),
  sampleFact(5, { cid: cidOf(5), scope: 'public' }),
];

/** Stores facts, and then changes rows past the node. */
const fill = async (store: FactStore): Promise<void> => {
  await store.migrate(CORE_MIGRATIONS);
  for (const one of FACTS) await store.write(one.tenantId, (transaction) => transaction.insert([one]));
};
const rowOf = async (store: FactStore, n: number): Promise<Row> =>
  (await store.read((snapshot) => snapshot.select('facts', { id: sampleId(n) })))[0] as Row;
const change = (store: FactStore, n: number, columns: Row): Promise<void> =>
  store.write(FACTS[n - 1]?.tenantId ?? '', async (transaction) => {
    const setting = { key: 'content_seal_conversion', value: '{}' };
    await transaction.insertRows('node_settings', [setting]);
    await transaction
      .table('facts')
      .where({ id: sampleId(n) })
      .update(columns);
    await transaction.table('node_settings').where({ key: setting.key }).delete();
  });
const read = (store: FactStore, n: number): Promise<StoredFact | undefined> =>
  store.read((snapshot) => factById(snapshot, sampleId(n)));

forEachStore('sealed contents in another place', (engine) => {
  let current: SealedStore;
  beforeEach(async () => {
    current = await createSealedStore(engine);
    await fill(current.store);
  });
  afterEach(() => current.stop());

  for (const [from, place] of [
    [2, 'another fact of the entity'],
    [3, 'another entity'],
    [4, 'another tenant'],
    [5, 'another scope'],
  ] as const) {
    it(`open in no row of ${place}`, async () => {
      const { store } = current;
      const { sealed } = await rowOf(store, from);
      await change(store, 1, { sealed: sealed ?? null });
      const found = await read(store, 1);
      expect([found?.damage, found?.value.v]).to.deep.equal(['sealed', null]);
      expect(await read(store, from)).to.deep.equal(FACTS[from - 1]);
    });
  }

  it('give another content id in another tenant', async () => {
    const { store } = current;
    const { cid } = await rowOf(store, 1);
    await change(store, 4, { cid: cid ?? null });
    expect((await read(store, 4))?.cid).to.not.equal(cidOf(1));
  });

  it('open in no other column', async () => {
    const { store } = current;
    const { sealed } = await rowOf(store, 1);
    await change(store, 1, { value_v: Buffer.from(sealed as Uint8Array).toString('base64'), sealed: null });
    expect((await read(store, 1))?.damage).to.equal('sealed');
  });
});

forEachStore('a clear store', (engine) => {
  let current: StoreUnderTest;
  beforeEach(async () => {
    current = await (engine === 'sqlite' ? createTemporaryStore() : createTemporaryDatabase());
    await fill(current.store);
  });
  afterEach(() => current.stop());

  it('reports a sealed value, and one that is gone, as damage', async () => {
    const { store } = current;
    await change(store, 1, { value_v: null, sealed: Buffer.alloc(40, 1) });
    await change(store, 2, { value_v: null });
    for (const n of [1, 2]) expect((await read(store, n))?.damage, String(n)).to.equal('value_v');
    expect(await read(store, 3)).to.deep.equal(FACTS[2]);
  });

  it('reports no erased fact, and no fact without a value, as damage', async () => {
    const { store } = current;
    const none = sampleFact(6, { value: { type: 'null', v: null, interpretAs: 'content' } });
    await store.write('default', (transaction) => transaction.insert([none]));
    await store.write('default', (transaction) =>
      transaction.erase([{ id: sampleId(1), commitment: new Uint8Array(32).fill(1) }]),
    );
    for (const n of [1, 6]) expect((await read(store, n))?.damage, String(n)).to.equal(undefined);
  });
});
