import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { planMigrations } from '../../../kernel/plugins/plan-migrations.ts';
import { keysPlugin } from '../../../plugins/keys/keys-plugin.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { placeTestStore } from '../../kit/test-store.ts';

/** The migration that adds the client of an exchange to keys. */
const CLIENTS = 66;

forEachStore('keys of an older store', (kind) => {
  it('are for no client in particular, and work as before', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'clients-'));
    const place = await placeTestStore(kind, folder);
    const store = place.open();
    try {
      const all = planMigrations(CORE_MIGRATIONS, [keysPlugin], []);
      expect(all.some(({ number }) => number === CLIENTS)).to.equal(true);
      await store.migrate(all.filter(({ number }) => number !== CLIENTS));
      const row = {
        id: 'key-1',
        tenant_id: 'default',
        digest: 'digest-1',
        entity_uri: 'user:a',
        permissions: 'read',
        allowed_scopes: 'public',
        created_ms: 1,
      };
      await store.write('default', (transaction) => transaction.insertRows('keys_api_keys', [row]));
      await store.migrate(all);
      const rows: Record<string, unknown>[] = await store.table('keys_api_keys').select(...Object.keys(row), 'client');
      expect(rows.map((found) => ({ ...found, created_ms: Number(found['created_ms']) }))).to.deep.equal([
        { ...row, client: null },
      ]);
    } finally {
      await store.close();
      await place.remove();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
