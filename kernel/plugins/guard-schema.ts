import type { Knex } from 'knex';
import type { MigrationData, MigrationSchema } from '../../ports/ports.ts';

/** Members of the schema builder whose leading arguments are names of tables; how many of them. */
const TABLE_ARGUMENTS: Readonly<Record<string, number>> = {
  createTable: 1,
  createTableIfNotExists: 1,
  createTableLike: 2,
  alterTable: 1,
  table: 1,
  dropTable: 1,
  dropTableIfExists: 1,
  renameTable: 2,
  hasTable: 1,
  hasColumn: 1,
};
/** Methods that make the builder a promise, and are harmless. */
const ALLOWED: ReadonlySet<PropertyKey> = new Set(['then', 'catch', 'finally', 'toSQL', 'toString']);

/** Partial indexes and their like, which the builder cannot spell. */
const CREATE_INDEX = /^\s*create\s+(?:unique\s+)?index\s+(?:if\s+not\s+exists\s+)?(\w+)\s+on\s+(\w+)\s*\(/i;

/** The database as a plugin's migration sees it: tables with its own prefix, through the builder, and nothing else. */
export const guardSchema = (schema: MigrationSchema, prefix: string): MigrationSchema => ({
  // A builder accumulates calls and runs all of them again, so each chain gets its own; `schema` may then be used
  // twice.
  schema: guardBuilder(() => schema.schema, prefix),
  dialect: schema.dialect,
  data: guardData(schema.data, prefix),
  raw: async (sql) => {
    const [, index, table] = CREATE_INDEX.exec(sql) ?? [];
    if (table === undefined || sql.includes(';')) {
      throw new Error('raw SQL of a plugin may create an index on a table of its own and nothing else');
    }
    refuseForeign(prefix, index);
    refuseForeign(prefix, table);
    await schema.raw(sql);
  },
  tables: async () => (await schema.tables()).filter((table) => table.startsWith(prefix)),
  hasColumn: async (table, column) => {
    refuseForeign(prefix, table);
    return schema.hasColumn(table, column);
  },
});

/** States that the core stores beside facts: every plugin may read them, as in any snapshot. */
const STATES_OF_FACTS: ReadonlySet<string> = new Set(['fact_covers', 'fact_expiries']);

const guardData = (data: MigrationData, prefix: string): MigrationData => {
  const own = (table: string): string => {
    refuseForeign(prefix, table);
    return table;
  };
  return {
    find: (query) => data.find(query),
    databaseMs: () => data.databaseMs(),
    table: (name) => data.table(own(name)),
    select: (table, where, page) => data.select(STATES_OF_FACTS.has(table) ? table : own(table), where, page),
    insertRows: (table, rows) => data.insertRows(own(table), rows),
  };
};

const guardBuilder = (builder: () => Knex.SchemaBuilder, prefix: string): Knex.SchemaBuilder =>
  new Proxy({} as Knex.SchemaBuilder, {
    get(_, member) {
      const target = builder();
      const value: unknown = Reflect.get(target, member, target);
      if (typeof value !== 'function') return value;
      if (ALLOWED.has(member)) return value.bind(target);
      const named = TABLE_ARGUMENTS[String(member)];
      if (named === undefined) {
        return () => {
          throw new Error(`a migration of a plugin cannot use ${String(member)} of the schema builder`);
        };
      }
      return (...args: readonly unknown[]) => {
        for (const table of args.slice(0, named)) refuseForeign(prefix, table);
        const result: unknown = value.apply(target, args);
        return result === target ? guardBuilder(() => target, prefix) : result;
      };
    },
  });

const refuseForeign = (prefix: string, table: unknown): void => {
  if (typeof table === 'string' && table.startsWith(prefix)) return;
  throw new Error(`a migration touches only tables whose names start with ${prefix}, not ${String(table)}`);
};
