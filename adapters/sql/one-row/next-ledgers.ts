import type { LedgerHead, MigrationData } from '../../../ports/ports.ts';
import { HEAD_COLUMNS, headFromRow, headToRow } from '../ledger-row.ts';

/** Becomes the table of ledgers once all facts are copied. */
export const NEXT_LEDGERS = 'ledgers_next';

/** Ends of the ledgers of these tenants, as far as they are copied. A tenant may have none yet. */
export const readLedgers = async (
  data: MigrationData,
  tenantIds: ReadonlySet<string>,
): Promise<Map<string, LedgerHead>> => {
  const rows = await data.select(NEXT_LEDGERS, { tenant_id: [...tenantIds] });
  return new Map(
    rows.map((row) => [String(row['tenant_id']), headFromRow(HEAD_COLUMNS.map((column) => row[column] ?? null))]),
  );
};

export const saveLedgers = async (data: MigrationData, ledgers: ReadonlyMap<string, LedgerHead>): Promise<void> => {
  await data
    .table(NEXT_LEDGERS)
    .whereIn('tenant_id', [...ledgers.keys()])
    .delete();
  await data.insertRows(
    NEXT_LEDGERS,
    [...ledgers].map(([tenantId, ledger]) => {
      const values = headToRow(ledger);
      return {
        tenant_id: tenantId,
        ...Object.fromEntries(HEAD_COLUMNS.map((column, at) => [column, values[at] ?? null])),
      };
    }),
  );
};
