import type { ColumnCondition, Filter, Hlc } from '../../ports/ports.ts';
import { FIELD_COLUMNS } from './fact-field-columns.ts';
import {
  hasPrefix,
  indexedParts,
  isComparable,
  numbersOf,
  paddedParts,
  textsOf,
  usableValues,
} from './filter-values.ts';
import { bindList, boundOneByOne, isOneParameter, kindOf } from './list-condition.ts';
import { ShapeNode } from './shape-node.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { SqlParameter } from './sql-engine.ts';

/**
 * A filter as a shape and parameters. Filters that compile to the same SQL have the same shape; `parameters` are the
 * values for its `?` in order.
 */
export interface FilterShape {
  readonly shape: ShapeNode;
  readonly parameters: SqlParameter[];
}

/** Finds the shape of a filter below `root`, the shape of no filter. */
export const shapeOf = (filter: Filter, dialect: SqlDialect, root: ShapeNode): FilterShape => {
  const walk = new ShapeWalk(dialect, root);
  walk.filter(filter);
  return walk;
};

/** Visits the parts in the order in which `compileFilter` writes them. */
class ShapeWalk implements FilterShape {
  shape: ShapeNode;
  readonly parameters: SqlParameter[] = [];
  readonly #dialect: SqlDialect;

  constructor(dialect: SqlDialect, root: ShapeNode) {
    this.#dialect = dialect;
    this.shape = root;
  }

  filter(filter: Filter): void {
    if (Object.isFrozen(filter)) this.#constant(filter);
    else this.#visit(filter);
  }

  #constant(filter: Filter): void {
    const { shape, parameters } = this.shape.afterConstant(filter, () => {
      const walk = new ShapeWalk(this.#dialect, new ShapeNode());
      walk.#visit(filter);
      return walk.parameters;
    });
    this.shape = shape;
    this.parameters.push(...parameters);
  }

  #visit(filter: Filter): void {
    switch (filter.kind) {
      case 'all':
      case 'any':
        this.#part(filter.kind);
        for (const part of paddedParts(filter.of)) this.filter(part);
        this.#part(END);
        return;
      case 'not':
        this.#part(filter.kind);
        this.filter(filter.of);
        return;
      case 'in':
        this.#part(filter.kind).#part(filter.field);
        this.#isOneOf(filter);
        return;
      case 'above':
      case 'below':
        this.#part(filter.kind).#part(filter.field);
        if (isComparable(filter.field, filter.value)) this.#bound(filter.value);
        else this.#part(IMPOSSIBLE);
        return;
      case 'isNull':
        this.#part(filter.kind).#part(filter.field);
        return;
      case 'startsWith':
        this.#beginsWith(filter);
        return;
      case 'inTable':
        this.#inTable(filter);
    }
  }

  #beginsWith({ field, text }: Extract<Filter, { kind: 'startsWith' }>): void {
    this.#part('startsWith').#part(field);
    if (!hasPrefix(field, text)) {
      this.#part(IMPOSSIBLE);
      return;
    }
    this.parameters.push(Array.from(text).length, text);
  }

  #isOneOf({ field, values }: Extract<Filter, { kind: 'in' }>): void {
    const usable = usableValues(field, values);
    const { indexed } = FIELD_COLUMNS[field];
    if (indexed !== undefined && usable.length > 0) this.#list(indexedParts(usable, indexed));
    this.#list(usable);
  }

  #inTable({ table, match, where, whereFact, latest }: Extract<Filter, { kind: 'inTable' }>): void {
    this.#part('inTable').#part(table);
    if (latest !== undefined) {
      this.#part('latest').#part(latest.column);
      this.#bound(latest.upTo);
      for (const { column, is, field } of latest.of) this.#part(column).#part(is).#part(field);
      this.#part(END);
    }
    this.#part(match.length);
    for (const { column, is, field } of match) this.#part(column).#part(is).#part(field);
    this.#part(where.length);
    for (const condition of where) this.#condition(condition);
    if (whereFact !== undefined) this.filter(whereFact);
    this.#part(END);
  }

  #condition(condition: ColumnCondition): void {
    this.#part(condition.column);
    if ('isNull' in condition) {
      this.#part(condition.isNull ? 'null' : 'any');
    } else if ('above' in condition) {
      this.#part('above').#bound(condition.above);
    } else if ('below' in condition) {
      this.#part('below').#bound(condition.below);
    } else {
      this.#part(condition.orNull === true ? 'inOrNull' : 'in');
      this.#list(textsOf(condition.in));
      this.#list(numbersOf(condition.in));
    }
  }

  #list(values: readonly string[] | readonly number[]): void {
    const kind = kindOf(values);
    const isOne = isOneParameter(values, kind);
    this.#part(isOne ? 'list' : boundOneByOne(values).length).#part(kind);
    bindList(values, this.#dialect, this.parameters);
  }

  #bound(value: number | Hlc): void {
    if (typeof value === 'number') {
      this.parameters.push(value);
      this.#part(kindOf([value]));
    } else {
      this.parameters.push(value.wallMs, value.counter);
      this.#part('stamp');
    }
  }

  #part(part: string | number): this {
    this.shape = this.shape.after(part);
    return this;
  }
}

const END = ')';
/** Stands for a part that no stored value can satisfy. */
const IMPOSSIBLE = '!';
