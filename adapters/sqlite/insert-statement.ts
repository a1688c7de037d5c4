import type { InsertTarget } from '../sql/sql-engine.ts';
import { identifier } from '../sql/sql-identifier.ts';

/** Caches statements by target, because writing the names of many columns takes longer than inserting a short row. */
const statements = new WeakMap<InsertTarget, string>();

export const insertStatement = (into: InsertTarget): string => {
  const known = statements.get(into);
  if (known !== undefined) return known;
  const statement = writeInsert(into);
  statements.set(into, statement);
  return statement;
};

const writeInsert = ({ table, columns, unlessTaken }: InsertTarget): string => {
  const names = columns.map(identifier).join(', ');
  const marks = columns.map(() => '?').join(', ');
  const conflict =
    unlessTaken === undefined ? '' : ` ON CONFLICT (${unlessTaken.map(identifier).join(', ')}) DO NOTHING`;
  return `INSERT INTO ${identifier(table)} (${names}) VALUES (${marks})${conflict}`;
};
