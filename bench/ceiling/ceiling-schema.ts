import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';

const TABLES = `
CREATE TABLE facts (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL, tenant_id TEXT NOT NULL,
  entity TEXT NOT NULL, relation TEXT NOT NULL, entity_key TEXT NOT NULL, relation_key TEXT NOT NULL,
  value_type TEXT NOT NULL, value_v TEXT, source TEXT NOT NULL,
  timestamp TEXT NOT NULL, timestamp_ms INTEGER NOT NULL,
  hlc_wall INTEGER NOT NULL, hlc_ctr INTEGER NOT NULL,
  confidence REAL NOT NULL, scope TEXT NOT NULL, valid_until TEXT, cid TEXT NOT NULL, asserted_by TEXT NOT NULL
);
CREATE UNIQUE INDEX facts_id ON facts (id);
CREATE INDEX facts_triple ON facts (tenant_id, entity_key, relation_key, scope);
CREATE INDEX facts_timestamp ON facts (tenant_id, timestamp_ms, id);
CREATE INDEX facts_cid ON facts (cid);
CREATE INDEX facts_hlc ON facts (hlc_wall, hlc_ctr);
CREATE TABLE audit (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL, tenant_id TEXT NOT NULL, event_type TEXT NOT NULL, entity_uri TEXT NOT NULL,
  fact_id TEXT, source TEXT NOT NULL, ts TEXT NOT NULL
);`;

/** One fact table with five indexes and one audit table without any, durable at every commit. */
export const openCeilingDatabase = (path: string): DatabaseSyncInstance => {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA synchronous = FULL');
  database.exec('PRAGMA wal_autocheckpoint = 20000');
  database.exec('PRAGMA cache_size = -32768');
  database.exec('PRAGMA busy_timeout = 5000');
  database.exec(TABLES);
  return database;
};
