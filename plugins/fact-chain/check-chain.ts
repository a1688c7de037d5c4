import type { ChainPlace } from '../../kernel/internal-api.ts';
import { type PluginTables, ServiceError } from '../../kernel/plugin-api.ts';
import type { StoreCheck } from '../backup/backup-api.ts';
import { verifyLinks } from './verify-links.ts';

/** Number of links that are verified in one snapshot. */
const STRETCH = 500;

/** Verifies the whole chain of every tenant, including the prefix that was verified before. */
export const createChainCheck = (tables: PluginTables): StoreCheck => ({
  name: 'chain',
  summary: 'every link of the chain of facts, and the facts that it was made of',
  async run({ tenants, advance, find }) {
    for (const { tenantId } of tenants) {
      let from: ChainPlace | undefined;
      try {
        for (let isDone = false; !isDone; ) {
          const before: ChainPlace | undefined = from;
          const reached: ChainPlace | undefined = await tables.read(async (_own, snapshot) => {
            const head = await snapshot.ledgerHead(tenantId);
            const place = await verifyLinks({ tenantId, from: before, head, limit: STRETCH }, snapshot);
            isDone = place === undefined || place.number >= (head.linked?.number ?? 0);
            return place;
          });
          advance((reached?.number ?? 0) - (before?.number ?? 0));
          from = reached;
        }
      } catch (error) {
        if (!(error instanceof ServiceError) || error.status >= 500) throw error;
        find({ tenantId, message: error.message, hint: error.hint ?? 'compare the store with a backup' });
      }
    }
  },
});
