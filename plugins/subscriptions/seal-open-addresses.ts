import type { PluginTables, SqlValue } from '../../kernel/plugin-api.ts';
import { hostOf, type Subscription, subscriptionOf } from './subscription-record.ts';
import { RECORDS, whereOf } from './subscription-store.ts';
import type { WebhookSeals } from './webhook-seals.ts';

/**
 * Closes addresses that an older version has stored open, at most so many, and makes their digests anew, by which an
 * address could be guessed. Returns how many it found. Harmless when several processes do it at once.
 */
export const sealOpenAddresses = async (
  { tables, seals }: { readonly tables: PluginTables; readonly seals: WebhookSeals },
  limit: number,
): Promise<number> => {
  const rows: Record<string, SqlValue>[] = await tables.read((own) =>
    own(RECORDS).whereNull('webhook_host').limit(limit),
  );
  const found = rows.map(subscriptionOf);
  for (const tenantId of new Set(found.map((record) => record.tenantId))) {
    const records = found.filter((record) => record.tenantId === tenantId);
    await tables.write(tenantId, async (own) => {
      for (const record of records) {
        await own(RECORDS).where(whereOf(record)).whereNull('webhook_host').update(closedColumns(record, seals));
      }
    });
  }
  return found.length;
};

/** The address of such a record is still the URL itself. */
const closedColumns = ({ id, address, targetKey }: Subscription, seals: WebhookSeals): Record<string, string> => ({
  webhook_url: seals.sealAddress(address, id),
  webhook_host: hostOf(address),
  content_digest: seals.digests({ key: targetKey }, address)[0],
});
