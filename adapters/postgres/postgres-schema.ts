import type { SchemaDialect } from '../../ports/ports.ts';

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
  updateFrozen: (table, statement) => [
    `ALTER TABLE ${table} DISABLE TRIGGER ${table}_refuse_change`,
    statement,
    `ALTER TABLE ${table} ENABLE TRIGGER ${table}_refuse_change`,
  ],
  expectRows: () => [],
};
