import type { SqlDialect } from '../sql/sql-dialect.ts';
import { sqliteSchema } from './sqlite-schema.ts';

export const sqliteDialect: SqlDialect = {
  mark: () => '?',
  inList: (column) => `${column} IN (SELECT value FROM json_each(?))`,
  listParameter: (values) => JSON.stringify(values),
  // SQLite 3.51 to 3.53 turn a bare EXISTS into a join, and lose matching rows when one EXISTS contains another. They
  // do not transform `EXISTS … IS TRUE`.
  exists: (select) => `(EXISTS (${select})) IS TRUE`,
  position: (text) => `instr(${text}, ?)`,
  // Needs no lock, because a write transaction excludes every other writer from its beginning.
  forUpdateOf: () => '',
  removal: {
    tables: `SELECT t.name, CASE WHEN t.wr = 0 THEN 'rowid'
      ELSE (SELECT '(' || group_concat('"' || k.name || '"', ', ' ORDER BY k.pk) || ')'
        FROM pragma_table_info(t.name) k WHERE k.pk > 0) END
      FROM pragma_table_list t
      WHERE t.schema = 'main' AND t.type = 'table'
        AND t.name IN (SELECT m.name FROM sqlite_schema m, pragma_table_info(m.name) c
          WHERE m.type = 'table' AND c.name = 'tenant_id')`,
    statement: (table, key) =>
      `DELETE FROM "${table}" WHERE ${key} IN
        (SELECT ${key.replace(/^\((.*)\)$/, '$1')} FROM "${table}" WHERE tenant_id = ? LIMIT ? + 0)`,
  },
  schema: sqliteSchema,
  queries: {
    tableNames: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    columnNames: 'SELECT name FROM pragma_table_info(?)',
    nowMs: "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER)",
    history: undefined,
  },
};
