import type { ColumnCondition, ColumnMatch, FactField, Filter, Hlc } from '../../ports/ports.ts';
import { FIELD_COLUMNS, fieldSql, indexedPartSql, placeSql } from './fact-field-columns.ts';
import {
  hasPrefix,
  indexedParts,
  isComparable,
  numbersOf,
  paddedParts,
  textsOf,
  usableValues,
} from './filter-values.ts';
import { equalsOneOf, kindOf } from './list-condition.ts';
import type { SqlDialect } from './sql-dialect.ts';
import { identifier } from './sql-identifier.ts';

/**
 * Turns a filter over the table `facts`, known to the query as `alias`, into a condition that holds for exactly the
 * facts for which `evaluateFilter` returns true. The values for its `?` are those of `shapeOf`. A filter is two-valued
 * and SQL is three-valued. The difference matters only under `not`, which therefore compiles to `IS NOT TRUE`.
 * Elsewhere an unknown has the effect of a false.
 */
export const compileFilter = (filter: Filter, dialect: SqlDialect, alias: string): string =>
  new FilterCompiler(dialect).condition(filter, alias);

type InTable = Extract<Filter, { kind: 'inTable' }>;

const ALWAYS = '1 = 1';
const NEVER = '1 = 0';

class FilterCompiler {
  readonly #dialect: SqlDialect;
  #joins = 0;

  constructor(dialect: SqlDialect) {
    this.#dialect = dialect;
  }

  condition(filter: Filter, alias: string): string {
    switch (filter.kind) {
      case 'all':
        return this.#joined(filter.of, alias, ' AND ', ALWAYS);
      case 'any':
        return this.#joined(filter.of, alias, ' OR ', NEVER);
      case 'not':
        // Repeats the condition of a partial index, so that the engine can use that index.
        if (filter.of.kind === 'isNull') return `${firstColumn(filter.of.field, alias)} IS NOT NULL`;
        return `(${this.condition(filter.of, alias)}) IS NOT TRUE`;
      case 'in':
        return this.#isOneOf(filter, alias);
      case 'above':
      case 'below':
        return isComparable(filter.field, filter.value) ? this.#fieldBound(filter, alias) : NEVER;
      case 'isNull':
        return `${firstColumn(filter.field, alias)} IS NULL`;
      case 'startsWith':
        return this.#beginsWith(filter, alias);
      case 'inTable':
        return this.#existsIn(filter, alias);
    }
  }

  #beginsWith({ field, text }: Extract<Filter, { kind: 'startsWith' }>, alias: string): string {
    if (!hasPrefix(field, text)) return NEVER;
    // Compares a prefix instead of a range. For a range, SQLite would combine indexes and then sort all matching
    // facts.
    const length = `CAST(${this.#dialect.mark('whole')} AS integer)`;
    return `substr(${fieldSql(field, alias)}, 1, ${length}) = ${this.#dialect.mark('text')}`;
  }

  #fieldBound({ kind, field, value }: Extract<Filter, { kind: 'above' | 'below' }>, alias: string): string {
    const { is, column } = FIELD_COLUMNS[field];
    const left = is === 'stamp' ? stampOf(alias, column) : fieldSql(field, alias);
    return `${left} ${kind === 'above' ? '>' : '<'} ${this.#bound(value)}`;
  }

  #columnBound(column: string, operator: '<' | '>', value: number | Hlc, joined: string, sign: '' | '+'): string {
    const left = typeof value === 'object' ? stampOf(joined, column, sign) : `${sign}${joined}.${identifier(column)}`;
    return `${left} ${operator} ${this.#bound(value)}`;
  }

  #bound(value: number | Hlc): string {
    return typeof value === 'object' ? '(?, ?)' : this.#dialect.mark(kindOf([value]));
  }

  #joined(parts: readonly Filter[], alias: string, operator: string, whenEmpty: string): string {
    if (parts.length === 0) return whenEmpty;
    return `(${paddedParts(parts)
      .map((part) => this.condition(part, alias))
      .join(operator)})`;
  }

  #isOneOf({ field, values }: Extract<Filter, { kind: 'in' }>, alias: string): string {
    const { is, column, indexed } = FIELD_COLUMNS[field];
    if (is === 'stamp') return NEVER;
    const usable = usableValues(field, values);
    const whole = equalsOneOf(fieldSql(field, alias), usable, this.#dialect);
    if (indexed === undefined || usable.length === 0) return whole;
    const part = equalsOneOf(
      indexedPartSql(`${alias}.${column}`, indexed),
      indexedParts(usable, indexed),
      this.#dialect,
    );
    return `(${part} AND ${whole})`;
  }

  #existsIn(filter: InTable, alias: string): string {
    const joined = this.#nextJoin();
    const { table } = filter;
    const parts = [
      ...filter.match.map((match) => matchSql(match, alias, table, joined)),
      ...filter.where.map((condition) => this.#onColumn(condition, table, joined, filter.latest !== undefined)),
    ];
    if (filter.whereFact !== undefined) parts.push(this.#factOfRow(filter.whereFact, table, joined));
    const from = `${identifier(table)} ${joined}`;
    const source = filter.latest === undefined ? from : this.#latest(filter.latest, alias, table, parts, joined);
    const where = parts.length === 0 ? ALWAYS : parts.join(' AND ');
    return this.#dialect.exists(`SELECT 1 FROM ${source} WHERE ${where}`);
  }

  /**
   * Looks up the latest stamp first, which is one step in an index on the matched columns, and requires that stamp of
   * the row. The cross join makes SQLite run the two in this order.
   */
  #latest(
    { column, of }: NonNullable<InTable['latest']>,
    alias: string,
    table: string,
    parts: string[],
    joined: string,
  ): string {
    const row = this.#nextJoin();
    const found = this.#nextJoin();
    const [wall, counter] = [identifier(`${column}_wall`), identifier(`${column}_ctr`)];
    const conditions = [...of.map((match) => matchSql(match, alias, table, row)), `${stampOf(row, column)} <= (?, ?)`];
    const stamp = `SELECT ${row}.${wall} AS wall, ${row}.${counter} AS ctr FROM ${identifier(table)} ${row}
      WHERE ${conditions.join(' AND ')} ORDER BY ${row}.${wall} DESC, ${row}.${counter} DESC LIMIT 1`;
    const tied = of.map((match) => matchSql(match, alias, table, joined));
    parts.push(...tied, `${joined}.${wall} = ${found}.wall`, `${joined}.${counter} = ${found}.ctr`);
    return `(${stamp}) ${found} CROSS JOIN ${identifier(table)} ${joined}`;
  }

  #factOfRow(filter: Filter, table: string, joined: string): string {
    if (table === 'facts') return this.condition(filter, joined);
    const fact = this.#nextJoin();
    const condition = this.condition(filter, fact);
    // Names the tenant and id of the fact, because PostgreSQL may plan the bare condition as a join of both tables.
    const named = `${fact}.tenant_id = ${joined}.tenant_id AND ${fact}.id = ${joined}.fact_id`;
    return `(EXISTS (SELECT 1 FROM facts ${fact} WHERE ${named} AND ${condition})) IS TRUE`;
  }

  #nextJoin(): string {
    this.#joins += 1;
    return `j${this.#joins}`;
  }

  /**
   * With `isFound`, another condition finds the row, and a plus sign prevents SQLite from using an index on this
   * column.
   */
  #onColumn(condition: ColumnCondition, table: string, joined: string, isFound: boolean): string {
    const sign = isFound ? '+' : '';
    if ('above' in condition) return this.#columnBound(condition.column, '>', condition.above, joined, sign);
    if ('below' in condition) return this.#columnBound(condition.column, '<', condition.below, joined, sign);
    const column = columnSql(condition.column, table, joined);
    if ('isNull' in condition) return `${column} IS ${condition.isNull ? '' : 'NOT '}NULL`;
    // Adds one condition for texts and one for numbers, because the type of the column is unknown here.
    const texts = equalsOneOf(column, textsOf(condition.in), this.#dialect);
    const numbers = equalsOneOf(column, numbersOf(condition.in), this.#dialect);
    const options = [texts, numbers, ...(condition.orNull === true ? [`${column} IS NULL`] : [])];
    return `(${options.filter((option) => option !== NEVER).join(' OR ') || NEVER})`;
  }
}

const OPERATORS: Readonly<Record<ColumnMatch['is'], string>> = { equal: '=', other: '<>', above: '>' };

const matchSql = (match: ColumnMatch, alias: string, table: string, joined: string): string => {
  const { is, column } = FIELD_COLUMNS[match.field];
  const operator = OPERATORS[match.is];
  if (is === 'stamp') return `${stampOf(joined, match.column)} ${operator} ${stampOf(alias, column)}`;
  return `${columnSql(match.column, table, joined)} ${operator} ${fieldSql(match.field, alias)}`;
};

/** Returns a column of a joined table. The `place` of a fact is an expression. */
const columnSql = (column: string, table: string, joined: string): string =>
  table === 'facts' && column === 'place' ? placeSql(`${joined}.garden_id`) : `${joined}.${identifier(column)}`;

const stampOf = (table: string, prefix: string, sign = ''): string =>
  `(${sign}${table}.${identifier(`${prefix}_wall`)}, ${sign}${table}.${identifier(`${prefix}_ctr`)})`;

const firstColumn = (field: FactField, alias: string): string => {
  const { is, column } = FIELD_COLUMNS[field];
  return is === 'stamp' ? `${alias}.${column}_wall` : fieldSql(field, alias);
};
