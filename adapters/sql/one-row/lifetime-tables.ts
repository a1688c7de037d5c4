import type { SchemaDialect } from '../../../ports/ports.ts';

/** Keys the tables of what ends facts by tenant and fact, so that a database can shard them by tenant. */
export const keyByTenant = ({ textType: text, keyOrder }: SchemaDialect): string[] => [
  ...rebuilt(
    'fact_covers',
    `CREATE TABLE fact_covers (
      tenant_id ${text} NOT NULL,
      fact_id ${text} NOT NULL,
      kind ${text} NOT NULL,
      entity_key ${text} NOT NULL,
      relation_key ${text} NOT NULL,
      scope ${text} NOT NULL,
      place ${text} NOT NULL,
      hlc_wall BIGINT NOT NULL,
      hlc_ctr INTEGER NOT NULL,
      PRIMARY KEY (tenant_id, fact_id)
    )`,
    'tenant_id, fact_id, kind, entity_key, relation_key, scope, place, hlc_wall, hlc_ctr',
  ),
  `CREATE INDEX fact_covers_by_triple ON fact_covers
    (tenant_id, entity_key, relation_key, scope, place, hlc_wall, hlc_ctr)`,
  ...rebuilt(
    'fact_expiries',
    `CREATE TABLE fact_expiries (
      tenant_id ${text} NOT NULL,
      fact_id ${text} NOT NULL,
      expires_ms BIGINT NOT NULL,
      hlc_wall BIGINT NOT NULL,
      hlc_ctr INTEGER NOT NULL,
      PRIMARY KEY (tenant_id, fact_id)
    )${keyOrder}`,
    'tenant_id, fact_id, expires_ms, hlc_wall, hlc_ctr',
  ),
];

/** By way of a copy, because indexes and constraints of the old table hold their names until it is gone. */
const rebuilt = (table: string, create: string, columns: string): string[] => [
  `CREATE TABLE one_row_kept AS SELECT ${columns} FROM ${table}`,
  `DROP TABLE ${table}`,
  create,
  `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM one_row_kept`,
  'DROP TABLE one_row_kept',
];
