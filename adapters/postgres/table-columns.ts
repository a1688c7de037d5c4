import type { PostgresConnection } from './postgres-connection.ts';

/** Looks up the types of a table's columns, which `unnest` needs. */
const COLUMN_TYPES = `SELECT attname, format_type(atttypid, NULL) FROM pg_attribute
WHERE attrelid = to_regclass(quote_ident($1)) AND attnum > 0 AND NOT attisdropped`;

/** Caches column types, without modifiers, because a cast to `varchar(3)` would cut off a longer value. */
export class TableColumns {
  readonly #known = new Map<string, ReadonlyMap<string, string>>();

  /**
   * Returns the types of the named columns. Queries the database once per table. Throws an error that names a missing
   * table or column.
   */
  async typesOf(table: string, columns: readonly string[], connection: PostgresConnection): Promise<string[]> {
    let known = this.#known.get(table);
    if (known === undefined || !columns.every((column) => known?.has(column))) {
      const { rows } = await connection.arrays({ text: COLUMN_TYPES, name: undefined }, [table]);
      known = new Map(rows as [string, string][]);
      if (known.size === 0) throw new Error(`the table ${table} does not exist`);
      this.#known.set(table, known);
    }
    return columns.map((column) => {
      const type = known.get(column);
      if (type === undefined) throw new Error(`the table ${table} has no column ${column}`);
      return type;
    });
  }

  forget(): void {
    this.#known.clear();
  }
}
