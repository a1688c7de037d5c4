import {
  memberRefusal,
  type PluginTables,
  type Principal,
  ServiceError,
  type SqlValue,
} from '../../kernel/plugin-api.ts';
import type { AuditLog } from '../audit/audit-api.ts';
import { ownSubscription } from './own-subscription.ts';
import { formerColumns, formerSecretsAt, RECORDS, type Subscription, subscriptionOf } from './subscription-record.ts';
import { type SubscriptionStore, whereOf } from './subscription-store.ts';
import { SECRET_ROTATED } from './subscriptions-words.ts';
import type { WebhookSeals } from './webhook-seals.ts';

export const MAX_OVERLAP_SECONDS = 30 * 24 * 60 * 60;
/** The maximum number of former secrets that still sign, because each lengthens every delivery. */
const MAX_FORMER_SECRETS = 3;

export interface RotateParts {
  readonly tables: PluginTables;
  readonly store: SubscriptionStore;
  readonly seals: Pick<WebhookSeals, 'drawSecret' | 'sealSecret'>;
  readonly audit: AuditLog | undefined;
  nowMs(): number;
}

/**
 * Implements `Subscriptions.rotateSecret`. Each delivery reads its subscription, so every process signs with both
 * secrets from then on.
 */
export const rotateSecret = async (
  { tables, store, seals, audit, nowMs }: RotateParts,
  caller: Principal,
  id: string,
  overlapSeconds: number,
): Promise<{ readonly record: Subscription; readonly secret: string }> => {
  if (!(Number.isInteger(overlapSeconds) && overlapSeconds >= 0 && overlapSeconds <= MAX_OVERLAP_SECONDS)) {
    throw memberRefusal('body.overlap_s', `must be a whole number from 0 to ${MAX_OVERLAP_SECONDS}`);
  }
  const secret = seals.drawSecret();
  const record = await tables.write(caller.tenantId, async (own, transaction) => {
    const found = await ownSubscription(store, id, caller, transaction);
    if (found.status !== 'active') throw new ServiceError('conflict', 'the subscription has ended');
    const now = nowMs();
    const former = formerSecretsAt(found, now);
    if (overlapSeconds > 0 && former.length >= MAX_FORMER_SECRETS) throw tooMany();
    const kept =
      overlapSeconds === 0 ? [] : [{ secret: found.secret, untilMs: now + overlapSeconds * 1000 }, ...former];
    const sealed = seals.sealSecret(secret, found.id);
    await own(RECORDS)
      .where(whereOf(found))
      .update({ secret: sealed, ...formerColumns(kept) });
    await audit?.record(
      {
        event: SECRET_ROTATED,
        tenantId: found.tenantId,
        entityUri: caller.entityUri,
        oidcSub: caller.oidcSub,
        detail: { subscription_id: found.id, overlap_s: overlapSeconds },
      },
      transaction,
    );
    return { ...found, secret: sealed, formerSecrets: kept };
  });
  return { record, secret };
};

/**
 * Deletes former secrets whose overlap has ended, of at most `limit` subscriptions. Returns the number of
 * subscriptions.
 */
export const destroyFormerSecrets = async (tables: PluginTables, nowMs: number, limit: number): Promise<number> => {
  const rows = await tables.read(
    async (own) =>
      (await own(RECORDS).where('former_until_ms', '<=', nowMs).orderBy('former_until_ms').limit(limit)) as Columns[],
  );
  const found = rows.map((row) => ({ tenantId: String(row['tenant_id']), id: String(row['subscription_id']) }));
  let done = 0;
  for (const tenantId of new Set(found.map((record) => record.tenantId))) {
    const ofTenant = found.filter((record) => record.tenantId === tenantId);
    const count = await tables.writeUnlessErased(tenantId, async (own) => {
      for (const { id } of ofTenant) {
        // Reads the row again, because the secret may have been rotated since.
        const [row] = await own.select(RECORDS, whereOf({ tenantId, id }));
        if (row === undefined) continue;
        // Damaged secrets sign nothing, so they go too.
        const [record] = own.parse([row], subscriptionOf);
        const kept = record === undefined ? [] : formerSecretsAt(record, nowMs);
        await own(RECORDS).where(whereOf({ tenantId, id })).update(formerColumns(kept));
      }
      return ofTenant.length;
    });
    done += count ?? 0;
  }
  return done;
};

type Columns = Record<string, SqlValue>;

const tooMany = (): ServiceError =>
  new ServiceError('limit_reached', `a subscription has at most ${MAX_FORMER_SECRETS} former secrets that still sign`, {
    hint: 'wait until one of them has ended, or rotate with overlap_s 0, which ends all of them at once',
  });
