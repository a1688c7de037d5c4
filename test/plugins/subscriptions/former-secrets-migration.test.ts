import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { planMigrations } from '../../../kernel/plugins/plan-migrations.ts';
import { createPluginTables } from '../../../kernel/plugins/plugin-tables.ts';
import {
  formerColumns,
  rowOfSubscription,
  type Subscription,
  subscriptionOf,
} from '../../../plugins/subscriptions/subscription-record.ts';
import { RECORDS } from '../../../plugins/subscriptions/subscription-store.ts';
import { subscriptionsPlugin } from '../../../plugins/subscriptions/subscriptions-plugin.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { placeTestStore } from '../../kit/test-store.ts';

/** The migration that lets a subscription keep secrets that newer ones have replaced. */
const FORMER_SECRETS = 74;

const RECORD: Subscription = {
  id: 's1',
  tenantId: 'default',
  ownerUri: 'agent:sub',
  keyId: 'key-1',
  tokenId: 'token-1',
  target: 'scope:company',
  targetType: 'scope',
  targetKey: 's:company',
  eventTypes: ['fact_asserted'],
  address: 'sealed-address',
  host: 'hook.example',
  idempotencyKey: null,
  contentDigest: 'digest-1',
  secret: 'sealed-secret',
  formerSecrets: [],
  status: 'active',
  cancelledReason: null,
  createdMs: 5,
  lastDeliveredMs: 7,
  failures: 1,
  probeMs: null,
};

forEachStore('Subscriptions from before secrets could be replaced', (kind) => {
  it('sign by the secret that they have, which can be replaced from then on', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'secrets-'));
    const place = await placeTestStore(kind, folder);
    const store = place.open();
    try {
      const all = planMigrations(CORE_MIGRATIONS, [subscriptionsPlugin], []);
      expect(all.some(({ number }) => number === FORMER_SECRETS)).to.equal(true);
      await store.migrate(all.filter(({ number }) => number !== FORMER_SECRETS));
      const tables = createPluginTables(store, 'subscriptions');
      const { former_secrets: _, former_until_ms: __, ...old } = rowOfSubscription(RECORD);
      await tables.write('default', (own) => own.insertRows(RECORDS, [old]));
      await store.migrate(all);

      const where = { tenant_id: 'default', subscription_id: 's1' };
      const stored = async () =>
        tables.read(async (own) => subscriptionOf((await own.select(RECORDS, where))[0] ?? {}));
      expect(await stored()).to.deep.equal(RECORD);
      const formerSecrets = [{ secret: 'sealed-secret', untilMs: 86_400_000 }];
      const renewed = { ...formerColumns(formerSecrets), secret: 'another-secret' };
      await tables.write('default', (own) => own(RECORDS).where(where).update(renewed));
      expect(await stored()).to.deep.equal({ ...RECORD, secret: 'another-secret', formerSecrets });
    } finally {
      await store.close();
      await place.remove();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
