import type { SchemaDialect } from '../../ports/ports.ts';

/** Returns a trigger function that permits changes that satisfy the condition, and refuses all others. */
const judge = (name: string, table: string, permitted: string, row: 'OLD' | 'NEW'): string =>
  `CREATE OR REPLACE FUNCTION ${table}_${name}() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN IF ${permitted} THEN RETURN ${row}; END IF; RAISE EXCEPTION '${table} are immutable'; END $$`;

/** The parts of table definitions that PostgreSQL spells in its own way. */
export const postgresSchema: SchemaDialect = {
  textType: 'TEXT COLLATE "C"',
  bytesType: 'BYTEA',
  keyOrder: '',
  // Creates a further index on the number alone, because some reads go through all tenants.
  numberRows: (table, column) => {
    table.bigIncrements(column, { primaryKey: false });
    table.primary(['tenant_id', column]);
    table.index([column]);
  },
  // Checks rows in functions, because the condition of a trigger must not contain subqueries.
  freeze: (table, { updates, deletes }) => [
    judge('judge_update', table, updates, 'NEW'),
    judge('judge_delete', table, deletes, 'OLD'),
    `CREATE OR REPLACE FUNCTION ${table}_refuse_change() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION '${table} are immutable'; END $$`,
    `CREATE TRIGGER ${table}_refuse_update BEFORE UPDATE ON ${table}
      FOR EACH ROW EXECUTE FUNCTION ${table}_judge_update()`,
    `CREATE TRIGGER ${table}_refuse_delete BEFORE DELETE ON ${table}
      FOR EACH ROW EXECUTE FUNCTION ${table}_judge_delete()`,
    `CREATE TRIGGER ${table}_refuse_truncate BEFORE TRUNCATE ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION ${table}_refuse_change()`,
  ],
  listElements: (column) =>
    `(SELECT place, element FROM json_array_elements_text(${column}::json) WITH ORDINALITY AS e (element, place))`,
  expectRows: () => [],
};
