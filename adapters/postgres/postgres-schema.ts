import type { SchemaDialect } from '../../ports/ports.ts';

/** The statements that make tables, as PostgreSQL spells them. */
export const postgresSchema: SchemaDialect = {
  textType: 'TEXT COLLATE "C"',
  insertionOrder: '',
  keyOrder: '',
  numberRows: (table, column) => {
    table.bigIncrements(column);
  },
  freeze: (table) => [
    `CREATE FUNCTION ${table}_refuse_change() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION '${table} are immutable'; END $$`,
    `CREATE TRIGGER ${table}_refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION ${table}_refuse_change()`,
  ],
  updateFrozen: (table, statement) => [
    `ALTER TABLE ${table} DISABLE TRIGGER ${table}_refuse_change`,
    statement,
    `ALTER TABLE ${table} ENABLE TRIGGER ${table}_refuse_change`,
  ],
  expectRows: () => [],
};
