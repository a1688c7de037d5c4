import {
  type FactOutline,
  type FactValue,
  type Scope,
  type SizedOutline,
  type SqlValue,
  type StoredFact,
  storedText,
  type ValueType,
} from '../../ports/ports.ts';

/** Columns of an outline, in the order of `OutlineRow`. */
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
  'hlc_wall',
  'hlc_ctr',
  'hlc_text',
  'feed_wall',
  'feed_ctr',
] as const;

/** Columns of a fact, in the order in which `factToRow` and `factFromRow` have them. */
export const FACT_COLUMNS = [...OUTLINE_COLUMNS, 'value_type', 'value_v'] as const;

type OutlineRow = [
  id: string,
  tenantId: string,
  entity: string,
  entityKey: string,
  relation: string,
  relationKey: string,
  scope: Scope,
  valueKey: string,
  interpretAs: FactValue['interpretAs'],
  source: string,
  sourceKey: string,
  timestamp: string,
  timestampMs: number,
  confidence: number,
  validUntil: string | null,
  validUntilMs: number | null,
  gardenId: string | null,
  cid: string,
  derivedFrom: string | null,
  system: number,
  attested: number | null,
  attestedKeyId: string | null,
  sessionId: string | null,
  assertedBy: string | null,
  receivedFrom: string | null,
  originNodeId: string | null,
  hlcWall: number,
  hlcCtr: number,
  hlcText: string,
  feedWall: number,
  feedCtr: number,
];
type FactRow = [...OutlineRow, valueType: ValueType, valueV: string | null];

const NO_PARENTS: readonly string[] = Object.freeze([]);

export const factToRow = (fact: StoredFact): SqlValue[] => {
  const row: FactRow = [
    fact.id,
    fact.tenantId,
    fact.entity,
    fact.entityKey,
    fact.relation,
    fact.relationKey,
    fact.scope,
    fact.valueKey,
    fact.value.interpretAs,
    fact.source,
    fact.sourceKey,
    fact.timestamp,
    fact.timestampMs,
    fact.confidence,
    fact.validUntil,
    fact.validUntilMs,
    fact.gardenId,
    fact.cid,
    fact.derivedFrom.length === 0 ? null : JSON.stringify(fact.derivedFrom),
    Number(fact.system),
    fact.attested === null ? null : Number(fact.attested),
    fact.attestedKeyId,
    fact.sessionId,
    fact.assertedBy,
    fact.receivedFrom,
    fact.originNodeId,
    fact.hlc.wallMs,
    fact.hlc.counter,
    fact.hlcText,
    fact.feed.wallMs,
    fact.feed.counter,
    fact.value.type,
    storedText(fact.value.v),
  ];
  return row;
};

export const factFromRow = (row: readonly SqlValue[]): StoredFact => {
  const columns = row as FactRow;
  const value = { type: columns[31], v: valueOfText(columns[31], columns[32]), interpretAs: columns[8] };
  return { ...membersFromRow(columns), value };
};

export const outlineFromRow = (row: readonly SqlValue[]): FactOutline => {
  const columns = row as OutlineRow;
  return { ...membersFromRow(columns), interpretAs: columns[8] };
};

/** From a row with one more column: how long the value is. */
export const sizedOutlineFromRow = (row: readonly SqlValue[]): SizedOutline => ({
  ...outlineFromRow(row),
  valueBytes: Number(row[OUTLINE_COLUMNS.length] ?? 0),
});

const membersFromRow = (columns: OutlineRow | FactRow): Omit<StoredFact, 'value'> => ({
  id: columns[0],
  tenantId: columns[1],
  entity: columns[2],
  entityKey: columns[3],
  relation: columns[4],
  relationKey: columns[5],
  scope: columns[6],
  valueKey: columns[7],
  source: columns[9],
  sourceKey: columns[10],
  timestamp: columns[11],
  timestampMs: columns[12],
  confidence: columns[13],
  validUntil: columns[14],
  validUntilMs: columns[15],
  gardenId: columns[16],
  cid: columns[17],
  derivedFrom: columns[18] === null ? NO_PARENTS : (JSON.parse(columns[18]) as string[]),
  system: columns[19] === 1,
  attested: columns[20] === null ? null : columns[20] === 1,
  attestedKeyId: columns[21],
  sessionId: columns[22],
  assertedBy: columns[23],
  receivedFrom: columns[24],
  originNodeId: columns[25],
  hlc: { wallMs: columns[26], counter: columns[27] },
  hlcText: columns[28],
  feed: { wallMs: columns[29], counter: columns[30] },
});

/**
 * Every value is kept as text, so that both engines give back exactly what came in; `value_type` says how to read it.
 */
const valueOfText = (type: ValueType, text: string | null): FactValue['v'] => {
  if (text === null || type === 'null') return null;
  if (type === 'number') return Number(text);
  if (type === 'boolean') return text === 'true';
  return text;
};
