import type { SqlDialect } from '../sql/sql-dialect.ts';

export const sqliteDialect: SqlDialect = {
  name: 'sqlite',
  inList: (column) => `${column} IN (SELECT value FROM json_each(?))`,
  listParameter: (values) => JSON.stringify(values),
  // A write transaction excludes every other writer from its beginning.
  forUpdate: '',
  tableNames: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
  columnNames: 'SELECT name FROM pragma_table_info(?)',
};
