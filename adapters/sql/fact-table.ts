import { REDACTED_REFERENCE, type SchemaDialect } from '../../ports/ports.ts';
import { INDEXED_CID, indexedPartSql, placeSql } from './fact-field-columns.ts';

/**
 * The table of facts. A store holds the values of all facts in one column: `value_v`, or `sealed` when it is sealed.
 * Each row is the fact, its entry in the feed and in the ledger of its tenant, and its link in the
 * chain. Columns are null where another column repeats the text: see `fact-row.ts`. Every unique key begins with the
 * tenant, so that a database can shard the table by tenant.
 */

export const FACTS_TABLE = 'facts';
/** The key in `node_settings` of a store that is being sealed or opened as a whole. */
export const CONVERSION_SETTING = 'content_seal_conversion';
/** The keys of erased facts that are still to be destroyed. */
export const DESTRUCTIONS_TABLE = 'seal_destructions';
export const LEDGERS_TABLE = 'ledgers';
export const FEED_ENTRIES_TABLE = 'feed_entries';

/** Long columns come last, because SQLite reads through all pages of a long text to reach a later column. */
export const createFactTable = ({ textType: text, bytesType: bytes }: SchemaDialect): string =>
  `CREATE TABLE ${FACTS_TABLE} (
    tenant_id ${text} NOT NULL,
    number BIGINT NOT NULL,
    feed_wall BIGINT NOT NULL,
    feed_ctr INTEGER NOT NULL,
    id ${text} NOT NULL,
    entity_key ${text} NOT NULL,
    entity ${text},
    relation_key ${text} NOT NULL,
    relation ${text},
    source_key ${text} NOT NULL,
    source ${text},
    scope ${text} NOT NULL,
    garden_id ${text},
    value_type ${text} NOT NULL,
    interpret_as ${text} NOT NULL,
    cid ${text},
    confidence DOUBLE PRECISION NOT NULL,
    timestamp ${text},
    timestamp_ms BIGINT NOT NULL,
    valid_from ${text},
    valid_from_ms BIGINT,
    valid_until ${text},
    valid_until_ms BIGINT,
    system SMALLINT NOT NULL,
    attested SMALLINT,
    attested_key_id ${text},
    session_id ${text},
    asserted_by ${text},
    writer ${text},
    writer_sub ${text},
    writer_key_id ${text},
    received_from ${text},
    origin_node_id ${text},
    speaker ${text},
    origin_id ${text},
    hlc_wall BIGINT NOT NULL,
    hlc_ctr INTEGER NOT NULL,
    hlc_text ${text},
    tags ${text},
    salt ${bytes},
    commitment ${bytes},
    link_seq BIGINT,
    link_hash ${bytes},
    derived_from ${text},
    replaces ${text},
    value_key ${text} NOT NULL,
    sealed ${bytes},
    value_v ${text}
  )`;

/** Creates the table with the end of each tenant's ledger. A transaction that adds to a ledger writes its row once. */
export const createLedgerTable = ({ textType, bytesType }: SchemaDialect): string =>
  `CREATE TABLE ${LEDGERS_TABLE} (
    tenant_id ${textType} NOT NULL PRIMARY KEY,
    number BIGINT NOT NULL,
    fact_number BIGINT,
    feed_wall BIGINT,
    feed_ctr INTEGER,
    linked_number BIGINT,
    link_seq BIGINT,
    link_hash ${bytesType}
  )`;

/** Creates the table of the keys that an erasure has left to be destroyed, with the tenant first as everywhere. */
export const createDestructionTable = ({ textType, keyOrder }: SchemaDialect): string =>
  `CREATE TABLE ${DESTRUCTIONS_TABLE} (
    tenant_id ${textType} NOT NULL,
    entity_key ${textType} NOT NULL,
    scope ${textType} NOT NULL,
    generation INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, entity_key, scope, generation)
  )${keyOrder}`;

/** Creates the table of feed entries that are not new facts. */
export const createFeedEntryTable = ({ textType }: SchemaDialect): readonly string[] => [
  `CREATE TABLE ${FEED_ENTRIES_TABLE} (
    tenant_id ${textType} NOT NULL,
    feed_wall BIGINT NOT NULL,
    feed_ctr INTEGER NOT NULL,
    kind ${textType} NOT NULL,
    subject_id ${textType} NOT NULL,
    PRIMARY KEY (tenant_id, feed_wall, feed_ctr)
  )`,
  `CREATE INDEX feed_entries_by_kind ON ${FEED_ENTRIES_TABLE} (tenant_id, kind, feed_wall, feed_ctr)`,
];

/** The indexes on facts. Every insert updates each of them, so measure before you add one. */
export const factIndexes: readonly string[] = [
  `CREATE UNIQUE INDEX facts_by_number ON ${FACTS_TABLE} (tenant_id, number)`,
  `CREATE UNIQUE INDEX facts_by_id ON ${FACTS_TABLE} (tenant_id, id)`,
  `CREATE INDEX facts_by_feed ON ${FACTS_TABLE} (tenant_id, feed_wall, feed_ctr)`,
  `CREATE INDEX facts_by_cid ON ${FACTS_TABLE} (tenant_id, (${indexedPartSql('cid', INDEXED_CID)}))`,
  `CREATE INDEX facts_by_triple ON ${FACTS_TABLE}
    (tenant_id, entity_key, relation_key, scope, (${placeSql('garden_id')}), confidence, hlc_wall, hlc_ctr)`,
  `CREATE INDEX facts_by_timestamp ON ${FACTS_TABLE} (tenant_id, timestamp_ms, id)`,
  // Leaves out the source itself, because with its key a long one exceeds PostgreSQL's limit for index rows.
  `CREATE INDEX facts_by_source ON ${FACTS_TABLE} (tenant_id, source_key, number)`,
  `CREATE INDEX facts_by_writer ON ${FACTS_TABLE} (tenant_id, (coalesce(writer, asserted_by)), number)`,
  // The following partial indexes cost nothing for facts without the member.
  `CREATE INDEX facts_by_session ON ${FACTS_TABLE} (tenant_id, session_id) WHERE session_id IS NOT NULL`,
  `CREATE INDEX facts_by_signer ON ${FACTS_TABLE} (tenant_id, number) WHERE attested_key_id IS NOT NULL`,
  `CREATE INDEX facts_by_subject ON ${FACTS_TABLE} (tenant_id, writer_sub, number) WHERE writer_sub IS NOT NULL`,
  `CREATE INDEX facts_by_origin_id ON ${FACTS_TABLE} (tenant_id, origin_id) WHERE origin_id IS NOT NULL`,
  `CREATE INDEX facts_with_references ON ${FACTS_TABLE} (tenant_id, number) WHERE derived_from IS NOT NULL`,
  `CREATE INDEX facts_by_garden ON ${FACTS_TABLE} (tenant_id, garden_id, timestamp_ms, id) WHERE garden_id IS NOT NULL`,
];

/** Columns whose values an erasure removes. */
const ERASABLE = ['value_v', 'sealed', 'value_key', 'cid', 'salt', 'commitment'];
const LINK = ['link_seq', 'link_hash'];
/** Columns that never change. */
const FIXED = [
  'tenant_id',
  'number',
  'feed_wall',
  'feed_ctr',
  'id',
  'entity_key',
  'entity',
  'relation_key',
  'relation',
  'source_key',
  'source',
  'scope',
  'garden_id',
  'value_type',
  'interpret_as',
  'confidence',
  'timestamp',
  'timestamp_ms',
  'valid_from',
  'valid_from_ms',
  'valid_until',
  'valid_until_ms',
  'system',
  'attested',
  'attested_key_id',
  'session_id',
  'asserted_by',
  'writer',
  'writer_sub',
  'writer_key_id',
  'received_from',
  'origin_node_id',
  'speaker',
  'origin_id',
  'hlc_wall',
  'hlc_ctr',
  'hlc_text',
  'tags',
  'replaces',
];
const REFERENCES = ['derived_from'];

const unchanged = (columns: readonly string[]): string =>
  columns.map((column) => `NEW.${column} IS NOT DISTINCT FROM OLD.${column}`).join(' AND ');

const LINK_ADDED = `OLD.link_seq IS NULL AND OLD.link_hash IS NULL
  AND NEW.link_seq IS NOT NULL AND NEW.link_hash IS NOT NULL`;
const ERASED = `OLD.commitment IS NULL AND NEW.commitment IS NOT NULL
  AND NEW.value_v IS NULL AND NEW.sealed IS NULL AND NEW.value_key = '' AND NEW.cid IS NULL AND NEW.salt IS NULL`;
/** Value and salt were sealed with another key. A text that no key has sealed counts as damage when it is read. */
const RESEALED = `OLD.sealed IS NOT NULL AND NEW.sealed IS NOT NULL AND NEW.sealed <> OLD.sealed
  AND (OLD.salt IS NULL) = (NEW.salt IS NULL)
  AND ${unchanged(['value_v', 'value_key', 'cid', 'commitment'])}`;
/** Whether the store is being sealed or opened as a whole, which rewrites each row. No node runs meanwhile. */
const CONVERTING = `EXISTS (SELECT 1 FROM node_settings WHERE key = '${CONVERSION_SETTING}')`;

/**
 * Returns the condition on `OLD` and `NEW` for a permitted update of a fact. It may add the first link, replace the
 * value by its commitment, replace references to erased facts by the mark of a redacted reference, or seal the value
 * with another key.
 */
export const permittedUpdate = ({ listElements: elements }: SchemaDialect): string => {
  const [before, after] = [elements('OLD.derived_from'), elements('NEW.derived_from')];
  return `${unchanged(FIXED)}
  AND ((${unchanged(REFERENCES)}) OR ((SELECT count(*) FROM ${after} a) = (SELECT count(*) FROM ${before} b)
    AND NOT EXISTS (SELECT 1 FROM ${after} a LEFT JOIN ${before} b ON b.place = a.place
      WHERE b.place IS NULL OR a.element NOT IN (b.element, '${REDACTED_REFERENCE}')))
    OR ${CONVERTING})
  AND ((${unchanged(LINK)}) OR (${LINK_ADDED}))
  AND ((${unchanged(ERASABLE)}) OR (${ERASED}) OR (${RESEALED}) OR ${CONVERTING})`;
};
