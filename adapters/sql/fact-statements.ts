import type { FactField, FactQuery, Filter, Hlc } from '../../ports/ports.ts';
import { MAX_SHORT_BYTES } from './bounded-facts.ts';
import { compileFilter } from './compile-filter.ts';
import { placeSql } from './fact-field-columns.ts';
import { FACT_COLUMNS, OUTLINE_COLUMNS } from './fact-row.ts';
import { shapeOf } from './filter-shape.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { SqlParameter } from './sql-engine.ts';

/** What a snapshot asks of the table `facts`, always known as `f`. */

const columnsOf = (columns: readonly string[]): string => columns.map((column) => `f.${column}`).join(', ');

const FACT = columnsOf(FACT_COLUMNS);
const OUTLINE = columnsOf(OUTLINE_COLUMNS);
/** Neither engine reads a value to tell its length. */
const VALUE_BYTES = 'octet_length(f.value_v)';
/** The columns of a fact, but a long value left out, and how long it is. */
const FACT_IN_SHORT = `${OUTLINE}, f.value_type, CASE WHEN ${VALUE_BYTES} <= ${MAX_SHORT_BYTES} THEN f.value_v END, ${VALUE_BYTES}`;

/**
 * A bare `LIMIT ?` makes SQLite plan the statement anew whenever another value is bound, lest a plan fit the old limit
 * alone: 40 µs for a statement that runs in 2.
 */
const LIMIT = 'LIMIT ? + 0';

/**
 * Parameters: tenant, entity key, relation key, scope, place, now, now, limit. The order follows the index on triples,
 * so that no triple is sorted however many facts it has.
 */
export const SIBLINGS = `SELECT ${OUTLINE} FROM facts f
WHERE f.tenant_id = ? AND f.entity_key = ? AND f.relation_key = ? AND f.scope = ? AND ${placeSql('f.garden_id')} = ?
  AND f.confidence > 0
  AND (f.valid_until_ms IS NULL OR f.valid_until_ms > ?)
  AND NOT EXISTS (SELECT 1 FROM fact_expiries e WHERE e.fact_id = f.id AND e.expires_ms <= ?)
  AND NOT EXISTS (
    SELECT 1 FROM fact_covers c
    WHERE c.tenant_id = f.tenant_id AND c.entity_key = f.entity_key AND c.relation_key = f.relation_key
      AND c.scope = f.scope AND c.place = ${placeSql('f.garden_id')}
      AND (c.hlc_wall, c.hlc_ctr) > (f.hlc_wall, f.hlc_ctr))
ORDER BY f.confidence DESC, f.hlc_wall DESC, f.hlc_ctr DESC
${LIMIT}`;

export const FEED_AFTER = `SELECT wall, ctr, kind, subject_id FROM feed WHERE (wall, ctr) > (?, ?) ORDER BY wall, ctr ${LIMIT}`;
export const FEED_HEAD = 'SELECT wall, ctr FROM feed ORDER BY wall DESC, ctr DESC LIMIT 1';

/** SQL with the values for its `?`. */
export interface BoundStatement {
  readonly sql: string;
  readonly parameters: readonly SqlParameter[];
}

/** The statements over facts by filter, each written once for every shape of filter. One per dialect. */
export class FactStatements {
  readonly #dialect: SqlDialect;
  readonly #written = new Map<string, string>();

  constructor(dialect: SqlDialect) {
    this.#dialect = dialect;
  }

  count(filter: Filter): BoundStatement {
    const { key, parameters } = shapeOf(filter, this.#dialect);
    const sql = this.#sql(`c${key}`, () => `SELECT count(*) FROM facts f WHERE ${this.#where(filter)}`);
    return { sql, parameters };
  }

  outline(filter: Filter): BoundStatement {
    const { key, parameters } = shapeOf(filter, this.#dialect);
    const sql = this.#sql(
      `o${key}`,
      () => `SELECT ${OUTLINE}, ${VALUE_BYTES} FROM facts f WHERE ${this.#where(filter)}`,
    );
    return { sql, parameters };
  }

  /** With `maxBytes` the rows are those of `FACT_IN_SHORT`. */
  find({ filter, order, after, limit, maxBytes }: FactQuery): BoundStatement {
    const { key, parameters } = shapeOf(filter, this.#dialect);
    if (after !== undefined && order !== 'timestamp') {
      throw new Error('`after` is a position in the order by timestamp alone');
    }
    const [columns, short] = maxBytes === undefined ? [FACT, ''] : [FACT_IN_SHORT, 's'];
    if (order === 'feed' && !isNarrow(filter)) {
      const floor = feedFloor(filter) ?? BEFORE_ALL;
      const sql = this.#sql(`w${short}${key}`, () => alongFeed(columns, this.#where(filter)));
      return { sql, parameters: [floor.wallMs, floor.counter, ...parameters, limit] };
    }
    if (after !== undefined) parameters.push(after.timestampMs, after.id);
    parameters.push(limit);
    const sql = this.#sql(`${order}${after === undefined ? '' : '>'}${short}${key}`, () => {
      const beyond = after === undefined ? '' : ' AND (f.timestamp_ms, f.id) < (?, ?)';
      return `SELECT ${columns} FROM facts f WHERE ${this.#where(filter)}${beyond} ${ORDER[order]} ${LIMIT}`;
    });
    return { sql, parameters };
  }

  #where(filter: Filter): string {
    return compileFilter(filter, this.#dialect, 'f');
  }

  #sql(key: string, write: () => string): string {
    const known = this.#written.get(key);
    if (known !== undefined) return known;
    const sql = write();
    if (this.#written.size >= REMEMBERED_STATEMENTS) this.#written.clear();
    this.#written.set(key, sql);
    return sql;
  }
}

/**
 * Shapes come from code, not from callers' data, so there are some dozens; the bound is for a plugin that builds
 * endless ones.
 */
const REMEMBERED_STATEMENTS = 1_000;

const ORDER: Readonly<Record<FactQuery['order'], string>> = {
  timestamp: 'ORDER BY f.timestamp_ms DESC, f.id DESC',
  hlc: 'ORDER BY f.hlc_wall DESC, f.hlc_ctr DESC, f.id DESC',
  feed: 'ORDER BY f.feed_wall, f.feed_ctr',
};

/**
 * Facts carry no index on their feed stamp, which would be paid for by every insert: a reader that follows the feed
 * walks its table instead and looks the facts up. CROSS JOIN keeps SQLite from turning that around.
 */
const alongFeed = (columns: string, condition: string): string =>
  `SELECT ${columns} FROM feed o CROSS JOIN facts f
WHERE (o.wall, o.ctr) > (?, ?) AND o.kind = 'fact' AND f.id = o.subject_id AND ${condition}
ORDER BY o.wall, o.ctr ${LIMIT}`;

const BEFORE_ALL: Hlc = { wallMs: -1, counter: 0 };

const NARROW: ReadonlySet<FactField> = new Set(['id', 'cid', 'entityKey']);

/** Whether an index leads to few facts, which are then cheaper to sort than the feed is to walk. */
const isNarrow = (filter: Filter): boolean => {
  if (filter.kind === 'all') return filter.of.some(isNarrow);
  return filter.kind === 'in' && NARROW.has(filter.field);
};

/** A feed stamp that every fact of the filter lies above. */
const feedFloor = (filter: Filter): Hlc | undefined => {
  if (filter.kind === 'above' && filter.field === 'feed' && typeof filter.value === 'object') return filter.value;
  if (filter.kind !== 'all') return undefined;
  for (const part of filter.of) {
    const floor = feedFloor(part);
    if (floor !== undefined) return floor;
  }
  return undefined;
};
