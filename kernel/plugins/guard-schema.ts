import type { Knex } from 'knex';
import type { MigrationData, MigrationSchema } from '../../ports/ports.ts';

/** The methods of the schema builder that take table names, and how many of their first arguments are such names. */
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
/** The methods that make the builder a promise, which are harmless. */
const ALLOWED: ReadonlySet<PropertyKey> = new Set(['then', 'catch', 'finally', 'toSQL', 'toString']);

/**
 * Matches statements that create an index, because the builder does not support all kinds of indexes, such as partial
 * ones.
 */
const CREATE_INDEX = /^\s*create\s+(?:unique\s+)?index\s+(?:if\s+not\s+exists\s+)?(\w+)\s+on\s+(\w+)\s*\(/i;

/**
 * Returns a plugin's restricted view of the database in its migrations: only tables with its own prefix, and only
 * through the builder.
 */
export const guardSchema = (schema: MigrationSchema, prefix: string): MigrationSchema => ({
  // Creates a builder for each chain, because a builder accumulates calls and runs all of them again.
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

/** The tables with states of facts, which every plugin may read. */
const STATES_OF_FACTS: ReadonlySet<string> = new Set(['fact_covers', 'fact_named_covers', 'fact_expiries']);

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
