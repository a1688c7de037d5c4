import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../../adapters/sql/core-migrations.ts';
import { ERASURE_START } from '../../../../kernel/internal-api.ts';
import type { PluginTables } from '../../../../kernel/plugin-api.ts';
import { planMigrations } from '../../../../kernel/plugins/plan-migrations.ts';
import { createPluginTables } from '../../../../kernel/plugins/plugin-tables.ts';
import {
  completeErasures,
  type ErasureState,
  putErasure,
  tenantsWithErasures,
} from '../../../../plugins/tombstones/erasure/erasure-row.ts';
import { tombstonesPlugin } from '../../../../plugins/tombstones/tombstones-plugin.ts';
import type { FactStore } from '../../../../ports/ports.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { inTemporaryFolder } from '../../../kit/temporary-folder.ts';
import { placeTestStore } from '../../../kit/test-store.ts';

const put = (tables: PluginTables, tenantId: string, tombstoneId: string, state: ErasureState): Promise<void> =>
  tables.write(tenantId, (own) =>
    putErasure(own, {
      tenantId,
      tombstoneId,
      state,
      originNodeId: null,
      requestedBy: 'user:noor',
      position: ERASURE_START,
      counts: { facts: 0 } as never,
      touchedMs: 1,
      receipt: null,
    }),
  );

/** Returns the tombstones of each part. */
const partsOf = async (tables: PluginTables, tenantId: string): Promise<readonly (readonly string[])[]> => {
  const parts: string[][] = [];
  let after: string | null = '';
  while (after !== null) {
    const page: { readonly after: string; readonly limit: number } = { after, limit: 2 };
    const part: Awaited<ReturnType<typeof completeErasures>> = await tables.read((own) =>
      completeErasures(own, tenantId, page),
    );
    parts.push(part.erasures.map(({ tombstoneId }) => tombstoneId));
    after = part.next;
  }
  return parts;
};

forEachStore('the complete erasures of a tenant', (kind) => {
  it('are read in parts, each one once', () =>
    inTemporaryFolder(async (folder) => {
      const place = await placeTestStore(kind, folder);
      const store: FactStore = place.open();
      try {
        await store.migrate(planMigrations(CORE_MIGRATIONS, [tombstonesPlugin], []));
        const tables = createPluginTables(store, 'tombstones');
        for (const id of ['a', 'b', 'd', 'e']) await put(tables, 'default', id, 'done');
        await put(tables, 'default', 'c', 'running');
        for (const id of ['a', 'b', 'c']) await put(tables, 'other', id, 'done');
        expect([...(await tables.read(tenantsWithErasures))].sort()).to.deep.equal(['default', 'other']);
        expect(await partsOf(tables, 'default')).to.deep.equal([['a', 'b'], ['d', 'e'], []]);
        expect(await partsOf(tables, 'other')).to.deep.equal([['a', 'b'], ['c']]);
      } finally {
        await store.close();
        await place.remove();
      }
    }));
});
