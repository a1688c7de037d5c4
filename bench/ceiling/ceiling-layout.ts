import type { CeilingRow } from './ceiling-row.ts';

export type CeilingValue = string | number | Uint8Array | null;

export interface CeilingColumn {
  readonly name: string;
  readonly type: 'text' | 'integer' | 'real' | 'bytes';
  readonly isOptional?: true;
  /** True when every row of a group has the same value in this column. */
  readonly isShared?: true;
}

export interface CeilingTable {
  readonly name: string;
  readonly columns: readonly CeilingColumn[];
  /** Statements that create the indexes, on either engine. */
  readonly indexes: readonly string[];
  /** True when the engine numbers the rows in a column of its own. */
  readonly isNumbered?: true;
  /** Returns the values of a row, in the order of the columns. */
  readonly values: (row: CeilingRow) => CeilingValue[];
}

/** A layout of tables for the data of an assertion. */
export interface CeilingLayout {
  readonly tables: readonly CeilingTable[];
  /** True when each fact has a salt and a link to the fact before it. */
  readonly isLinked: boolean;
}

const text = (name: string): CeilingColumn => ({ name, type: 'text' });
const optional = (name: string): CeilingColumn => ({ name, type: 'text', isOptional: true });
const integer = (name: string): CeilingColumn => ({ name, type: 'integer' });
const shared = (column: CeilingColumn): CeilingColumn => ({ ...column, isShared: true });

/**
 * A layout that writes one row per fact. The row holds the feed stamp, the place in the chain, the writer and its key.
 * It leaves out text that follows from other columns.
 */
const oneRow: CeilingTable = {
  name: 'facts',
  columns: [
    shared(text('tenant_id')),
    integer('number'),
    text('id'),
    optional('entity'),
    optional('relation'),
    text('entity_key'),
    text('relation_key'),
    text('value_type'),
    optional('value_v'),
    text('source'),
    shared(integer('timestamp_ms')),
    integer('hlc_wall'),
    integer('hlc_ctr'),
    integer('feed_wall'),
    integer('feed_ctr'),
    { name: 'confidence', type: 'real' },
    text('scope'),
    optional('valid_until'),
    text('cid'),
    text('asserted_by'),
    text('writer_key_id'),
    { name: 'salt', type: 'bytes', isOptional: true },
    { name: 'link_hash', type: 'bytes', isOptional: true },
  ],
  indexes: [
    'CREATE UNIQUE INDEX facts_by_id ON facts (tenant_id, id)',
    'CREATE INDEX facts_by_triple ON facts (tenant_id, entity_key, relation_key, scope)',
    'CREATE INDEX facts_by_timestamp ON facts (tenant_id, timestamp_ms, id)',
    'CREATE INDEX facts_by_cid ON facts (tenant_id, substr(cid, 8, 12))',
    'CREATE INDEX facts_by_feed ON facts (tenant_id, feed_wall, feed_ctr)',
  ],
  values: (row) => [
    row.tenant,
    row.number,
    row.id,
    row.fact.entity === row.entityKey ? null : row.fact.entity,
    row.fact.relation === row.relationKey ? null : row.fact.relation,
    row.entityKey,
    row.relationKey,
    row.fact.value.type,
    row.v,
    row.fact.source,
    row.timestampMs,
    row.wallMs,
    row.counter,
    row.wallMs,
    row.counter,
    row.fact.confidence,
    row.fact.scope,
    row.validUntil,
    row.fact.cid,
    row.fact.caller,
    row.fact.keyId,
    row.link?.salt ?? null,
    row.link?.hash ?? null,
  ],
};

const factBesideAudit: CeilingTable = {
  name: 'facts',
  columns: [
    text('id'),
    shared(text('tenant_id')),
    text('entity'),
    text('relation'),
    text('entity_key'),
    text('relation_key'),
    text('value_type'),
    optional('value_v'),
    text('source'),
    shared(text('timestamp')),
    shared(integer('timestamp_ms')),
    integer('hlc_wall'),
    integer('hlc_ctr'),
    { name: 'confidence', type: 'real' },
    text('scope'),
    optional('valid_until'),
    text('cid'),
    text('asserted_by'),
  ],
  indexes: [
    'CREATE UNIQUE INDEX facts_id ON facts (id)',
    'CREATE INDEX facts_triple ON facts (tenant_id, entity_key, relation_key, scope)',
    'CREATE INDEX facts_timestamp ON facts (tenant_id, timestamp_ms, id)',
    'CREATE INDEX facts_cid ON facts (cid)',
    'CREATE INDEX facts_hlc ON facts (hlc_wall, hlc_ctr)',
  ],
  values: (row) => [
    row.id,
    row.tenant,
    row.fact.entity,
    row.fact.relation,
    row.entityKey,
    row.relationKey,
    row.fact.value.type,
    row.v,
    row.fact.source,
    row.timestamp,
    row.timestampMs,
    row.wallMs,
    row.counter,
    row.fact.confidence,
    row.fact.scope,
    row.validUntil,
    row.fact.cid,
    row.fact.caller,
  ],
};

const audit: CeilingTable = {
  name: 'audit',
  isNumbered: true,
  columns: [
    text('id'),
    shared(text('tenant_id')),
    shared(text('event_type')),
    text('entity_uri'),
    text('fact_id'),
    text('source'),
    shared(text('ts')),
  ],
  indexes: [],
  values: (row) => [row.auditId, row.tenant, 'fact_write', row.fact.caller, row.id, row.fact.source, row.timestamp],
};

export const CEILING_LAYOUTS = {
  'one-row': { tables: [oneRow], isLinked: true },
  'two-rows': { tables: [factBesideAudit, audit], isLinked: false },
} as const satisfies Readonly<Record<string, CeilingLayout>>;

export type CeilingLayoutName = keyof typeof CEILING_LAYOUTS;
