import type { SchemaDialect } from '../../ports/ports.ts';

const refuse = (table: string, change: 'UPDATE' | 'DELETE', unless: string): string =>
  `CREATE TRIGGER ${table}_refuse_${change.toLowerCase()} BEFORE ${change} ON ${table}
    WHEN NOT (${unless})
    BEGIN SELECT RAISE(ABORT, '${table} are immutable'); END`;

/** The parts of table definitions that SQLite spells in its own way. */
export const sqliteSchema: SchemaDialect = {
  textType: 'TEXT',
  bytesType: 'BLOB',
  keyOrder: ' WITHOUT ROWID',
  // The number is SQLite's row id, so it is the whole key.
  numberRows: (table, column) => {
    table.bigIncrements(column);
  },
  freeze: (table, { updates, deletes }) => [refuse(table, 'UPDATE', updates), refuse(table, 'DELETE', deletes)],
  listElements: (column) => `(SELECT key AS place, value AS element FROM json_each(${column}))`,
  // https://sqlite.org/fileformat2.html#stat1tab
  expectRows: (expected) => [
    // Creates the statistics tables by analysing one table, which is empty or small.
    'ANALYZE fact_expiries',
    ...expected.flatMap(([table, index, rows]) => [
      `DELETE FROM sqlite_stat1 WHERE idx = '${index}'`,
      `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('${table}', '${index}', '${rows}')`,
    ]),
    // Makes this connection load the statistics. Others load them when they detect the new schema.
    'ANALYZE sqlite_schema',
  ],
};
