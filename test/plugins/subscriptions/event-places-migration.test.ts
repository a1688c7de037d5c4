import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { planMigrations } from '../../../kernel/plugins/plan-migrations.ts';
import { createPluginTables } from '../../../kernel/plugins/plugin-tables.ts';
import { EventWindow } from '../../../plugins/subscriptions/event-window.ts';
import { EVENTS } from '../../../plugins/subscriptions/subscription-store.ts';
import { subscriptionsPlugin } from '../../../plugins/subscriptions/subscriptions-plugin.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { placeTestStore } from '../../kit/test-store.ts';

const PLACES = 32;

forEachStore('Events that were queued before places were kept with them', (kind) => {
  it('are counted, and stay where they are', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'events-'));
    const place = await placeTestStore(kind, folder);
    const store = place.open();
    try {
      const all = planMigrations(CORE_MIGRATIONS, [subscriptionsPlugin], []);
      await store.migrate(all.filter(({ number, owner }) => owner !== 'subscriptions' || number < PLACES));
      const tables = createPluginTables(store, 'subscriptions');
      const event = (n: number) => ({
        event_id: `e${n}`,
        tenant_id: 'default',
        subscription_id: 's',
        event_type: 'fact_asserted',
        fact_id: `f${n}`,
        witnesses: null,
        hlc: '1.0',
        host: 'hook.example',
        created_ms: 5,
        status: 'pending',
        attempts: 0,
        due_ms: 0,
        fence: 0,
        delivered_ms: null,
      });
      await tables.write('default', (own) => own.insertRows(EVENTS, [event(1), event(2)]));
      await store.migrate(all);
      const counts = await tables.read(async (own) =>
        (await EventWindow.open(own, { tenantId: 'default', id: 's' }, {}, 0)).counts(),
      );
      expect(counts).to.deep.equal([{ scope: null, gardenId: null, count: 2 }]);
    } finally {
      await store.close();
      await place.remove();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
