import { randomUUID } from 'node:crypto';
import { PERIOD } from '../kernel/store/built-query.ts';
import { type ContentColumns, isExpiring, openOrKeepStored } from '../kernel/store/content-border.ts';
import { beginEpoch } from '../kernel/store/period-rows.ts';
import { openBytes, sealBytes } from '../kernel/store/sealed-bytes.ts';
import {
  all,
  type ContentSeal,
  DEFAULT_TENANT,
  equals,
  isIn,
  isNull,
  not,
  type SqlValue,
  type TextOwner,
  type WriteTransaction,
} from '../ports/ports.ts';

type Row = Readonly<Record<string, SqlValue>>;

export interface TextConversion {
  /** Opens sealed contents, and lets clear ones pass. */
  readonly from: ContentSeal;
  /** Undefined for a store that becomes clear. */
  readonly to: ContentSeal | undefined;
  /** The keys before the rewriting; undefined for a clear store. */
  readonly former: ContentSeal | undefined;
}

/**
 * Rewrites the contents of the next rows of a plugin's table, or deletes all derived rows. Returns the key of the last
 * rewritten one; undefined at the end. A row may be rewritten twice, because a hidden text can be part of its key: the
 * second time changes nothing.
 */
export const convertTexts = async (
  transaction: WriteTransaction,
  columns: ContentColumns,
  after: readonly SqlValue[] | undefined,
  limit: number,
  conversion: TextConversion,
): Promise<{ readonly last: readonly SqlValue[]; readonly rows: number } | undefined> => {
  const { table, key } = columns;
  if (columns.isDerived === true) {
    await transaction.table(table).delete();
    return undefined;
  }
  const query = transaction
    .table(table)
    .select('*')
    .orderBy([...key])
    .limit(limit);
  if (after !== undefined) {
    query.where((later) => {
      for (const at of key.keys()) {
        later.orWhere((one) => {
          for (const [place, column] of key.slice(0, at).entries()) one.where({ [column]: after[place] });
          one.where(key[at] as string, '>', after[at] as string | number);
        });
      }
    });
  }
  const rows: Row[] = await query;
  const owners = conversion.to === undefined ? new Map() : await ownersOf(rows, columns, transaction);
  const first = conversion.former?.firstPeriod(table) ?? 0;
  const isEnded = (row: Row): boolean => isExpiring(columns) && typeof row[PERIOD] === 'number' && row[PERIOD] < first;
  const deletesEnded = columns.keepsEnded !== true;
  if (deletesEnded && rows.some(isEnded)) await beginEpoch(transaction, { uuid: randomUUID });
  for (const row of rows) {
    // This row was deleted and its key destroyed. An older backup brought it back, so delete it again.
    if (isEnded(row)) {
      if (deletesEnded) await transaction.table(table).where(keyOf(row, columns)).delete();
      continue;
    }
    const changed = convert(row, columns, owners.get(row), conversion);
    if (Object.keys(changed).length === 0) continue;
    await transaction.table(table).where(keyOf(row, columns)).update(changed);
  }
  const last = rows.at(-1);
  return last === undefined ? undefined : { last: key.map((name) => last[name] ?? null), rows: rows.length };
};

const keyOf = (row: Row, { key }: ContentColumns): Row =>
  Object.fromEntries(key.map((name) => [name, row[name] as SqlValue]));

/** Returns the owners of rows about facts. Rows of erased facts have none, and get the key of the tenant. */
const ownersOf = async (
  rows: readonly Row[],
  { owner }: ContentColumns,
  transaction: WriteTransaction,
): Promise<ReadonlyMap<Row, TextOwner>> => {
  const owners = new Map<Row, TextOwner>();
  const column = owner?.fact ?? null;
  if (column === null) return owners;
  for (const tenantId of new Set(rows.map(tenantOf))) {
    const own = rows.filter((row) => tenantOf(row) === tenantId);
    const ids = own.map((row) => String(row[column]));
    const facts = await transaction.outline(all(equals('tenantId', tenantId), isIn('id', ids), not(isNull('cid'))));
    const byId = new Map(facts.map((fact) => [fact.id, fact]));
    for (const row of own) {
      const fact = byId.get(String(row[column]));
      if (fact !== undefined) owners.set(row, fact);
    }
  }
  return owners;
};

const tenantOf = (row: Row): string => (typeof row['tenant_id'] === 'string' ? row['tenant_id'] : DEFAULT_TENANT);

const convert = (
  row: Row,
  columns: ContentColumns,
  owner: TextOwner | undefined,
  { from, to }: TextConversion,
): Record<string, SqlValue> => {
  const { table, texts = [], expiring = [], hidden = [], bytes = [] } = columns;
  const tenantId = tenantOf(row);
  const changed: Record<string, SqlValue> = {};
  for (const column of [...texts, ...expiring]) {
    const text = row[column];
    if (typeof text !== 'string') continue;
    const place = { tenantId, table, column, row: '' };
    // A caller of a clear store may have sent a text that looks sealed. It counts as clear.
    const clear = openOrKeepStored(text, () => from.openText(place, text));
    const key = expiring.includes(column) ? { period: to?.period } : { owner };
    changed[column] = to?.sealText({ ...place, ...key }, clear) ?? clear;
  }
  for (const column of hidden) {
    const text = row[column];
    if (typeof text !== 'string') continue;
    const place = { tenantId, table, column };
    const clear = openOrKeepStored(text, () => from.showText(place, text));
    changed[column] = to?.hideText(place, clear) ?? clear;
  }
  for (const column of bytes) {
    const stored = row[column];
    if (!(stored instanceof Uint8Array)) continue;
    const place = { tenantId, name: `${table}.${column}` };
    const clear = openOrKeepStored(stored, () => openBytes(from, place, stored));
    changed[column] = to === undefined ? clear : sealBytes(to, { ...place, owner }, clear);
  }
  // All expiring texts of the row have the key of this period now.
  return isExpiring(columns) ? { ...changed, [PERIOD]: to?.period ?? null } : changed;
};
