import type { SchemaDialect } from '../../ports/ports.ts';

const refuseUpdates = (table: string): string => refuse(table, 'UPDATE');

const refuse = (table: string, change: 'UPDATE' | 'DELETE', unless?: string): string =>
  `CREATE TRIGGER ${table}_refuse_${change.toLowerCase()} BEFORE ${change} ON ${table}
    ${unless === undefined ? '' : `WHEN NOT (${unless})`}
    BEGIN SELECT RAISE(ABORT, '${table} are immutable'); END`;

/** The statements that make tables, as SQLite spells them. */
export const sqliteSchema: SchemaDialect = {
  textType: 'TEXT',
  bytesType: 'BLOB',
  insertionOrder: 'seq INTEGER PRIMARY KEY,',
  keyOrder: ' WITHOUT ROWID',
  // Where rows are never deleted SQLite's own row numbers grow; AUTOINCREMENT would write a page more per commit.
  numberRows: (table, column, { deletesRows }) => {
    table.specificType(column, deletesRows ? 'integer primary key autoincrement' : 'integer primary key');
  },
  freeze: (table) => [refuseUpdates(table), refuse(table, 'DELETE')],
  freezeUnless: (table, permitted) => [refuse(table, 'UPDATE', permitted), refuse(table, 'DELETE')],
  updateFrozen: (table, statement) => [`DROP TRIGGER ${table}_refuse_update`, statement, refuseUpdates(table)],
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
