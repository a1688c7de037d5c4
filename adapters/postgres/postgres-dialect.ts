import type { SqlDialect, ValueKind } from '../sql/sql-dialect.ts';

const TYPE_OF: Readonly<Record<ValueKind, string>> = { text: 'text', whole: 'int8', number: 'float8' };

export const postgresDialect: SqlDialect = {
  name: 'postgres',
  mark: (kind) => (kind === 'text' ? '?' : `?::${TYPE_OF[kind]}`),
  inList: (column, of) => `${column} = ANY(?::${TYPE_OF[of]}[])`,
  listParameter: (values) => values,
  exists: (select) => `EXISTS (${select})`,
  forUpdate: ' FOR UPDATE',
  tableNames: `SELECT relname FROM pg_class
WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace`,
  columnNames: `SELECT attname FROM pg_attribute
WHERE attrelid = to_regclass(quote_ident(?)) AND attnum > 0 AND NOT attisdropped`,
};
