import {
  type FactOutline,
  type FactValue,
  type Scope,
  type SizedOutline,
  type SqlValue,
  type StoredFact,
  storedText,
  type ValueType,
  type WriteRecord,
} from '../../ports/ports.ts';
import { contentIdsIn, repairRow, rulesFor, textsIn } from './damaged-columns.ts';
import { writtenTags } from './ledger-row.ts';

/** The columns of a fact outline, in the order of `OutlineRow`. */
export const OUTLINE_COLUMNS = [
  'id',
  'tenant_id',
  'entity',
  'entity_key',
  'relation',
  'relation_key',
  'scope',
  'value_key',
  'interpret_as',
  'source',
  'source_key',
  'timestamp',
  'timestamp_ms',
  'confidence',
  'valid_until',
  'valid_until_ms',
  'garden_id',
  'cid',
  'derived_from',
  'system',
  'attested',
  'attested_key_id',
  'session_id',
  'asserted_by',
  'received_from',
  'origin_node_id',
  'speaker',
  'origin_id',
  'hlc_wall',
  'hlc_ctr',
  'hlc_text',
  'feed_wall',
  'feed_ctr',
  'valid_from',
  'valid_from_ms',
  'replaces',
] as const;

/** The columns of a fact, in the order that `factFromRow` expects. */
export const FACT_COLUMNS = [...OUTLINE_COLUMNS, 'value_type', 'value_v'] as const;

/** The columns of a new row, in the order of `factToRow`. */
export const NEW_FACT_COLUMNS = [
  ...FACT_COLUMNS,
  'number',
  'writer',
  'writer_sub',
  'writer_key_id',
  'tags',
  'salt',
  'link_seq',
  'link_hash',
] as const;

type OutlineRow = [
  id: string,
  tenantId: string,
  entity: string | null,
  entityKey: string,
  relation: string | null,
  relationKey: string,
  scope: Scope,
  valueKey: string,
  interpretAs: FactValue['interpretAs'],
  source: string | null,
  sourceKey: string,
  timestamp: string | null,
  timestampMs: number,
  confidence: number,
  validUntil: string | null,
  validUntilMs: number | null,
  gardenId: string | null,
  cid: string | null,
  derivedFrom: string | null,
  system: number,
  attested: number | null,
  attestedKeyId: string | null,
  sessionId: string | null,
  assertedBy: string | null,
  receivedFrom: string | null,
  originNodeId: string | null,
  speaker: string | null,
  originId: string | null,
  hlcWall: number,
  hlcCtr: number,
  hlcText: string | null,
  feedWall: number,
  feedCtr: number,
  validFrom: string | null,
  validFromMs: number | null,
  replaces: string | null,
];
type FactRow = [...OutlineRow, valueType: ValueType, valueV: string | null];

const NO_TEXTS: readonly string[] = Object.freeze([]);

/** Returns the default write record of a fact. */
export const plainRecord = ({ assertedBy, receivedFrom }: StoredFact): WriteRecord => ({
  writer: assertedBy ?? receivedFrom ?? '',
  writerSub: null,
  writerKeyId: null,
  tags: [],
  salt: null,
  link: null,
});

export const factToRow = (fact: StoredFact, record: WriteRecord, number: number): SqlValue[] => [
  fact.id,
  fact.tenantId,
  unlessSame(fact.entity, fact.entityKey),
  fact.entityKey,
  unlessSame(fact.relation, fact.relationKey),
  fact.relationKey,
  fact.scope,
  fact.valueKey,
  fact.value.interpretAs,
  unlessSame(fact.source, fact.sourceKey),
  fact.sourceKey,
  unlessSame(fact.timestamp, canonicalInstant(fact.timestampMs)),
  fact.timestampMs,
  fact.confidence,
  boundText(fact.validUntil, fact.validUntilMs),
  fact.validUntilMs,
  fact.gardenId,
  fact.cid,
  listOf(fact.derivedFrom),
  Number(fact.system),
  fact.attested === null ? null : Number(fact.attested),
  fact.attestedKeyId,
  fact.sessionId,
  fact.assertedBy,
  fact.receivedFrom,
  fact.originNodeId,
  fact.speaker,
  fact.originId,
  fact.hlc.wallMs,
  fact.hlc.counter,
  unlessSame(fact.hlcText, `${fact.hlc.wallMs}.${fact.hlc.counter}`),
  fact.feed.wallMs,
  fact.feed.counter,
  boundText(fact.validFrom, fact.validFromMs),
  fact.validFromMs,
  listOf(fact.replaces),
  fact.value.type,
  storedText(fact.value.v),
  number,
  unlessSame(record.writer, fact.assertedBy),
  record.writerSub,
  record.writerKeyId,
  writtenTags(record.tags),
  record.salt,
  record.link?.seq ?? null,
  record.link?.hash ?? null,
];

const listOf = (texts: readonly string[]): string | null => (texts.length === 0 ? null : JSON.stringify(texts));

/** Returns the text of a bound of validity; empty for an instant without a text. */
const boundText = (text: string | null, ms: number | null): string | null =>
  ms === null ? text : unlessSame(text ?? '', canonicalInstant(ms));

/** Returns null for a text that another column repeats. */
const unlessSame = (text: string | null, repeated: string | null): string | null => (text === repeated ? null : text);

/** The last instant that `Date` can format: https://tc39.es/ecma262/#sec-time-values-and-time-range */
const LAST_MS = 8.64e15;

let lastMs = 0;
let lastInstant = new Date(0).toISOString();

/** Caches the last text, because most facts of a page have the same millisecond or no text of their own. */
const canonicalInstant = (ms: number): string => {
  if (ms === lastMs) return lastInstant;
  lastInstant = Math.abs(ms) <= LAST_MS ? new Date(ms).toISOString() : `@${ms}`;
  lastMs = ms;
  return lastInstant;
};

const VALUE_COLUMN = FACT_COLUMNS.indexOf('value_v');
const OUTLINE_RULES = rulesFor(OUTLINE_COLUMNS);
const FACT_RULES = rulesFor(FACT_COLUMNS);

/** Parses any row. A damaged one gives a fact that says so: see `StoredFact.damage`. */
export const factFromRow = (row: readonly SqlValue[]): StoredFact => {
  const repaired = repairRow(row, FACT_RULES);
  const columns = (repaired?.row ?? row) as FactRow;
  const isErased = columns[17] === null;
  const v = valueOfText(columns[36], columns[37], isErased);
  const value = { type: columns[36], v: v ?? null, interpretAs: columns[8] };
  const damage = repaired?.column ?? (v === undefined ? 'value_v' : undefined);
  const fact = membersFromRow(columns) as Mutable<StoredFact>;
  fact.value = value;
  if (damage !== undefined) fact.damage = damage;
  return fact;
};

/** Parses a row whose value was not read, as a fact with an empty text. */
export const factWithoutValue = (row: readonly SqlValue[]): StoredFact => {
  const columns = [...row];
  columns[VALUE_COLUMN] = '';
  return factFromRow(columns);
};

export const outlineFromRow = (row: readonly SqlValue[]): FactOutline => {
  const repaired = repairRow(row, OUTLINE_RULES);
  const columns = (repaired?.row ?? row) as OutlineRow;
  const outline = membersFromRow(columns) as Mutable<FactOutline>;
  outline.interpretAs = columns[8];
  if (repaired !== undefined) outline.damage = repaired.column;
  return outline;
};

/** Parses a row that has the length of the value as a further column. */
export const sizedOutlineFromRow = (row: readonly SqlValue[]): SizedOutline => {
  const outline = outlineFromRow(row) as Mutable<SizedOutline>;
  outline.valueBytes = Number(row[OUTLINE_COLUMNS.length] ?? 0);
  return outline;
};

/**
 * Lets callers add members to an object that they have just made. A spread with further members would give each fact a
 * hidden class of its own, which takes 800 bytes and slows down all code that reads facts.
 */
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const membersFromRow = (columns: OutlineRow | FactRow): Omit<StoredFact, 'value'> => ({
  id: columns[0],
  tenantId: columns[1],
  entity: columns[2] ?? columns[3],
  entityKey: columns[3],
  relation: columns[4] ?? columns[5],
  relationKey: columns[5],
  scope: columns[6],
  valueKey: columns[7],
  source: columns[9] ?? columns[10],
  sourceKey: columns[10],
  timestamp: columns[11] ?? canonicalInstant(columns[12]),
  timestampMs: columns[12],
  confidence: columns[13],
  validUntil: boundOf(columns[14], columns[15]),
  validUntilMs: columns[15],
  gardenId: columns[16],
  // The content id is null after an erasure.
  cid: columns[17] ?? '',
  derivedFrom: columns[18] === null ? NO_TEXTS : (contentIdsIn(columns[18]) ?? NO_TEXTS),
  system: columns[19] === 1,
  attested: columns[20] === null ? null : columns[20] === 1,
  attestedKeyId: columns[21],
  sessionId: columns[22],
  assertedBy: columns[23],
  receivedFrom: columns[24],
  originNodeId: columns[25],
  speaker: columns[26],
  originId: columns[27],
  hlc: { wallMs: columns[28], counter: columns[29] },
  hlcText: columns[30] ?? `${columns[28]}.${columns[29]}`,
  feed: { wallMs: columns[31], counter: columns[32] },
  validFrom: boundOf(columns[33], columns[34]),
  validFromMs: columns[34],
  replaces: columns[35] === null ? NO_TEXTS : (textsIn(columns[35]) ?? NO_TEXTS),
});

const boundOf = (text: string | null, ms: number | null): string | null => {
  if (text === null) return ms === null ? null : canonicalInstant(ms);
  return text === '' ? null : text;
};

/**
 * Parses a value by its type; undefined for a text that the type does not have. Values are stored as text, so that both
 * engines return them unchanged. Only an erasure leaves no text: a value that is sealed in a clear store is damage.
 */
const valueOfText = (type: ValueType, text: string | null, isErased: boolean): FactValue['v'] | undefined => {
  if (type === 'null') return null;
  if (text === null) return isErased ? null : undefined;
  if (type === 'number') return finiteOf(text);
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined;
  return text;
};

const finiteOf = (text: string): number | undefined => {
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
};
