import type { SchemaDialect } from '../../ports/ports.ts';

const refuse = (table: string, change: 'UPDATE' | 'DELETE', unless: string): string =>
  `CREATE TRIGGER ${table}_refuse_${change.toLowerCase()} BEFORE ${change} ON ${table}
    WHEN NOT (${unless})
    BEGIN SELECT RAISE(ABORT, '${table} are immutable'); END`;

/** The statements that make tables, as SQLite spells them. */
export const sqliteSchema: SchemaDialect = {
  textType: 'TEXT',
  bytesType: 'BLOB',
  keyOrder: ' WITHOUT ROWID',
  // The number is the place of the row, so it is the whole key.
  numberRows: (table, column) => {
    table.bigIncrements(column);
  },
  freeze: (table, { updates, deletes }) => [refuse(table, 'UPDATE', updates), refuse(table, 'DELETE', deletes)],
  listElements: (column) => `(SELECT key AS place, value AS element FROM json_each(${column}))`,
  // https://sqlite.org/fileformat2.html#stat1tab
  expectRows: (expected) => [
    // Creates the tables of statistics; this one table is empty or small.
    'ANALYZE fact_expiries',
    ...expected.flatMap(([table, index, rows]) => [
      `DELETE FROM sqlite_stat1 WHERE idx = '${index}'`,
      `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('${table}', '${index}', '${rows}')`,
    ]),
    // Makes this connection read them; others do when they see the new schema.
    'ANALYZE sqlite_schema',
  ],
};
