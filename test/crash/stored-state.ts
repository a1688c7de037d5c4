/** Stamps compare as numbers only while the counter fits behind the milliseconds; a test never counts that far. */
const COUNTER_ROOM = 4_096;

const stampNumber = (wall: number, counter: number): number => {
  if (counter >= COUNTER_ROOM) throw new Error('the counter ran further than this test can compare');
  return wall * COUNTER_ROOM + counter;
};

export const parseStamp = (text: string): number => {
  const [wall = '', counter = ''] = text.split('.');
  return stampNumber(Number(wall), Number(counter));
};

export interface FactRecord {
  readonly id: string;
  readonly entity: string;
  readonly relation: string;
  readonly v: string;
  readonly confidence: number;
  readonly isSystem: boolean;
  readonly stamp: number;
}

/** Everything in a store that must agree with everything else in it, read in one transaction. */
export interface StoredState {
  /** In stamp order. */
  readonly facts: readonly FactRecord[];
  /** Fact ids of the feed, in its order. */
  readonly feed: readonly { readonly id: string; readonly stamp: number }[];
  /** Fact ids of the write entries of the audit, with repetitions. */
  readonly audited: readonly string[];
  /** Fact ids of the billing rows, with repetitions. */
  readonly billed: readonly string[];
  /** Members by triple, over all conflict records of the triple. */
  readonly members: ReadonlyMap<string, readonly string[]>;
  /** Triples with more than one open conflict record. */
  readonly doubleRecords: readonly string[];
  readonly clock: number;
  /** What the engine finds wrong with the file itself. */
  readonly damage: readonly string[];
}

/** What is asked of a store, in SQL that both engines speak. */
export const STATE_QUERIES = {
  clock: 'SELECT wall, ctr FROM node_clock',
  facts: `SELECT id, entity, relation, value_v, confidence, system, feed_wall, feed_ctr FROM facts
    ORDER BY feed_wall, feed_ctr`,
  feed: 'SELECT subject_id, wall, ctr FROM feed ORDER BY wall, ctr',
  audited: "SELECT fact_id FROM audit_entries WHERE event_type = 'fact_write'",
  billed: 'SELECT fact_id FROM billing_events',
  members: `SELECT r.entity_key, m.fact_id FROM conflicts_members m
    JOIN conflicts_records r ON r.conflict_id = m.conflict_id`,
  doubleRecords: `SELECT entity_key FROM conflicts_records WHERE status = 'unresolved'
    GROUP BY tenant_id, entity_key, relation_key, scope HAVING count(*) > 1`,
} as const;

export type StateRow = Readonly<Record<string, string | number>>;
export type StateQuery = keyof typeof STATE_QUERIES;

/** The state from the rows that one snapshot of the store gives. */
export const toStoredState = (
  rows: (query: StateQuery) => readonly StateRow[],
  damage: readonly string[],
): StoredState => {
  const [clock] = rows('clock');
  return {
    facts: rows('facts').map(factOf),
    feed: rows('feed').map((row) => ({ id: String(row['subject_id']), stamp: stampOf(row['wall'], row['ctr']) })),
    audited: texts(rows('audited')),
    billed: texts(rows('billed')),
    members: membersOf(rows('members')),
    doubleRecords: texts(rows('doubleRecords')),
    clock: stampOf(clock?.['wall'] ?? 0, clock?.['ctr'] ?? 0),
    damage,
  };
};

/** PostgreSQL's driver gives large numbers as text. */
const stampOf = (wall: string | number | undefined, counter: string | number | undefined): number =>
  stampNumber(Number(wall), Number(counter));

const texts = (rows: readonly StateRow[]): string[] => rows.map((row) => String(Object.values(row)[0]));

const factOf = (row: StateRow): FactRecord => ({
  id: String(row['id']),
  entity: String(row['entity']),
  relation: String(row['relation']),
  v: String(row['value_v']),
  confidence: Number(row['confidence']),
  isSystem: row['system'] === 1,
  stamp: stampOf(row['feed_wall'], row['feed_ctr']),
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
