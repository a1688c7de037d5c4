import { type ContentSeal, DEFAULT_TENANT, type FactStore, type Row } from '../../ports/ports.ts';
import { PERIOD } from './built-query.ts';
import { type ContentColumns, isExpiring } from './content-border.ts';

const ROWS_AT_ONCE = 200;

/** Returns the tables of a store whose rows have keys of periods. */
export const expiringTables = async (
  store: Pick<FactStore, 'tables'>,
  contents: readonly ContentColumns[],
): Promise<readonly ContentColumns[]> => {
  const there = new Set(await store.tables());
  return contents.filter((columns) => isExpiring(columns) && there.has(columns.table));
};

/**
 * Deletes the rows of periods whose keys were destroyed. A store has such rows only after the restore of a backup from
 * before they were deleted.
 */
export const dropEndedRows = async (
  store: Pick<FactStore, 'tables' | 'read' | 'write'>,
  seal: Pick<ContentSeal, 'firstPeriod'>,
  contents: readonly ContentColumns[],
): Promise<void> => {
  for (const { table, key } of await expiringTables(store, contents)) {
    const first = seal.firstPeriod(table);
    const [found]: readonly Row[] = await store.read((snapshot) =>
      snapshot.table(table).where(PERIOD, '<', first).limit(1).select(PERIOD),
    );
    for (let isMore = found !== undefined; isMore; ) isMore = await dropPiece(store, { table, key }, first);
  }
};

const dropPiece = (
  store: Pick<FactStore, 'write'>,
  { table, key }: Pick<ContentColumns, 'table' | 'key'>,
  first: number,
): Promise<boolean> =>
  store.write(DEFAULT_TENANT, async (transaction) => {
    const rows: readonly Row[] = await transaction
      .table(table)
      .where(PERIOD, '<', first)
      .limit(ROWS_AT_ONCE)
      .select(...key);
    for (const row of rows) await transaction.table(table).where(row).where(PERIOD, '<', first).delete();
    return rows.length === ROWS_AT_ONCE;
  });
