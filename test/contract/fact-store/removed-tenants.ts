import { expect } from 'chai';
import { all, ErasedTenant, type FactStore } from '../../../ports/ports.ts';
import { factById, sampleFact, sampleId, storeFacts } from '../../kit/fact-samples.ts';
import { rejection } from '../../kit/rejection.ts';
import type { CurrentStore } from '../fact-store-contract.ts';

const FACTS = 25;
const PIECE = 10;

/** Removes the tenant `acme`, and returns the number of removed rows by table, for each call. */
const removeAcme = async (store: FactStore): Promise<Record<string, number>[]> => {
  const pieces: Record<string, number>[] = [];
  for (let more = true; more; ) {
    more = await store.removeTenant('acme', PIECE, async (_, removed) => {
      pieces.push(Object.fromEntries(removed));
    });
  }
  return pieces;
};

export const describeRemovedTenants = (current: CurrentStore): void => {
  describe('a removed tenant', () => {
    beforeEach(async () => {
      const { store } = current();
      const acme = Array.from({ length: FACTS }, (_, at) => sampleFact(at + 1, { tenantId: 'acme' }));
      await store.write('acme', (transaction) => transaction.insert(acme));
      await store.write('acme', async (transaction) => {
        await transaction.setExpiry(sampleId(1), 5_000, { wallMs: 9_000, counter: 0 });
      });
      await storeFacts(store, [sampleFact(1), sampleFact(2)]);
    });

    it('is deleted in pieces of bounded size, with all its rows and no others', async () => {
      const { store } = current();
      const pieces = await removeAcme(store);
      expect(pieces).to.deep.equal([{ facts: 10 }, { facts: 10 }, { facts: 5, fact_expiries: 1, ledgers: 1 }]);
      const left = await store.read((snapshot) => snapshot.find({ filter: all(), order: 'feed', limit: 99 }));
      expect(left.map(({ tenantId, id }) => [tenantId, id])).to.deep.equal([
        ['default', sampleId(1)],
        ['default', sampleId(2)],
      ]);
      expect((await store.read((snapshot) => snapshot.ledgerEnds())).map(({ tenantId }) => tenantId)).to.deep.equal([
        'default',
      ]);
    });

    it('accepts no writes from the first piece on, in this process and in others', async () => {
      const { store, another } = current();
      await store.removeTenant('acme', PIECE, async () => {});
      for (const one of [store, await another()]) {
        const refused = await rejection(one.write('acme', (tx) => tx.insert([sampleFact(99, { tenantId: 'acme' })])));
        expect(refused).to.be.instanceOf(ErasedTenant).and.include({ code: 'authorization' });
        const ends = await one.read((snapshot) => snapshot.ledgerEnds());
        expect(ends.map(({ tenantId }) => tenantId)).to.deep.equal(['default']);
      }
      await removeAcme(store);
      expect((await rejection(store.write('acme', async () => {}))).message).to.match(/erased/);
      await storeFacts(store, [sampleFact(3)]);
    });

    it('keeps the rows of a failed piece, and the next call continues', async () => {
      const { store } = current();
      const failing = store.removeTenant('acme', PIECE, () => Promise.reject(new Error('no record')));
      expect((await rejection(failing)).message).to.equal('no record');
      expect(await store.read((snapshot) => snapshot.count(all()))).to.equal(FACTS + 2);
      expect(await removeAcme(store)).to.have.length(3);
      expect(await removeAcme(store)).to.deep.equal([{}]);
    });

    it('leaves the facts of all other tenants immutable', async () => {
      const { store } = current();
      await removeAcme(store);
      const deletes = [
        () => store.write('default', (tx) => tx.table('facts').where({ tenant_id: 'default' }).del()),
        () => store.write('default', (tx) => tx.table('facts').del()),
      ];
      for (const remove of deletes) expect((await rejection(remove())).message).to.match(/immutable/);
      expect(await store.read((snapshot) => factById(snapshot, sampleId(1)))).to.deep.equal(sampleFact(1));
    });

    it('gets no row from a write that spans several tenants', async () => {
      const { store } = current();
      await removeAcme(store);
      const rows = ['acme', 'other', 'default'].map((tenant_id) => ({
        tenant_id,
        fact_id: sampleId(1),
        expires_ms: 1,
        hlc_wall: 1,
        hlc_ctr: 0,
        since_wall: 1,
        since_ctr: 0,
      }));
      await store.write('some lock', (tx) => tx.insertRows('fact_expiries', rows));
      const stored: { tenant_id: string }[] = await store
        .table('fact_expiries')
        .select('tenant_id')
        .orderBy('tenant_id');
      expect(stored.map(({ tenant_id }) => tenant_id)).to.deep.equal(['default', 'other']);
    });

    it('is never the default tenant', async () => {
      const { store } = current();
      expect((await rejection(store.removeTenant('default', PIECE, async () => {}))).message).to.match(/default/);
    });
  });
};
