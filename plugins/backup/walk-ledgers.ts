import { isIn, type PluginSnapshot, type PluginTables, type ReadableTables } from '../../kernel/plugin-api.ts';
import type { CheckReport } from './backup-api.ts';

/** Entries per page. All facts of a page are in memory at the same time. */
const PAGE = 250;

/** Successive facts of one tenant's ledger. */
export interface LedgerPage {
  readonly tenantId: string;
  readonly ids: readonly string[];
}

/** Checks a page. All its reads come from one snapshot. */
export type LookAtPage = (page: LedgerPage, own: ReadableTables, snapshot: PluginSnapshot) => Promise<void>;

/** Walks all ledgers page by page and reports progress, for a check of every fact. */
export const walkLedgers = async (
  tables: PluginTables,
  { tenants, advance }: Pick<CheckReport, 'tenants' | 'advance'>,
  look: LookAtPage,
): Promise<void> => {
  for (const { tenantId, number: end } of tenants) {
    for (let above = 0; above < end; ) {
      const from = above;
      const last = await tables.read(async (own, snapshot) => {
        const query = { tenantId, above: from, order: 'oldest', limit: PAGE } as const;
        const entries = await snapshot.ledger({ ...query, members: ['number', 'factId'] });
        const ids = entries.map(({ factId }) => factId);
        if (ids.length > 0) await look({ tenantId, ids }, own, snapshot);
        return entries.at(-1)?.number;
      });
      advance((last ?? end) - above);
      above = last ?? end;
    }
  }
};

/** The filter for the facts of a page. */
export const ofPage = ({ tenantId, ids }: LedgerPage) =>
  ({ kind: 'all', of: [isIn('tenantId', [tenantId]), isIn('id', ids)] }) as const;
