import { administer } from './postgres-server.ts';

/** The number of partitions of each table. */
const PARTITIONS = 2;

const TABLES = `SELECT c.relname AS name FROM pg_class c
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
  WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace ORDER BY 1`;

/** Divides each table that has a tenant into partitions by its hash. The rows stay. */
export const partitionByTenant = async (url: string): Promise<readonly string[]> => {
  const tables = (await administer(url, TABLES)).map(({ name }) => String(name));
  for (const table of tables) await administer(url, partition(table));
  return tables;
};

const partition = (table: string): string => `DO $$ DECLARE
  trigger text;
  triggers text[] := ARRAY(SELECT pg_get_triggerdef(oid) FROM pg_trigger
    WHERE tgrelid = '${table}'::regclass AND NOT tgisinternal);
  sequence text;
BEGIN
  ALTER TABLE ${table} RENAME TO whole;
  CREATE TABLE ${table} (LIKE whole INCLUDING ALL) PARTITION BY HASH (tenant_id);
  FOR n IN 0..${PARTITIONS - 1} LOOP
    EXECUTE format('CREATE TABLE ${table}_of_%s PARTITION OF ${table} FOR VALUES WITH (MODULUS ${PARTITIONS}, REMAINDER %s)', n, n);
  END LOOP;
  INSERT INTO ${table} SELECT * FROM whole;
  FOR sequence IN SELECT objid::regclass FROM pg_depend WHERE refobjid = 'whole'::regclass AND deptype = 'a'
    AND classid = 'pg_class'::regclass AND (SELECT relkind FROM pg_class WHERE oid = objid) = 'S' LOOP
    EXECUTE format('ALTER SEQUENCE %s OWNED BY NONE', sequence);
  END LOOP;
  DROP TABLE whole;
  FOREACH trigger IN ARRAY triggers LOOP EXECUTE trigger; END LOOP;
END $$`;

/** Returns the table of a partition. */
export const tableOfPartition = (relation: string): string | undefined => /^(.+)_of_\d+$/.exec(relation)?.[1];
