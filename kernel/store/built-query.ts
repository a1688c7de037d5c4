import type { Row } from '../../ports/ports.ts';

/** The column with the period in which a row was made. No text of the row has the key of an earlier one. */
export const PERIOD = 'period';

/** The members of knex's builder that hold a statement, for which knex has no types. */
export interface Built {
  readonly _statements: readonly {
    grouping?: string;
    type?: string;
    column?: unknown;
    operator?: string;
    value?: unknown;
    not?: boolean;
  }[];
  readonly _single: { insert?: Row | readonly Row[]; update?: Row; merge?: { updates?: unknown } };
  then(done?: unknown, failed?: unknown): Promise<unknown>;
  update(...given: readonly unknown[]): Built;
  clone(): Built;
}

/** Returns the only tenant of the rows that a builder reads or changes; undefined where its conditions name none. */
export const tenantOf = ({ _statements: statements }: Built): string | undefined => {
  for (const { type, column, operator, value, not } of statements) {
    const isTenant = typeof column === 'string' && (column === 'tenant_id' || column.endsWith('.tenant_id'));
    if (isTenant && type === 'whereBasic' && operator === '=' && not !== true && typeof value === 'string')
      return value;
  }
  return undefined;
};

/**
 * Throws if a condition or an order of the builder reads one of these columns. Stored forms of the same content differ,
 * so such a statement would find nothing on a sealed node. `IS NULL` is the same in both forms.
 */
export const refuseComparison = ({ _statements: statements }: Built, columns: ReadonlySet<string>): void => {
  for (const { grouping, type, column, value } of statements) {
    const compared = grouping === 'order' ? value : grouping === 'where' && type !== 'whereNull' ? column : undefined;
    if (typeof compared !== 'string') continue;
    const name = compared.slice(compared.lastIndexOf('.') + 1);
    if (columns.has(name)) throw new Error(`a statement compares or orders by ${name}, which a sealed node seals`);
  }
};

/** Returns whether a builder inserts rows, or changes one of these columns. */
export const isWriting = ({ _single: { insert, update } }: Built, columns: readonly string[]): boolean =>
  insert !== undefined || (update !== undefined && columns.some((column) => column in update));

/** How the rows that a builder writes are sealed. */
export interface BuiltSeal {
  insert(row: Row): Row;
  update(row: Row, tenantId?: string): Row;
  /** True if the rows have a period. */
  readonly hasPeriods: boolean;
}

/** Seals the rows of a statement. A changed row keeps its period, because its other columns may still need that key. */
export const sealBuilt = (
  { _single: single }: Built,
  { insert: sealInsert, update: sealUpdate, hasPeriods }: BuiltSeal,
): void => {
  const { insert, update, merge } = single;
  const rows = [insert ?? []].flat() as Row[];
  const kept = (row: Row): Row => (hasPeriods ? withoutPeriod(row) : row);
  if (insert !== undefined) single.insert = Array.isArray(insert) ? rows.map(sealInsert) : sealInsert(rows[0] as Row);
  if (update !== undefined) single.update = sealUpdate(kept(update));
  if (merge === undefined) return;
  const { updates } = merge;
  if (updates === undefined && hasPeriods) merge.updates = Object.keys(withoutPeriod(Object.assign({}, ...rows)));
  if (!isRow(updates)) return;
  const tenantId = rows[0]?.['tenant_id'];
  merge.updates = sealUpdate(kept(updates), typeof tenantId === 'string' ? tenantId : undefined);
};

const withoutPeriod = ({ [PERIOD]: _, ...row }: Row): Row => row;

/** Opens a list of rows, or the one row of `first`. Counts and lists of scalars pass as they are. */
export const openFound = (found: unknown, open: (row: Row) => Row): unknown => {
  if (Array.isArray(found)) return found.map((row) => (isRow(row) ? open(row) : row));
  return isRow(found) ? open(found) : found;
};

export const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array) && !Array.isArray(value);
