import type { RowPage, SqlValue } from '../../ports/ports.ts';
import { LIMIT } from './limit.ts';
import { bindList, equalsOneOf, kindOf } from './list-condition.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { SqlParameter } from './sql-engine.ts';
import { identifier } from './sql-identifier.ts';

export type ColumnValues = Readonly<Record<string, SqlValue | readonly SqlValue[]>>;

/**
 * Returns a `SELECT *` of the rows whose columns equal the values. A list means any of its values. Null equals null,
 * because callers search for it.
 */
export const selectStatement = (
  table: string,
  where: ColumnValues,
  dialect: SqlDialect,
  page?: RowPage,
): { readonly sql: string; readonly parameters: SqlParameter[] } => {
  const parameters: SqlParameter[] = [];
  const conditions: string[] = [];
  for (const name in where) {
    conditions.push(equality(identifier(name), where[name] as SqlValue | readonly SqlValue[], dialect, parameters));
  }
  if (page?.below !== undefined) {
    conditions.push(`${identifier(page.orderBy[0])} < ?`);
    parameters.push(page.below);
  }
  const condition = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  return { sql: `SELECT * FROM ${identifier(table)}${condition}${endOf(page, parameters)}`, parameters };
};

const endOf = (page: RowPage | undefined, parameters: SqlParameter[]): string => {
  if (page === undefined) return '';
  parameters.push(page.limit);
  return ` ORDER BY ${page.orderBy.map(identifier).join(', ')} ${LIMIT}`;
};

const equality = (
  column: string,
  value: SqlValue | readonly SqlValue[],
  dialect: SqlDialect,
  parameters: SqlParameter[],
): string => {
  if (value === null) return `${column} IS NULL`;
  if (isList(value)) return anyOf(column, value, dialect, parameters);
  const bound = scalar(value);
  parameters.push(bound);
  return `${column} = ${typeof bound === 'number' ? dialect.mark(kindOf([bound])) : '?'}`;
};

const anyOf = (
  column: string,
  values: readonly SqlValue[],
  dialect: SqlDialect,
  parameters: SqlParameter[],
): string => {
  const scalars = values.filter((value) => value !== null).map(scalar);
  const options: string[] = [];
  if (isAll(scalars, 'string') || isAll(scalars, 'number')) {
    options.push(equalsOneOf(column, scalars, dialect));
    bindList(scalars, dialect, parameters);
  } else {
    options.push(`${column} IN (${scalars.map(() => '?').join(', ')})`);
    parameters.push(...scalars);
  }
  if (scalars.length < values.length) options.push(`${column} IS NULL`);
  return options.length === 1 ? (options[0] as string) : `(${options.join(' OR ')})`;
};

interface ByName {
  string: string;
  number: number;
}

const isAll = <T extends keyof ByName>(values: readonly unknown[], type: T): values is ByName[T][] =>
  values.every((value) => typeof value === type);

const isList = (value: SqlValue | readonly SqlValue[]): value is readonly SqlValue[] => Array.isArray(value);

/** Returns a value in stored form: booleans as 0 and 1. */
export const scalar = <T extends SqlParameter>(value: T): Exclude<T, boolean> | number =>
  typeof value === 'boolean' ? Number(value) : (value as Exclude<T, boolean>);
