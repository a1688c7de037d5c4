import type { SchemaDialect } from '../../ports/ports.ts';
import { identifier } from '../sql/sql-identifier.ts';

const refuseUpdates = (table: string): string => refuse(table, 'UPDATE');

const refuse = (table: string, change: 'UPDATE' | 'DELETE', unless?: string): string =>
  `CREATE TRIGGER ${table}_refuse_${change.toLowerCase()} BEFORE ${change} ON ${table}
    ${unless === undefined ? '' : `WHEN NOT (${unless})`}
    BEGIN SELECT RAISE(ABORT, '${table} are immutable'); END`;

/** As the query builder spells the key of a table. */
const KEY = /\bprimary key \([^()]*\)/i;
const ROW_NUMBER = /\binteger (?:not null )?primary key\b/i;

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
  refreeze: (table, permitted) => [`DROP TRIGGER ${table}_refuse_update`, refuse(table, 'UPDATE', permitted)],
  listElements: (column) => `(SELECT key AS place, value AS element FROM json_each(${column}))`,
  permitDeletes: (table, permitted) => [`DROP TRIGGER ${table}_refuse_delete`, refuse(table, 'DELETE', permitted)],
  refuseInserts: (table, message) => [
    `CREATE TRIGGER ${table}_refuse_insert BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, '${message}'); END`,
  ],
  admitInserts: (table) => [`DROP TRIGGER ${table}_refuse_insert`],
  updateFrozen: (table, statement) => [`DROP TRIGGER ${table}_refuse_update`, statement, refuseUpdates(table)],
  // SQLite cannot change a key: the rows move into a table that is made anew, by the statement that SQLite has kept.
  setPrimaryKey: async (table, columns, read) => {
    const kept = await read(
      `SELECT type, name, sql FROM sqlite_schema WHERE tbl_name = '${table}' AND sql IS NOT NULL ORDER BY rowid`,
    );
    const indexes = kept.filter(([type]) => type === 'index');
    const made = String(kept.find(([type]) => type === 'table')?.[2]);
    if (ROW_NUMBER.test(made)) return [];
    if (!KEY.test(made)) throw new Error(`there is no table ${table} with a primary key`);
    const [now, before] = [identifier(table), identifier(`${table}_before`)];
    return [
      ...indexes.map(([, name]) => `DROP INDEX ${identifier(String(name))}`),
      `ALTER TABLE ${now} RENAME TO ${before}`,
      made.replace(KEY, `primary key (${columns.map(identifier).join(', ')})`),
      `INSERT INTO ${now} SELECT * FROM ${before}`,
      `DROP TABLE ${before}`,
      ...indexes.map(([, , statement]) => String(statement)),
    ];
  },
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
  gatherStatistics: () => [],
};
