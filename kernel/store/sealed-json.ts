import { type Row, ServiceError, type SqlValue } from '../../ports/ports.ts';
import { sha256Hex } from '../crypto/sha256-digest.ts';

/** The columns of a table in which the node detects changes that it did not make itself. */
export interface SealedColumns<C extends string = string> {
  readonly table: string;
  /** The columns that identify a row. Logs and `verify` name a damaged row by them, so they hold no secret. */
  readonly key: readonly [string, ...string[]];
  /** The columns that hold sealed texts. */
  readonly columns: readonly C[];
  /** The plain columns that decide about rights. One digest over all of them is in the column `seal`. */
  readonly plain?: readonly string[];
  /** Narrows the checks of `verify` to some rows of the table. */
  readonly where?: Readonly<Record<string, string>>;
}

/** The column with the digest over the plain columns. */
export const SEAL = 'seal';

/**
 * A stored row that something other than the node has changed. Where nothing catches it, the request replies 409
 * instead of 500.
 */
export class DamagedRow extends ServiceError {
  readonly table: string;
  readonly column: string;
  /** The values of the columns that identify the row. */
  readonly key: Row;

  constructor({ table, key }: SealedColumns, column: string, row: Row) {
    const place = column === SEAL ? 'a column that decides about rights' : `the column ${column}`;
    super('conflict', `a stored row is damaged: ${place}, in the table ${table}`, {
      hint: '"fact-memory-node verify" names the row; restore a backup, or make its key, grant or rule anew',
    });
    this.table = table;
    this.column = column;
    this.key = Object.fromEntries(key.map((name) => [name, row[name] ?? null]));
  }
}

const SEAL_LENGTH = 16;

const sealOf = (text: string): string => sha256Hex(text).slice(0, SEAL_LENGTH);

/**
 * Puts a digest before a text, so that reading detects every change. JSON with another name or digit would otherwise
 * still be valid.
 */
export const sealText = (text: string): string => `${sealOf(text)}${text}`;

/** Returns a value as the text of a sealed column, and null as null. */
export const sealJson = (value: unknown): string | null => (value === null ? null : sealText(JSON.stringify(value)));

/**
 * Returns the text that was given to `sealText`; null for a column that is null or was not read. Throws `DamagedRow`
 * for a changed text.
 */
export const openText = <C extends string>(sealed: SealedColumns<C>, row: Row, column: C): string | null => {
  const stored: SqlValue | undefined = row[column];
  if (stored == null) return null;
  const text = typeof stored === 'string' ? stored.slice(SEAL_LENGTH) : '';
  if (stored !== `${sealOf(text)}${text}`) throw new DamagedRow(sealed, column, row);
  return text;
};

/**
 * Returns the value that was given to `sealJson`; null for a column that is null or was not read. Throws `DamagedRow`
 * for a changed text.
 */
export const openJson = <T, C extends string = string>(sealed: SealedColumns<C>, row: Row, column: C): T => {
  const text = openText(sealed, row, column);
  return (text === null ? null : JSON.parse(text)) as T;
};

/** Adds the digest over the plain columns that decide about rights. The row has all of them. */
export const sealRow = (sealed: SealedColumns, row: Row): Row => ({ ...row, [SEAL]: sealOfRow(sealed, row) });

/** Returns the row. Throws `DamagedRow` if its plain columns have changed since `sealRow`. */
export const openRow = <R extends Row>(sealed: SealedColumns, row: R): R => {
  if (row[SEAL] !== sealOfRow(sealed, row)) throw new DamagedRow(sealed, SEAL, row);
  return row;
};

/** Compares numbers as texts, because a store may return large numbers as texts. */
const sealOfRow = ({ plain = [] }: SealedColumns, row: Row): string =>
  sealOf(JSON.stringify(plain.map((name) => (row[name] == null ? null : String(row[name])))));

/**
 * Parses a stored text that has no seal, because a chain of digests covers it. Returns `{ damaged: true }` for a text
 * that is no JSON.
 */
export const openChained = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return { damaged: true };
  }
};
