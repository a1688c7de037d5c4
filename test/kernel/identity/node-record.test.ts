import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { checkNodeRecord, openNodeRecord } from '../../../kernel/identity/node-record.ts';
import { UNICODE_VERSION } from '../../../kernel/text/unicode-table.ts';
import type { FactStore } from '../../../ports/ports.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { currentStore, forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';
import { placeTestStore } from '../../kit/test-store.ts';

const settings = { serviceName: 'svc', nodeUrl: 'http://localhost:8765' };

const withStores = (count: number, work: (stores: readonly FactStore[]) => Promise<void>): Promise<void> =>
  inTemporaryFolder(async (folder) => {
    const place = await placeTestStore(currentStore(), folder);
    const stores = Array.from({ length: count }, () => place.open());
    try {
      await stores[0]?.migrate(CORE_MIGRATIONS);
      await work(stores);
    } finally {
      await Promise.all(stores.map((store) => store.close()));
      await place.remove();
    }
  });
const withStore = (work: (store: FactStore) => Promise<void>): Promise<void> =>
  withStores(1, ([store]) => work(store as FactStore));

forEachStore('the node record', () => {
  it('generates an identity and a secret at the first start, and retains them', () =>
    withStore(async (store) => {
      const first = await openNodeRecord(store, settings, createSeededRandom(1));
      expect(first.self.nodeId).to.match(
        /^svc:node:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
      expect(first.cursorSecret).to.have.length(32);
      const second = await openNodeRecord(store, settings, createSeededRandom(2));
      expect(second.self.nodeId).to.equal(first.self.nodeId);
      expect(second.cursorSecret).to.deep.equal(first.cursorSecret);
    }));

  it('is the same for several concurrent first starts', () =>
    withStores(4, async (stores) => {
      const records = await Promise.all(
        stores.map((store, place) => openNodeRecord(store, settings, createSeededRandom(place))),
      );
      expect(new Set(records.map(({ self }) => self.nodeId)).size).to.equal(1);
      expect(new Set(records.map(({ cursorSecret }) => cursorSecret.join())).size).to.equal(1);
    }));

  it('accepts the id that the operator sets, and refuses another one later', () =>
    withStore(async (store) => {
      const mine = { ...settings, nodeId: 'https://node-a.example' };
      expect((await openNodeRecord(store, mine, createSeededRandom())).self.nodeId).to.equal(mine.nodeId);
      expect((await openNodeRecord(store, settings, createSeededRandom())).self.nodeId).to.equal(mine.nodeId);
      const error = await rejection(
        openNodeRecord(store, { ...settings, nodeId: 'https://b.example' }, createSeededRandom()),
      );
      expect(error.message).to.equal('this store belongs to the node https://node-a.example, not https://b.example');
      expect(error['hint']).to.include('SVC_NODE_ID');
    }));

  it('refuses a start under another service name', () =>
    withStore(async (store) => {
      await openNodeRecord(store, settings, createSeededRandom());
      const error = await rejection(openNodeRecord(store, { ...settings, serviceName: 'other' }, createSeededRandom()));
      expect(error.message).to.equal('this store belongs to a service named svc, not other');
      expect(error['hint']).to.include('SVC_SERVICE_NAME=svc');
    }));

  it('refuses a store whose names were folded with another version of Unicode', () =>
    withStore(async (store) => {
      await store.write('default', (transaction) =>
        transaction.insertRows('node_settings', [{ key: 'unicode_version', value: '15.1' }]),
      );
      const error = await rejection(openNodeRecord(store, settings, createSeededRandom()));
      expect(error.message).to.include('Unicode 15.1').and.to.include(UNICODE_VERSION);
      expect(error['hint']).to.include('export').and.to.include('import');
      expect((await rejection(checkNodeRecord(store, settings))).message).to.equal(error.message);
    }));

  it('stores the current advertised address, which may change', () =>
    withStore(async (store) => {
      const self = async (nodeUrl: string) =>
        (await openNodeRecord(store, { ...settings, nodeUrl }, createSeededRandom())).self;
      expect(await self('https://Node.Example:8443/base//')).to.include({
        nodeUrl: 'https://Node.Example:8443/base',
        authority: 'node.example:8443',
      });
      expect(await self('http://node.example:80')).to.include({ authority: 'node.example' });
    }));

  it('derives every identifier from the service name', () =>
    withStore(async (store) => {
      const { self } = await openNodeRecord(store, { ...settings, serviceName: 'mem-1' }, createSeededRandom());
      expect(self.nodeId).to.match(/^mem-1:node:/);
      expect(self.names.metadataPath).to.equal('/.well-known/mem-1');
    }));
});
