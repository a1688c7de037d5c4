import type { ColumnCondition, ColumnMatch, FactField, Filter, Hlc } from '../../ports/ports.ts';
import { FIELD_COLUMNS, indexedPartSql } from './fact-field-columns.ts';
import { indexedParts, isComparable, numbersOf, textsOf, usableValues } from './filter-values.ts';
import { equalsOneOf, kindOf } from './list-condition.ts';
import type { SqlDialect } from './sql-dialect.ts';
import { identifier } from './sql-identifier.ts';

/**
 * Turns a filter over the table `facts`, known to the query as `alias`, into a condition that holds for exactly the facts for
 * which `evaluateFilter` answers true. The values for its `?` are those of `shapeOf`.
 *
 * SQL is three-valued where a filter is not. That only shows under `not`, so a negation asks whether its part is not true,
 * and everything else may leave an unknown where a false belongs.
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
        return `(${this.condition(filter.of, alias)}) IS NOT TRUE`;
      case 'in':
        return this.#isOneOf(filter, alias);
      case 'above':
      case 'below':
        return isComparable(filter.field, filter.value) ? this.#fieldBound(filter, alias) : NEVER;
      case 'isNull':
        return `${alias}.${firstColumn(filter.field)} IS NULL`;
      case 'inTable':
        return this.#existsIn(filter, alias);
    }
  }

  #fieldBound({ kind, field, value }: Extract<Filter, { kind: 'above' | 'below' }>, alias: string): string {
    const { is, column } = FIELD_COLUMNS[field];
    const left = is === 'stamp' ? stampOf(alias, column) : `${alias}.${column}`;
    return `${left} ${kind === 'above' ? '>' : '<'} ${this.#bound(value)}`;
  }

  #columnBound(column: string, operator: '<' | '>', value: number | Hlc, joined: string): string {
    const left = typeof value === 'object' ? stampOf(joined, column) : `${joined}.${identifier(column)}`;
    return `${left} ${operator} ${this.#bound(value)}`;
  }

  #bound(value: number | Hlc): string {
    return typeof value === 'object' ? '(?, ?)' : this.#dialect.mark(kindOf([value]));
  }

  #joined(parts: readonly Filter[], alias: string, operator: string, whenEmpty: string): string {
    if (parts.length === 0) return whenEmpty;
    return `(${parts.map((part) => this.condition(part, alias)).join(operator)})`;
  }

  #isOneOf({ field, values }: Extract<Filter, { kind: 'in' }>, alias: string): string {
    const { is, column, indexed } = FIELD_COLUMNS[field];
    if (is === 'stamp') return NEVER;
    const usable = usableValues(field, values);
    const whole = equalsOneOf(`${alias}.${column}`, usable, this.#dialect);
    if (indexed === undefined || usable.length === 0) return whole;
    const part = equalsOneOf(
      indexedPartSql(`${alias}.${column}`, indexed),
      indexedParts(usable, indexed),
      this.#dialect,
    );
    return `(${part} AND ${whole})`;
  }

  #existsIn(filter: InTable, alias: string): string {
    if (filter.whereFact !== undefined && filter.table !== 'facts') {
      throw new Error(`whereFact is only for the table facts, not for ${filter.table}`);
    }
    this.#joins += 1;
    const joined = `j${this.#joins}`;
    const parts = [
      ...filter.match.map((match) => matchSql(match, alias, joined)),
      ...filter.where.map((condition) => this.#onColumn(condition, joined)),
    ];
    if (filter.whereFact !== undefined) parts.push(this.condition(filter.whereFact, joined));
    const where = parts.length === 0 ? ALWAYS : parts.join(' AND ');
    return this.#dialect.exists(`SELECT 1 FROM ${identifier(filter.table)} ${joined} WHERE ${where}`);
  }

  #onColumn(condition: ColumnCondition, joined: string): string {
    if ('above' in condition) return this.#columnBound(condition.column, '>', condition.above, joined);
    if ('below' in condition) return this.#columnBound(condition.column, '<', condition.below, joined);
    const column = `${joined}.${identifier(condition.column)}`;
    if ('isNull' in condition) return `${column} IS ${condition.isNull ? '' : 'NOT '}NULL`;
    // The column's type is not known here, so texts and numbers are asked for apart.
    const texts = equalsOneOf(column, textsOf(condition.in), this.#dialect);
    const numbers = equalsOneOf(column, numbersOf(condition.in), this.#dialect);
    const options = [texts, numbers, ...(condition.orNull === true ? [`${column} IS NULL`] : [])];
    return `(${options.filter((option) => option !== NEVER).join(' OR ') || NEVER})`;
  }
}

const matchSql = (match: ColumnMatch, alias: string, joined: string): string => {
  const { is, column } = FIELD_COLUMNS[match.field];
  const operator = match.is === 'equal' ? '=' : '>';
  if (is === 'stamp') return `${stampOf(joined, match.column)} ${operator} ${stampOf(alias, column)}`;
  return `${joined}.${identifier(match.column)} ${operator} ${alias}.${column}`;
};

const stampOf = (table: string, prefix: string): string =>
  `(${table}.${identifier(`${prefix}_wall`)}, ${table}.${identifier(`${prefix}_ctr`)})`;

const firstColumn = (field: FactField): string => {
  const { is, column } = FIELD_COLUMNS[field];
  return is === 'stamp' ? `${column}_wall` : column;
};
