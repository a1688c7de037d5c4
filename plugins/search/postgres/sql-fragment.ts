import type { Knex } from 'knex';
import type { ReadableTables, SqlValue } from '../../../kernel/plugin-api.ts';
import { STATE_TABLE } from './postgres-tables.ts';

/** A piece of SQL with its values. A list becomes an array literal. */
export interface Fragment {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

type Part = Fragment | SqlValue | readonly (string | number)[];

/** Joins pieces of SQL. Values in the template become parameters. */
export const sql = (strings: TemplateStringsArray, ...parts: readonly Part[]): Fragment => {
  let text = strings[0] ?? '';
  const values: SqlValue[] = [];
  parts.forEach((part, at) => {
    if (isFragment(part)) {
      text += part.text;
      values.push(...part.values);
    } else {
      text += '?';
      values.push(Array.isArray(part) ? `{${part.join(',')}}` : (part as SqlValue));
    }
    text += strings[at + 1] ?? '';
  });
  return { text, values };
};

/** Inserts text of this program into SQL unquoted. Never pass input of callers. */
export const verbatim = (text: string): Fragment => ({ text, values: [] });

/** Joins fragments; `none` stands for an empty list. */
export const joined = (fragments: readonly Fragment[], separator: string): Fragment => ({
  text: fragments.map(({ text }) => text).join(separator),
  values: fragments.flatMap(({ values }) => values),
});

/** Runs a query, which knex's builder cannot express, on the connection of the given tables. */
export const rowsOf = async (own: ReadableTables, query: Fragment): Promise<Record<string, SqlValue>[]> => {
  const builder = own(STATE_TABLE) as Knex.QueryBuilder & {
    fromRaw(text: string, values: readonly SqlValue[]): Knex.QueryBuilder;
  };
  return (await builder.fromRaw(`(${query.text}) AS found`, query.values)) as Record<string, SqlValue>[];
};

const isFragment = (part: Part): part is Fragment => typeof part === 'object' && part !== null && 'text' in part;
