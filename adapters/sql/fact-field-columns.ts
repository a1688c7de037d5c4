import type { FactField } from '../../ports/ports.ts';

/** The column of a fact's member. `number` includes flags, stored as 0 and 1; `stamp` is a pair of columns. */
export interface FieldColumn {
  readonly is: 'text' | 'number' | 'stamp';
  /** The name of the column. For a stamp it is the prefix of the pair: `hlc` stands for `hlc_wall` and `hlc_ctr`. */
  readonly column: string;
  /** Returns the SQL expression for the member, where it is not just the column. */
  readonly sql?: (table: string) => string;
  /** The indexed characters of the column, where the index omits some. */
  readonly indexed?: IndexedPart;
}

/** A range of characters in a text, counted from 1 as in SQL. */
export interface IndexedPart {
  readonly start: number;
  readonly length: number;
}

/**
 * The part of a digest in the index, long enough to find a fact. An index of whole digests is several times as large,
 * and each fact changes a random page of it.
 */
export const INDEXED_CID: IndexedPart = { start: 'sha256:'.length + 1, length: 12 };

export const indexedPartSql = (column: string, { start, length }: IndexedPart): string =>
  `substr(${column}, ${start}, ${length})`;

/**
 * Returns the SQL of a fact's place: its garden, or an empty text outside gardens. The index on triples contains
 * exactly this expression.
 */
export const placeSql = (column: string): string => `coalesce(${column}, '')`;

/** Returns the SQL of the id at the origin. The column is null when the fact has that id here as well. */
export const idAtOriginSql = (table: string): string => `coalesce(${table}.origin_id, ${table}.id)`;

/** Returns the SQL of the writer. The column is null when the writer also asserted the fact. */
export const writerSql = (table: string): string => `coalesce(${table}.writer, ${table}.asserted_by)`;

/** Returns the SQL of the source as sent. The column is null when it equals the source's match key. */
export const sourceSql = (table: string): string => `coalesce(${table}.source, ${table}.source_key)`;

/** Returns the part of a text that `indexedPartSql` selects. */
export const indexedPart = (text: string, { start, length }: IndexedPart): string =>
  Array.from(text)
    .slice(start - 1, start - 1 + length)
    .join('');

const text = (column: string, indexed?: IndexedPart): FieldColumn =>
  indexed === undefined ? { is: 'text', column } : { is: 'text', column, indexed };
const number = (column: string): FieldColumn => ({ is: 'number', column });
const stamp = (column: string): FieldColumn => ({ is: 'stamp', column });

/** Returns the SQL of a member of the fact with this alias; not for a stamp, which is two columns. */
export const fieldSql = (field: FactField, alias: string): string => {
  const { column, sql } = FIELD_COLUMNS[field];
  return sql === undefined ? `${alias}.${column}` : sql(alias);
};

/** The column of every member that a filter may test. */
export const FIELD_COLUMNS: Readonly<Record<FactField, FieldColumn>> = {
  id: text('id'),
  tenantId: text('tenant_id'),
  entityKey: text('entity_key'),
  relationKey: text('relation_key'),
  source: { is: 'text', column: 'source', sql: sourceSql },
  sourceKey: text('source_key'),
  valueKey: text('value_key'),
  scope: text('scope'),
  gardenId: text('garden_id'),
  place: { is: 'text', column: 'garden_id', sql: (table) => placeSql(`${table}.garden_id`) },
  cid: text('cid', INDEXED_CID),
  confidence: number('confidence'),
  timestampMs: number('timestamp_ms'),
  validFromMs: number('valid_from_ms'),
  validUntilMs: number('valid_until_ms'),
  hlc: stamp('hlc'),
  feed: stamp('feed'),
  system: number('system'),
  interpretAs: text('interpret_as'),
  attested: number('attested'),
  attestedKeyId: text('attested_key_id'),
  sessionId: text('session_id'),
  assertedBy: text('asserted_by'),
  receivedFrom: text('received_from'),
  originNodeId: text('origin_node_id'),
  speaker: text('speaker'),
  originId: text('origin_id'),
  idAtOrigin: { is: 'text', column: 'id', sql: idAtOriginSql },
};
