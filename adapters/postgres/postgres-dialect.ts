import type { SqlDialect, ValueKind } from '../sql/sql-dialect.ts';
import { postgresSchema } from './postgres-schema.ts';

const TYPE_OF: Readonly<Record<ValueKind, string>> = { text: 'text', whole: 'int8', number: 'float8' };

export const postgresDialect: SqlDialect = {
  mark: (kind) => (kind === 'text' ? '?' : `?::${TYPE_OF[kind]}`),
  inList: (column, of) => `${column} = ANY(?::${TYPE_OF[of]}[])`,
  listParameter: (values) => values,
  exists: (select) => `EXISTS (${select})`,
  position: (text) => `strpos(${text}, ?)`,
  forUpdateOf: (alias) => ` FOR UPDATE OF ${alias}`,
  removal: {
    tables: `SELECT c.relname, 'ctid' FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
  AND a.attname = 'tenant_id' AND NOT a.attisdropped`,
    // Uses an array, which leads to a look-up for each row. PostgreSQL may plan a subquery as a scan of the whole
    // table.
    statement: (table, key) =>
      `DELETE FROM "${table}" WHERE ${key} = ANY
  (ARRAY(SELECT ${key} FROM "${table}" WHERE tenant_id = ? LIMIT ?::int8))`,
  },
  schema: postgresSchema,
  queries: {
    tableNames: `SELECT relname FROM pg_class
WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = current_schema()::regnamespace`,
    columnNames: `SELECT attname FROM pg_attribute
WHERE attrelid = to_regclass(quote_ident(?)) AND attnum > 0 AND NOT attisdropped`,
    nowMs: 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint',
    // Reads the cluster's identifier and its timeline, which changes with every promotion and point-in-time recovery.
    // The timeline comes from the name of the log file, because the control file is updated only at the next
    // checkpoint. A replica serves only after that checkpoint. Every role can read both unless the owner of the server
    // has revoked that.
    history: {
      mayRead: `SELECT has_function_privilege('pg_control_system()', 'execute')
  AND has_function_privilege('pg_control_checkpoint()', 'execute')
  AND has_function_privilege('pg_current_wal_lsn()', 'execute') AND has_function_privilege('pg_walfile_name(pg_lsn)', 'execute')`,
      read: `SELECT system_identifier::text, CASE WHEN pg_is_in_recovery() THEN lpad(upper(to_hex(timeline_id)), 8, '0')
  ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END FROM pg_control_system(), pg_control_checkpoint()`,
    },
  },
};
