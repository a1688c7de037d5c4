import { defineRef, type FactStore, type Row, type SqlValue } from '../../ports/ports.ts';
import type { Logger } from '../log/logger.ts';
import type { Telemetry } from '../telemetry/telemetry-api.ts';
import type { ContentBorder } from './content-border.ts';
import { DamagedRow, openRow, openText, SEAL, type SealedColumns } from './sealed-json.ts';

/** Receives a message about each damaged row. Of the values of the row, the message shows only the key. */
export type DamageListener = (message: string, tenantId: string | null) => void;

/** The rows of all plugins that have sealed columns, or plain ones with a seal. */
export interface StoredRows {
  /** Opens every seal of the store, in pieces of limited size. Calls the listener for each damaged row or column. */
  check(onDamage: DamageListener): Promise<void>;
}

export const StoredRows = defineRef<StoredRows>('kernel.stored-rows');

/** Receives each damaged row that a plugin reads. */
export type ReportDamage = (damage: DamagedRow) => void;

const ROWS_AT_ONCE = 100;
/** The maximum number of damaged rows that a process remembers as logged. */
const MAX_REPORTED = 10_000;

/** Returns a function that counts and logs each damaged column once for each process. */
export const createDamageReport = (log: Logger, telemetry: Telemetry): ReportDamage => {
  const found = telemetry.counter({
    name: 'rows_damaged_total',
    help: 'Stored rows beside facts that were found damaged and left out, each once for each process',
    labels: ['table'],
  });
  const reported = new Set<string>();
  return ({ table, column, key }) => {
    const name = JSON.stringify([table, column, key]);
    if (reported.has(name)) return;
    if (reported.size < MAX_REPORTED) reported.add(name);
    found.add(1, { table });
    log.error('a stored row is damaged and is left out: restore a backup, or make its key, grant or rule anew', {
      table,
      column,
      key,
    });
  };
};

export const createStoredRows = (
  store: FactStore,
  tables: readonly SealedColumns[],
  border: ContentBorder,
): StoredRows => ({
  async check(onDamage) {
    for (const sealed of tables) {
      for (let after: Row | undefined = {}; after !== undefined; )
        after = await checkPage({ store, border }, sealed, after, onDamage);
    }
  },
});

/** Checks the rows after a key. Returns the key of the last one; undefined at the end of the table. */
const checkPage = async (
  { store, border }: { readonly store: FactStore; readonly border: ContentBorder },
  sealed: SealedColumns,
  after: Row,
  onDamage: DamageListener,
): Promise<Row | undefined> => {
  const { table, key, columns, plain, where = {} } = sealed;
  const seals = plain === undefined ? [] : [...plain, SEAL];
  const rows = await store.read(async (snapshot) => {
    const query = border
      .sealQuery(table, snapshot.table(table))
      .where(where)
      .select([...new Set([...key, ...columns, ...seals])]);
    if (key.every((name) => name in after)) {
      query.where((later) => {
        for (const [at, name] of key.entries()) {
          const same = Object.fromEntries(key.slice(0, at).map((before) => [before, after[before] as SqlValue]));
          later.orWhere((one) => one.where(same).where(name, '>', after[name] as string));
        }
      });
    }
    return (await query.orderBy([...key]).limit(ROWS_AT_ONCE)) as Row[];
  });
  for (const row of rows) {
    const tenantId = row['tenant_id'];
    const place = key.map((name) => `${name} ${String(row[name])}`).join(', ');
    const tell = (what: string): void =>
      onDamage(`${what} is damaged (${place})`, typeof tenantId === 'string' ? tenantId : null);
    for (const column of columns) {
      if (isDamaged(() => openText(sealed, row, column))) tell(`the column ${column} of ${table}`);
    }
    if (plain !== undefined && isDamaged(() => openRow(sealed, row))) {
      tell(`a row of ${table}, in ${plain.join(' or ')},`);
    }
  }
  return rows.length < ROWS_AT_ONCE ? undefined : rows.at(-1);
};

const isDamaged = (open: () => unknown): boolean => {
  try {
    open();
    return false;
  } catch (error) {
    if (error instanceof DamagedRow) return true;
    throw error;
  }
};
