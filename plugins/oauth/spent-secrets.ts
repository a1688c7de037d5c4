import { portions, type Withdrawals } from '../../kernel/internal-api.ts';
import type { Clock, PluginTables } from '../../kernel/plugin-api.ts';
import type { GrantStore, StoredSecret } from './grant-store.ts';

/** Returns the entry of a journal for a secret that must not be used again: its digest, and when it expires. */
export const entryOfSecret = ({ digest, expiresMs }: Pick<StoredSecret, 'digest' | 'expiresMs'>): string =>
  `${digest}.${expiresMs}`;

/** Returns whether the secret of an entry has expired, so that no store takes it any more. */
export const isOverEntry = (entry: string, nowMs: number): boolean => Number(entry.split('.')[1]) <= nowMs;

export interface SpentParts {
  readonly store: GrantStore;
  readonly tables: PluginTables;
  readonly clock: Clock;
}

const AT_ONCE = 500;

/** Codes and refresh tokens that were used, and access tokens that were revoked. A restore makes none valid again. */
export const spentSecrets = ({ store, tables, clock }: SpentParts): Withdrawals => ({
  since: async (own, sinceMs) => (await store.spentSince(own, sinceMs, clock.nowMs())).map(entryOfSecret),
  async repeat(journaled) {
    const digests = [...journaled].map((entry) => entry.split('.')[0] ?? '');
    let count = 0;
    for (const some of portions(digests, AT_ONCE)) {
      for (const secret of await tables.read((own) => store.unspentAmong(own, some))) {
        await tables.writeUnlessErased(secret.tenantId, async (own) => {
          if (secret.kind === 'access') await store.removeSecret(own, secret);
          else await store.spend(own, secret, clock.nowMs());
        });
        count += 1;
      }
    }
    return count;
  },
});
