import type {
  EntityQuery,
  FactQuery,
  Filter,
  LedgerQuery,
  LedgerRange,
  OutlineOrder,
  TextQuery,
} from '../../ports/ports.ts';
import { MAX_SHORT_BYTES } from './bounded-facts.ts';
import { TRACE_COLUMNS } from './cached-facts.ts';
import { compileFilter } from './compile-filter.ts';
import { entityWalkSql } from './entity-walk.ts';
import { fieldSql, writerSql } from './fact-field-columns.ts';
import { CLEAR_FORM, type FactForm, factColumns } from './fact-form.ts';
import { OUTLINE_COLUMNS } from './fact-row.ts';
import { type FilterShape, shapeOf } from './filter-shape.ts';
import { ENTRY_MEMBERS, entryColumns } from './ledger-row.ts';
import { TENANTS } from './ledger-statements.ts';
import { LIMIT } from './limit.ts';
import { ShapeNode } from './shape-node.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { SqlParameter } from './sql-engine.ts';
import { namesTenant } from './store-wide.ts';
import { textsFrom } from './text-after.ts';
import { TRIPLE_ORDER, type TripleStep } from './triple-order.ts';

const columnsOf = (columns: readonly string[]): string => columns.map((column) => `f.${column}`).join(', ');

const OUTLINE = columnsOf(OUTLINE_COLUMNS);

const FACTS_BY_TIMESTAMP = 'facts f INDEXED BY facts_by_timestamp';
const AFTER_POSITION = '(f.timestamp_ms, f.id) < (?, ?)';

/** An SQL statement with the values for its `?`. */
export interface BoundStatement {
  readonly sql: string;
  readonly parameters: readonly SqlParameter[];
}

/** A position in the order by timestamp. */
export type FactPosition = NonNullable<FactQuery['after']>;

/** Builds and caches the statements over facts, one for each shape of filter. Each store has its own. */
export class FactStatements {
  readonly form: FactForm;
  readonly #dialect: SqlDialect;
  #root = new ShapeNode();
  /** The statement that selects the tenants that have facts. */
  readonly tenants = TENANTS;
  readonly #fact: string;
  /** The columns of a fact, with its value unless it is long. */
  readonly #factInShort: string;
  readonly #trace: string;

  constructor(dialect: SqlDialect, form: FactForm = CLEAR_FORM) {
    this.#dialect = dialect;
    this.form = form;
    const { valueColumn, valueBytes } = form;
    /** The value unless it is long. */
    const short = `CASE WHEN ${valueBytes} <= ${MAX_SHORT_BYTES} THEN f.${valueColumn} END, ${valueBytes}`;
    this.#fact = columnsOf(factColumns(form));
    this.#factInShort = `${OUTLINE}, f.value_type, ${short}`;
    this.#trace = `${columnsOf(TRACE_COLUMNS)}, f.cid IS NOT NULL, ${short}`;
  }

  count(filter: Filter): BoundStatement {
    const { shape, parameters } = this.#shapeOf(filter);
    const sql = shape.sql('count', () => `SELECT count(*) FROM facts f WHERE ${this.#where(filter)}`);
    return { sql, parameters };
  }

  /** Counts at most `limit` matches. */
  countUpTo(filter: Filter, limit: number): BoundStatement {
    const { shape, parameters } = this.#shapeOf(filter);
    const sql = shape.sql(
      'count up to',
      () => `SELECT count(*) FROM (SELECT 1 FROM facts f WHERE ${this.#where(filter)} ${LIMIT}) found`,
    );
    return { sql, parameters: [...parameters, limit] };
  }

  /** Counts the matches with a number above `above` and at most `through`. For SQLite. */
  countNumbered(filter: Filter, above: number, through: number): BoundStatement {
    const { shape, parameters } = this.#shapeOf(filter);
    const sql = shape.sql('count numbered', () => {
      const condition = `${this.#where(filter)} AND f.number > ? AND f.number <= ?`;
      return `SELECT count(*) FROM facts f INDEXED BY facts_by_number WHERE ${condition}`;
    });
    return { sql, parameters: [...parameters, above, through] };
  }

  /** Selects the highest number of a fact of the tenant; null without facts. */
  lastNumber(tenantId: string): BoundStatement {
    return { sql: 'SELECT max(number) FROM facts WHERE tenant_id = ?', parameters: [tenantId] };
  }

  /** Selects the position of the fact that follows a position after `skipped` others. For SQLite. */
  positionAfter(tenantId: string, after: FactPosition | undefined, skipped: number): BoundStatement {
    const beyond = after === undefined ? '' : `AND ${AFTER_POSITION} `;
    const sql = `SELECT f.timestamp_ms, f.id FROM ${FACTS_BY_TIMESTAMP} WHERE f.tenant_id = ? ${beyond}${ORDER.timestamp} LIMIT 1 OFFSET ? + 0`;
    return { sql, parameters: [tenantId, ...(after === undefined ? [] : [after.timestampMs, after.id]), skipped] };
  }

  outline(filter: Filter, limit?: number, order?: OutlineOrder): BoundStatement {
    const { shape, parameters } = this.#shapeOf(filter);
    const sorted = order === undefined ? '' : ` ${ORDER[order]}`;
    const end = limit === undefined ? sorted : `${sorted} ${LIMIT}`;
    if (limit !== undefined) parameters.push(limit);
    const sql = shape.sql(
      `outline${end}`,
      () => `SELECT ${OUTLINE}, ${this.form.valueBytes} FROM facts f WHERE ${this.#where(filter)}${end}`,
    );
    return { sql, parameters };
  }

  /**
   * Returns the statement for a query. With `maxBytes` or `longValues`, its rows have long values only as lengths. With
   * `through`, for SQLite, the statement tests no fact beyond this position in the order by timestamp.
   */
  find(query: FactQuery, through?: FactPosition): BoundStatement {
    const isWhole = query.maxBytes === undefined && query.longValues === undefined;
    const [columns, form] = isWhole ? [this.#fact, ''] : [this.#factInShort, 's'];
    return this.#facts(query, columns, form, through);
  }

  /** Returns a statement that finds the same facts as `find`, as rows of traces. */
  traces(query: FactQuery, through?: FactPosition): BoundStatement {
    return this.#facts(query, this.#trace, 't', through);
  }

  #facts(
    { filter, order, after, limit }: FactQuery,
    columns: string,
    form: string,
    through?: FactPosition,
  ): BoundStatement {
    const { shape, parameters } = this.#shapeOf(filter);
    if (after !== undefined && order !== 'timestamp') {
      throw new Error('`after` is a position in the order by timestamp alone');
    }
    if (after !== undefined) parameters.push(after.timestampMs, after.id);
    if (through !== undefined) parameters.push(through.timestampMs, through.id);
    parameters.push(limit);
    const name = `${order}${after === undefined ? '' : '>'}${through === undefined ? '' : '<'}${form}`;
    const sql = shape.sql(name, () => {
      const beyond = after === undefined ? '' : ` AND ${AFTER_POSITION}`;
      const within = through === undefined ? '' : ' AND (f.timestamp_ms, f.id) >= (?, ?)';
      const table = through === undefined ? 'facts f' : FACTS_BY_TIMESTAMP;
      const condition = `${this.#where(filter)}${beyond}${within}`;
      return `SELECT ${columns} FROM ${table} WHERE ${condition} ${ORDER[order]} ${LIMIT}`;
    });
    return { sql, parameters };
  }

  /**
   * Returns the statement for a step through the triples. Parameters: tenant, parameters of the step, parameters of the
   * filter, limit. The step comes first, because the index begins with it.
   */
  tripleStep(filter: Filter, step: TripleStep, tenantId?: string): BoundStatement {
    const { shape, parameters } = this.#shapeOf(filter, tenantId);
    const sql = shape.sql(`step ${step.name}`, () => {
      const beyond = step.sql === '' ? '' : ` AND ${step.sql}`;
      const where = `f.tenant_id = ?${beyond} AND ${compileFilter(filter, this.#dialect, 'f')}`;
      return `SELECT ${OUTLINE} FROM facts f WHERE ${where} ${TRIPLE_ORDER} ${LIMIT}`;
    });
    return { sql, parameters };
  }

  /**
   * Returns a statement that tests for facts about an entity. Parameters: tenant, entity key, parameters of the filter.
   */
  entityWith(filter: Filter, tenantId?: string): BoundStatement {
    const { shape, parameters } = this.#shapeOf(filter, tenantId);
    const sql = shape.sql('entity', () => {
      const condition = compileFilter(filter, this.#dialect, 'f');
      return `SELECT f.entity_key FROM facts f WHERE f.tenant_id = ? AND f.entity_key = ? AND ${condition} LIMIT 1`;
    });
    return { sql, parameters };
  }

  /** Selects the next entities, each with a 1 if a fact of it satisfies the filter, else with null. */
  entities({ tenantId, filter, limit }: EntityQuery, start: string, isIncluded: boolean): BoundStatement {
    const { shape, parameters } = this.#shapeOf(filter, tenantId);
    const sql = shape.sql(`entities ${isIncluded}`, () =>
      entityWalkSql(isIncluded, compileFilter(filter, this.#dialect, 'f')),
    );
    return { sql, parameters: [tenantId, start, tenantId, limit, tenantId, ...parameters] };
  }

  /** Of facts with a number above `above` and at most `through`, where these are given (for SQLite). */
  texts({ tenantId, field, prefix, filter, limit }: TextQuery, numbers?: readonly [number, number]): BoundStatement {
    const { shape, parameters } = this.#shapeOf(filter, tenantId);
    const { within, bounds } = textsFrom(fieldSql(field, 'f'), prefix);
    const sql = shape.sql(`texts ${within} ${numbers === undefined}`, () => {
      const numbered =
        numbers === undefined ? ['', ''] : [' INDEXED BY facts_by_number', ' AND f.number > ? AND f.number <= ?'];
      return `SELECT DISTINCT ${fieldSql(field, 'f')} FROM facts f${numbered[0]} WHERE f.tenant_id = ? AND ${within} AND ${this.#where(filter)}${numbered[1]} ${LIMIT}`;
    });
    return { sql, parameters: [tenantId, ...bounds, ...parameters, ...(numbers ?? []), limit] };
  }

  /** Counts facts of the tenant with such a text, at most `limit`. */
  countTexts({ tenantId, field, prefix }: TextQuery, limit: number): BoundStatement {
    const { within, bounds } = textsFrom(fieldSql(field, 'f'), prefix);
    const found = `SELECT 1 FROM facts f WHERE f.tenant_id = ? AND ${within} ${LIMIT}`;
    return { sql: `SELECT count(*) FROM (${found}) found`, parameters: [tenantId, ...bounds, limit] };
  }

  ledger({ order, limit, members = ENTRY_MEMBERS, ...range }: LedgerQuery): BoundStatement {
    const { shape, from, parameters } = this.#entries(range);
    const sql = shape.sql(`ledger ${order} ${members.join()}`, () => {
      const direction = order === 'newest' ? ' DESC' : '';
      return `SELECT ${entryColumns(members, this.form.entryMembers)} FROM ${from()} ORDER BY f.number${direction} ${LIMIT}`;
    });
    return { sql, parameters: [...parameters, limit] };
  }

  ledgerCount(range: LedgerRange): BoundStatement {
    const { shape, from, parameters } = this.#entries(range);
    return { sql: shape.sql('ledger count', () => `SELECT count(*) FROM ${from()}`), parameters };
  }

  #entries({ tenantId, filter, ...range }: LedgerRange) {
    const parameters: SqlParameter[] = [tenantId];
    const conditions = ['f.tenant_id = ?'];
    for (const [name, condition] of ENTRY_CONDITIONS) {
      const value = range[name];
      if (value === undefined) continue;
      conditions.push(condition(this.#dialect));
      parameters.push(name === 'tag' ? `,${value},` : value);
    }
    const selected = conditions.join(' AND ');
    if (filter === undefined) {
      return { shape: this.#root.after(selected), from: () => `facts f WHERE ${selected}`, parameters };
    }
    const filtered = this.#shapeOf(filter, tenantId);
    parameters.push(...filtered.parameters);
    const isPiece = isShort(range);
    const from = (): string => {
      const condition = compileFilter(filter, this.#dialect, 'f');
      // Without the limit, an engine would take an index of the filter, and read all facts of an entity for each piece.
      return isPiece
        ? `(SELECT f.* FROM facts f WHERE ${selected} LIMIT ${MOST_IN_PIECE}) f WHERE ${condition}`
        : `facts f WHERE ${selected} AND ${condition}`;
    };
    return { shape: filtered.shape.after(`${selected} ${isPiece}`), from, parameters };
  }

  #where(filter: Filter): string {
    const condition = compileFilter(filter, this.#dialect, 'f');
    // Adds a condition on all tenants to a query without a tenant, because every index begins with the tenant.
    return namesTenant(filter) ? condition : `f.tenant_id IN (${this.tenants}) AND ${condition}`;
  }

  /** `tenantId` is the tenant of all facts to filter, where the filter does not name it. */
  #shapeOf(filter: Filter, tenantId?: string): FilterShape {
    if (this.#root.nodes >= REMEMBERED_PARTS) this.#root = new ShapeNode();
    return shapeOf(this.form.storedFilter(filter, tenantId), this.#dialect, this.#root);
  }
}

/**
 * The maximum number of cached statements and parts of their shapes. Code builds most filters, which have some dozens
 * of shapes with some dozens of parts. Callers choose the number of names and prefixes in a query, which gives
 * thousands of combinations. So the cache is cleared at this limit.
 */
const REMEMBERED_PARTS = 20_000;

/** The maximum number of entries in a range that is always read by its numbers. */
const MOST_IN_PIECE = 10_000;

const isShort = ({ above, below, writer, writerSub }: Omit<LedgerRange, 'tenantId'>): boolean =>
  above !== undefined &&
  below !== undefined &&
  below - above <= MOST_IN_PIECE + 1 &&
  writer === undefined &&
  writerSub === undefined;

type EntryBound = 'above' | 'below' | 'writer' | 'writerSub' | 'tag';

const ENTRY_CONDITIONS: readonly (readonly [EntryBound, (dialect: SqlDialect) => string])[] = [
  ['above', (dialect) => `f.number > ${dialect.mark('whole')}`],
  ['below', (dialect) => `f.number < ${dialect.mark('whole')}`],
  ['writer', () => `${writerSql('f')} = ?`],
  ['writerSub', () => 'f.writer_sub = ?'],
  ['tag', (dialect) => `${dialect.position('f.tags')} > 0`],
];

const ORDER: Readonly<Record<OutlineOrder, string>> = {
  timestamp: 'ORDER BY f.timestamp_ms DESC, f.id DESC',
  hlc: 'ORDER BY f.hlc_wall DESC, f.hlc_ctr DESC, f.id DESC',
  feed: 'ORDER BY f.feed_wall, f.feed_ctr',
  strength: 'ORDER BY f.confidence DESC, f.hlc_wall DESC, f.hlc_ctr DESC, f.id',
  any: '',
};
