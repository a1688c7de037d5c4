import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { narrowSnapshot } from '../../../kernel/store/narrow-transaction.ts';
import type { Snapshot } from '../../../ports/ports.ts';
import { sampleId, stamp } from '../../kit/fact-samples.ts';
import { currentStore, forEachStore } from '../../kit/for-each-store.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';
import { placeTestStore } from '../../kit/test-store.ts';

forEachStore('the replaced times-to-live of facts', () => {
  it('of several tenants are read with one statement, without those of facts with equal ids', () =>
    inTemporaryFolder(async (folder) => {
      const place = await placeTestStore(currentStore(), folder);
      const store = place.open();
      try {
        await store.migrate(CORE_MIGRATIONS);
        for (const tenantId of ['default', 'acme']) {
          await store.write(tenantId, async (transaction) => {
            for (const fact of [1, 2]) {
              for (const n of [10, 20, 30]) await transaction.setExpiry(sampleId(fact), fact * n, stamp(n));
            }
          });
        }
        let statements = 0;
        const counted = (snapshot: Snapshot): Snapshot =>
          new Proxy(snapshot, {
            get: (target, member) => {
              if (member === 'table') statements += 1;
              const value = Reflect.get(target, member) as unknown;
              return typeof value === 'function' ? value.bind(target) : value;
            },
          });
        const asked = [
          { tenantId: 'default', id: sampleId(1) },
          { tenantId: 'acme', id: sampleId(2) },
        ];
        const read = (after: number) =>
          store.read((snapshot) => narrowSnapshot(counted(snapshot)).formerExpiries(asked, stamp(after)));
        const found = await read(0);
        expect(statements).to.equal(1);
        for (const [at, { tenantId, id: factId }] of asked.entries()) {
          expect(found.filter((one) => one.tenantId === tenantId)).to.deep.equal([
            { tenantId, factId, expiresMs: (at + 1) * 10, since: stamp(10) },
            { tenantId, factId, expiresMs: (at + 1) * 20, since: stamp(20) },
          ]);
        }
        expect((await read(20)).map(({ since }) => since)).to.deep.equal([stamp(20), stamp(20)]);
      } finally {
        await store.close();
        await place.remove();
      }
    }));
});
