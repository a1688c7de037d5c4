import type { Row, SqlValue } from '../../ports/ports.ts';
import { numberOrNull, textOrNull } from './null-columns.ts';
import { openJson, type SealedColumns, sealJson } from './sealed-json.ts';

/** How a row stores one member of a record. */
export interface StoredMember<T> {
  /** Returns the columns of the member. */
  write(value: T): Row;
  read(row: Row): T;
}

type StoredMembers<T> = { readonly [Name in keyof T]-?: StoredMember<T[Name]> };

/** A record as rows hold it. Members of an object that the definition does not name are left out. */
export interface RowForm<T> {
  rowOf(record: T): Row;
  /** Returns the columns of the members that are there. */
  columnsOf(change: Partial<T>): Row;
  fromRow(row: Row): T;
}

/** Declares for each member of a record how it is stored: `defineRow<Garden>({ slug: column.text('slug'), ... })`. */
export const defineRow = <T extends object>(members: StoredMembers<T>): RowForm<T> => {
  const all = Object.entries(members) as [string, StoredMember<unknown>][];
  const columnsOf = (record: object): Row => {
    const row: Record<string, SqlValue> = {};
    for (const [name, member] of all) {
      if (name in record) Object.assign(row, member.write((record as Record<string, unknown>)[name]));
    }
    return row;
  };
  return {
    rowOf: columnsOf,
    columnsOf,
    fromRow(row) {
      const record: Record<string, unknown> = {};
      for (const [name, member] of all) record[name] = member.read(row);
      return record as T;
    },
  };
};

const inColumn = <T>(
  name: string,
  read: (value: SqlValue | undefined) => T,
  write = (value: T): SqlValue => value as SqlValue,
): StoredMember<T> => ({
  write: (value) => ({ [name]: write(value) }),
  read: (row) => read(row[name]),
});

/** The ways to store a member in a column. */
export const column = {
  /** Any other way. Without `write` the column holds the member as it is. */
  of: inColumn,
  text: <T extends string = string>(name: string) => inColumn<T>(name, (value) => String(value) as T),
  textOrNull: <T extends string = string>(name: string) =>
    inColumn<T | null>(name, (value) => textOrNull(value) as T | null),
  /** PostgreSQL returns long integers as text. */
  number: (name: string) => inColumn<number>(name, Number),
  numberOrNull: (name: string) => inColumn<number | null>(name, numberOrNull),
  flag: (name: string) =>
    inColumn<boolean>(
      name,
      (value) => Number(value) === 1,
      (isSet) => (isSet ? 1 : 0),
    ),
  /** A sealed column. Reading a changed one throws `DamagedRow`. */
  json: <T, C extends string = string>(sealed: SealedColumns<C>, name: C): StoredMember<T> => ({
    write: (value) => ({ [name]: sealJson(value) }),
    read: (row) => openJson<T, C>(sealed, row, name),
  }),
} as const;
