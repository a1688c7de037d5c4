import type { SchemaDialect } from '../../ports/ports.ts';
import { identifier } from '../sql/sql-identifier.ts';

const refusal = (table: string): string =>
  `CREATE OR REPLACE FUNCTION ${table}_refuse_change() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION '${table} are immutable'; END $$`;

/** The statements that make tables, as PostgreSQL spells them. */
export const postgresSchema: SchemaDialect = {
  textType: 'TEXT COLLATE "C"',
  bytesType: 'BYTEA',
  insertionOrder: '',
  keyOrder: '',
  numberRows: (table, column) => {
    table.bigIncrements(column);
  },
  freeze: (table) => [
    refusal(table),
    `CREATE TRIGGER ${table}_refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION ${table}_refuse_change()`,
  ],
  freezeUnless: (table, permitted) => [
    refusal(table),
    `CREATE TRIGGER ${table}_refuse_update BEFORE UPDATE ON ${table}
      FOR EACH ROW WHEN (NOT (${permitted})) EXECUTE FUNCTION ${table}_refuse_change()`,
    `CREATE TRIGGER ${table}_refuse_delete BEFORE DELETE OR TRUNCATE ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION ${table}_refuse_change()`,
  ],
  // The condition of a trigger itself must not hold subqueries.
  refreeze: (table, permitted) => [
    `DROP TRIGGER ${table}_refuse_update ON ${table}`,
    `CREATE OR REPLACE FUNCTION ${table}_judge_update() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN
        IF ${permitted} THEN RETURN NEW; END IF;
        RAISE EXCEPTION '${table} are immutable';
      END $$`,
    `CREATE TRIGGER ${table}_refuse_update BEFORE UPDATE ON ${table}
      FOR EACH ROW EXECUTE FUNCTION ${table}_judge_update()`,
  ],
  listElements: (column) =>
    `(SELECT place, element FROM json_array_elements_text(${column}::json) WITH ORDINALITY AS e (element, place))`,
  // The condition of a trigger holds no subquery, so a function judges the row.
  permitDeletes: (table, permitted) => [
    `CREATE OR REPLACE FUNCTION ${table}_judge_delete() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN IF ${permitted} THEN RETURN OLD; END IF; RAISE EXCEPTION '${table} are immutable'; END $$`,
    `DROP TRIGGER ${table}_refuse_delete ON ${table}`,
    `CREATE TRIGGER ${table}_refuse_delete BEFORE DELETE ON ${table}
      FOR EACH ROW EXECUTE FUNCTION ${table}_judge_delete()`,
    `CREATE TRIGGER ${table}_refuse_truncate BEFORE TRUNCATE ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION ${table}_refuse_change()`,
  ],
  refuseInserts: (table, message) => [
    `CREATE FUNCTION ${table}_refuse_insert() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION '${message}'; END $$`,
    `CREATE TRIGGER ${table}_refuse_insert BEFORE INSERT ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION ${table}_refuse_insert()`,
  ],
  admitInserts: (table) => [`DROP FUNCTION ${table}_refuse_insert CASCADE`],
  updateFrozen: (table, statement) => [
    `ALTER TABLE ${table} DISABLE TRIGGER ${table}_refuse_change`,
    statement,
    `ALTER TABLE ${table} ENABLE TRIGGER ${table}_refuse_change`,
  ],
  setPrimaryKey: async (table, columns, read) => {
    // A table that was renamed has a constraint of its old name.
    const [[name, number] = []] = await read(
      `SELECT conname, (SELECT attname FROM pg_attribute a JOIN pg_attrdef d ON d.adrelid = attrelid AND d.adnum = attnum
         WHERE attrelid = conrelid AND attnum = ALL(conkey) AND pg_get_expr(adbin, adrelid) LIKE 'nextval(%')
       FROM pg_constraint WHERE contype = 'p' AND conrelid = to_regclass(quote_ident('${table}'))`,
    );
    if (name === undefined) throw new Error(`there is no table ${table} with a primary key`);
    const key = `PRIMARY KEY (${columns.map(identifier).join(', ')})`;
    return [
      `ALTER TABLE ${identifier(table)} DROP CONSTRAINT ${identifier(String(name))},
        ADD CONSTRAINT ${identifier(`${table}_pkey`)} ${key}`,
      ...(number === null
        ? []
        : [`CREATE INDEX ${identifier(`${table}_in_order`)} ON ${identifier(table)} (${identifier(String(number))})`]),
    ];
  },
  expectRows: () => [],
  gatherStatistics: (table) => [`ANALYZE ${table}`],
};
