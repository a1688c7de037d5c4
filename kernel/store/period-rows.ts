import type { Knex } from 'knex';
import {
  type ContentSeal,
  DEFAULT_TENANT,
  type FactStore,
  type Row,
  type WriteTransaction,
} from '../../ports/ports.ts';
import type { Random } from '../crypto/random.ts';
import { PERIOD } from './built-query.ts';
import { type ContentColumns, isExpiring } from './content-border.ts';

const ROWS_AT_ONCE = 200;

/** Adds the column of a table with expiring texts: the period of the keys in which a row was made. */
export const addPeriod = (table: Knex.CreateTableBuilder): void => {
  // Null in a clear store.
  table.integer(PERIOD).index();
};

/** Returns the tables of a store whose rows have keys of periods. */
export const expiringTables = async (
  store: Pick<FactStore, 'tables'>,
  contents: readonly ContentColumns[],
): Promise<readonly ContentColumns[]> => {
  const there = new Set(await store.tables());
  return contents.filter((columns) => isExpiring(columns) && there.has(columns.table));
};

/**
 * Begins an epoch for a store that has lost rows. Cursors of the former epoch become void, so their holders read from
 * the beginning, which brings back the content that others still have.
 */
export const beginEpoch = async (
  transaction: Pick<WriteTransaction, 'lockClock' | 'saveClock'>,
  random: Pick<Random, 'uuid'>,
): Promise<void> => transaction.saveClock(await transaction.lockClock(), random.uuid());

/**
 * Deletes the rows of periods whose keys were destroyed, unless their plugin does. A store has such rows only after the
 * restore of a backup from before they were deleted, also of one that somebody has put in place by hand.
 */
export const dropEndedRows = async (
  store: Pick<FactStore, 'tables' | 'read' | 'write'>,
  seal: Pick<ContentSeal, 'firstPeriod'>,
  { contents, random }: { readonly contents: readonly ContentColumns[]; readonly random: Pick<Random, 'uuid'> },
): Promise<void> => {
  for (const { table, key, keepsEnded } of await expiringTables(store, contents)) {
    if (keepsEnded === true) continue;
    const first = seal.firstPeriod(table);
    const [found]: readonly Row[] = await store.read((snapshot) =>
      snapshot.table(table).where(PERIOD, '<', first).limit(1).select(PERIOD),
    );
    for (let isMore = found !== undefined; isMore; ) {
      isMore = await store.write(DEFAULT_TENANT, async (transaction) => {
        await beginEpoch(transaction, random);
        return dropPiece(transaction, { table, key }, first);
      });
    }
  }
};

/** Returns whether rows may be left. */
const dropPiece = async (
  transaction: WriteTransaction,
  { table, key }: Pick<ContentColumns, 'table' | 'key'>,
  first: number,
): Promise<boolean> => {
  const rows: readonly Row[] = await transaction
    .table(table)
    .where(PERIOD, '<', first)
    .limit(ROWS_AT_ONCE)
    .select(...key);
  for (const row of rows) await transaction.table(table).where(row).where(PERIOD, '<', first).delete();
  return rows.length === ROWS_AT_ONCE;
};
