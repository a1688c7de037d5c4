import type { LinkSource } from '../kit/expected-link.ts';

/** Stamps are compared as one number, with this much room for the counter, which no test exceeds. */
const COUNTER_ROOM = 4_096;

const stampNumber = (wall: number, counter: number): number => {
  if (counter >= COUNTER_ROOM) throw new Error('the counter ran further than this test can compare');
  return wall * COUNTER_ROOM + counter;
};

export const parseStamp = (text: string): number => {
  const [wall = '', counter = ''] = text.split('.');
  return stampNumber(Number(wall), Number(counter));
};

/** A row of a fact, with its ledger entry and its link. */
export interface FactRecord {
  readonly id: string;
  readonly entity: string;
  readonly relation: string;
  readonly v: string;
  readonly confidence: number;
  readonly isSystem: boolean;
  readonly stamp: number;
  readonly number: number;
  readonly tags: readonly string[];
  /** `sha256:<hex>`, null without a link. */
  readonly link: string | null;
  /** The hashed input of the link; `seq` is the ledger number of the row. */
  readonly linked: Omit<LinkSource, 'seq'> & { readonly seq: number | null };
}

/** The end of the ledger of the tenant. */
export interface HeadRecord {
  readonly number: number;
  readonly factNumber: number;
  readonly stamp: number;
  readonly linkedNumber: number | null;
  readonly link: string | null;
}

/** All parts of a store that must be consistent, read in one transaction. */
export interface StoredState {
  /** The facts, in feed order. */
  readonly facts: readonly FactRecord[];
  /** The ledger head; undefined while the store is empty. */
  readonly head: HeadRecord | undefined;
  /** Ledger numbers that rows of the audit log have. */
  readonly auditNumbers: readonly number[];
  /** Fact ids in the audit log that repeat ledger entries. */
  readonly auditedTwice: readonly string[];
  /** The ledger number up to which billing lines were written. */
  readonly billedUpTo: number;
  /** Conflict members by triple, over all conflict records of the triple. */
  readonly members: ReadonlyMap<string, readonly string[]>;
  /** Triples with more than one open conflict record. */
  readonly doubleRecords: readonly string[];
  readonly clock: number;
  /** Problems that the integrity check of the engine finds. */
  readonly damage: readonly string[];
}

/** Queries for the state of a store, in SQL for both engines. */
export const STATE_QUERIES = {
  clock: 'SELECT wall, ctr FROM node_clock',
  facts: `SELECT tenant_id, number, id, coalesce(entity, entity_key) AS entity,
    coalesce(relation, relation_key) AS relation, coalesce(source, source_key) AS source, scope, value_type, value_v,
    interpret_as, confidence, system, feed_wall, feed_ctr, tags, salt, link_seq, link_hash FROM facts
    ORDER BY feed_wall, feed_ctr`,
  heads: 'SELECT number, fact_number, feed_wall, feed_ctr, linked_number, link_hash FROM ledgers',
  auditNumbers: 'SELECT seq FROM audit_entries',
  auditedTwice: "SELECT fact_id FROM audit_entries WHERE event_type = 'fact_write'",
  billedUpTo: 'SELECT max(seq) AS seq FROM billing_positions',
  members: `SELECT r.entity_key, m.fact_id FROM conflicts_members m
    JOIN conflicts_records r ON r.tenant_id = m.tenant_id AND r.conflict_id = m.conflict_id`,
  doubleRecords: `SELECT entity_key FROM conflicts_records WHERE status = 'unresolved'
    GROUP BY tenant_id, entity_key, relation_key, scope HAVING count(*) > 1`,
} as const;

export type StateRow = Readonly<Record<string, string | number | Uint8Array | null>>;
export type StateQuery = keyof typeof STATE_QUERIES;

/** Builds the state from the rows of one snapshot of the store, whose facts belong to one tenant. */
export const toStoredState = (
  rows: (query: StateQuery) => readonly StateRow[],
  damage: readonly string[],
): StoredState => {
  const [[clock], [head]] = [rows('clock'), rows('heads')];
  return {
    facts: rows('facts').map(factOf),
    head: head === undefined ? undefined : headOf(head),
    auditNumbers: rows('auditNumbers').map((row) => Number(row['seq'])),
    auditedTwice: texts(rows('auditedTwice')),
    billedUpTo: Number(rows('billedUpTo')[0]?.['seq'] ?? 0),
    members: membersOf(rows('members')),
    doubleRecords: texts(rows('doubleRecords')),
    clock: stampOf(clock?.['wall'], clock?.['ctr']),
    damage,
  };
};

/** Large numbers from the PostgreSQL driver arrive as text. */
const stampOf = (wall: StateRow[string] | undefined, counter: StateRow[string] | undefined): number =>
  stampNumber(Number(wall ?? 0), Number(counter ?? 0));

const texts = (rows: readonly StateRow[]): string[] => rows.map((row) => String(Object.values(row)[0]));

const hashText = (bytes: StateRow[string] | undefined): string | null =>
  bytes instanceof Uint8Array ? `sha256:${Buffer.from(bytes).toString('hex')}` : null;

const numberOrNull = (value: StateRow[string] | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);

const factOf = (row: StateRow): FactRecord => ({
  id: String(row['id']),
  entity: String(row['entity']),
  relation: String(row['relation']),
  v: String(row['value_v']),
  confidence: Number(row['confidence']),
  isSystem: row['system'] === 1,
  stamp: stampOf(row['feed_wall'], row['feed_ctr']),
  number: Number(row['number']),
  tags: String(row['tags'] ?? '')
    .split(',')
    .filter((tag) => tag !== ''),
  link: hashText(row['link_hash']),
  linked: linkedOf(row),
});

const linkedOf = (row: StateRow): FactRecord['linked'] => ({
  seq: numberOrNull(row['link_seq']),
  createdMs: Number(row['feed_wall']),
  tenantId: String(row['tenant_id']),
  factId: String(row['id']),
  entity: String(row['entity']),
  relation: String(row['relation']),
  scope: String(row['scope']),
  source: String(row['source']),
  confidence: Number(row['confidence']),
  interpretAs: String(row['interpret_as']),
  valueType: String(row['value_type']),
  v: storedValue(row['value_type'], row['value_v']),
  salt: row['salt'] instanceof Uint8Array ? row['salt'] : new Uint8Array(0),
});

/** Parses a value, because every value is stored as text. */
const storedValue = (type: StateRow[string] | undefined, text: StateRow[string] | undefined): unknown =>
  type === 'number' || type === 'boolean' ? JSON.parse(String(text)) : (text ?? null);

const headOf = (row: StateRow): HeadRecord => ({
  number: Number(row['number']),
  factNumber: Number(row['fact_number'] ?? 0),
  stamp: stampOf(row['feed_wall'], row['feed_ctr']),
  linkedNumber: numberOrNull(row['linked_number']),
  link: hashText(row['link_hash']),
});

const membersOf = (rows: readonly StateRow[]): Map<string, string[]> => {
  const members = new Map<string, string[]>();
  for (const row of rows) {
    const triple = String(row['entity_key']);
    const known = members.get(triple);
    if (known === undefined) members.set(triple, [String(row['fact_id'])]);
    else known.push(String(row['fact_id']));
  }
  return members;
};
