import pg from 'pg';

/** A row whose values are text in the server's own notation; null stands for NULL. */
type TextRow = readonly (string | null)[];

/**
 * Measures the rows per second of a bare multi-row insert on PostgreSQL, into the columns and indexes of the node's
 * fact table. Each batch is one durable statement and transaction. The process computes, checks and parses nothing.
 */
export class PostgresBareInsert {
  readonly #url: string;
  readonly #statement: string;
  readonly #rows: readonly TextRow[];
  readonly #batch: number;

  private constructor(url: string, statement: string, rows: readonly TextRow[], batch: number) {
    this.#url = url;
    this.#statement = statement;
    this.#rows = rows;
    this.#batch = batch;
  }

  /** Reads rows of a store that a node may have open. */
  static sample(url: string, limit: number, batch: number): Promise<PostgresBareInsert> {
    return withClient(url, async (client) => {
      const types = await client.query(`SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
        WHERE attrelid = 'facts'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`);
      const columns = types.rows as { name: string; type: string }[];
      const arrays = columns.map(({ type }, at) => `$${at + 1}::${type}[]`);
      const statement = `INSERT INTO bare.facts (${columns.map(({ name }) => name).join()}) SELECT * FROM unnest(${arrays.join()})`;
      const found = await client.query({
        text: 'SELECT * FROM facts LIMIT $1',
        values: [limit],
        rowMode: 'array',
        types: { getTypeParser: () => String },
      });
      return new PostgresBareInsert(url, statement, found.rows as unknown as TextRow[], batch);
    });
  }

  /** Inserts the rows into an empty table and returns the rows per second. */
  rate(): Promise<number> {
    return withClient(this.#url, async (client) => {
      await client.query(`SET synchronous_commit = on; DROP SCHEMA IF EXISTS bare CASCADE; CREATE SCHEMA bare;
        CREATE TABLE bare.facts (LIKE facts INCLUDING ALL)`);
      const columns = this.#rows[0]?.map((_, at) => at) ?? [];
      const start = performance.now();
      let inserted = 0;
      while (inserted + this.#batch <= this.#rows.length) {
        const rows = this.#rows.slice(inserted, inserted + this.#batch);
        const values = columns.map((at) => rows.map((row) => row[at]));
        await client.query({ name: 'bare', text: this.#statement, values });
        inserted += this.#batch;
      }
      const seconds = (performance.now() - start) / 1000;
      await client.query('DROP SCHEMA bare CASCADE');
      return inserted / seconds;
    });
  }
}

const withClient = async <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};
