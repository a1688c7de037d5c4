import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';

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

const FACTS = `SELECT id, entity, entity_key, relation, value_v, confidence, system, feed_wall, feed_ctr FROM facts
  ORDER BY feed_wall, feed_ctr`;
const MEMBERS = `SELECT r.entity_key, m.fact_id FROM conflicts_members m
  JOIN conflicts_records r ON r.conflict_id = m.conflict_id`;
const DOUBLE = `SELECT entity_key FROM conflicts_records WHERE status = 'unresolved'
  GROUP BY tenant_id, entity_key, relation_key, scope HAVING count(*) > 1`;

type Row = Readonly<Record<string, string | number>>;

const all = (database: DatabaseSyncInstance, sql: string): Row[] => database.prepare(sql).all() as Row[];

const texts = (database: DatabaseSyncInstance, sql: string): string[] =>
  all(database, sql).map((row) => String(Object.values(row)[0]));

const damageOf = (database: DatabaseSyncInstance): string[] => [
  ...texts(database, 'PRAGMA integrity_check').filter((line) => line !== 'ok'),
  ...all(database, 'PRAGMA foreign_key_check').map((row) => `foreign key: ${JSON.stringify(row)}`),
];

const factOf = (row: Row): FactRecord => ({
  id: String(row['id']),
  entity: String(row['entity']),
  relation: String(row['relation']),
  v: String(row['value_v']),
  confidence: Number(row['confidence']),
  isSystem: row['system'] === 1,
  stamp: stampNumber(Number(row['feed_wall']), Number(row['feed_ctr'])),
});

const membersOf = (database: DatabaseSyncInstance): Map<string, string[]> => {
  const members = new Map<string, string[]>();
  for (const row of all(database, MEMBERS)) {
    const triple = String(row['entity_key']);
    members.set(triple, [...(members.get(triple) ?? []), String(row['fact_id'])]);
  }
  return members;
};

/** Opens the store of a node, which may be running, dead or a copy, and reads all of it. */
export const readStoredState = (path: string): StoredState => {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA busy_timeout = 5000');
    database.exec('BEGIN');
    const clock = all(database, 'SELECT wall, ctr FROM node_clock')[0];
    return {
      facts: all(database, FACTS).map(factOf),
      feed: all(database, 'SELECT subject_id, wall, ctr FROM feed ORDER BY wall, ctr').map((row) => ({
        id: String(row['subject_id']),
        stamp: stampNumber(Number(row['wall']), Number(row['ctr'])),
      })),
      audited: texts(database, "SELECT fact_id FROM audit_entries WHERE event_type = 'fact_write'"),
      billed: texts(database, 'SELECT fact_id FROM billing_events'),
      members: membersOf(database),
      doubleRecords: texts(database, DOUBLE),
      clock: stampNumber(Number(clock?.['wall'] ?? 0), Number(clock?.['ctr'] ?? 0)),
      damage: damageOf(database),
    };
  } finally {
    database.close();
  }
};
