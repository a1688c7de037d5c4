import pg from 'pg';
import type { CeilingLayout, CeilingTable } from './ceiling-layout.ts';
import {
  billingLine,
  type CeilingFact,
  type CeilingRow,
  CeilingRows,
  type CeilingStore,
  replyText,
} from './ceiling-row.ts';
import { postgresTables } from './ceiling-schema.ts';

const MAX_GROUP = 256;

const SETTINGS = `SET synchronous_commit = on; SET jit = off; SET plan_cache_mode = force_generic_plan;
SET default_statistics_target = 10`;

/**
 * The number of facts after which the server gathers statistics for the first time. Without them it would keep a plan
 * made for the empty table, which reads the whole table.
 */
const FIRST_ANALYSIS = 500;
const GROWTH = 8;

const SIBLINGS = `SELECT s.n, f.value_type, f.value_v
FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY s (entity_key, relation_key, scope, n)
CROSS JOIN LATERAL (
  SELECT value_type, value_v FROM facts
  WHERE tenant_id = $1 AND entity_key = s.entity_key AND relation_key = s.relation_key AND scope = s.scope
    AND confidence > 0 LIMIT 64) f`;

/** Sends a column once when all rows of the group share its value, and as an array otherwise. */
const insertStatement = ({ name, columns }: CeilingTable): string => {
  const places = columns.map(({ type, isShared }, at) => `$${at + 1}::${TYPES[type]}${isShared === true ? '' : '[]'}`);
  const varying = columns.flatMap(({ isShared }, at) => (isShared === true ? [] : [at]));
  const selected = columns.map(({ isShared }, at) => (isShared === true ? places[at] : `u.c${at}`));
  const arrays = varying.map((at) => places[at]).join();
  const aliases = varying.map((at) => `c${at}`).join();
  return `INSERT INTO ${name} (${columns.map((column) => column.name).join()})
    SELECT ${selected.join()} FROM unnest(${arrays}) AS u (${aliases})`;
};

const TYPES = { text: 'text', integer: 'bigint', real: 'float8', bytes: 'bytea' } as const;

const parametersOf = ({ columns, values }: CeilingTable, rows: readonly CeilingRow[]): unknown[] => {
  const cells = rows.map(values);
  return columns.map(({ isShared }, at) => (isShared === true ? cells[0]?.[at] : cells.map((row) => row[at])));
};

interface QueuedAssertion {
  readonly fact: CeilingFact;
  readonly resolve: (reply: string) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit on PostgreSQL: one connection has one transaction in flight, and the next transaction takes all requests
 * that arrived meanwhile. All statements and the commit leave in one write, because no statement depends on an earlier
 * result.
 */
export class PostgresGroupCommit implements CeilingStore {
  readonly #client: pg.Client;
  readonly #inserts: readonly { readonly table: CeilingTable; readonly text: string }[];
  readonly #rows: CeilingRows;
  #waiting: QueuedAssertion[] = [];
  #running = false;
  #stored = 0;
  #nextAnalysis = FIRST_ANALYSIS;

  private constructor(client: pg.Client, { tables, isLinked }: CeilingLayout) {
    this.#client = client;
    this.#inserts = tables.map((table) => ({ table, text: insertStatement(table) }));
    this.#rows = new CeilingRows(isLinked);
  }

  /** Creates the tables of the layout in an empty database. */
  static async open(url: string, layout: CeilingLayout): Promise<PostgresGroupCommit> {
    const client = new pg.Client({ connectionString: url, pipeline: true });
    await client.connect();
    await client.query(`${SETTINGS};${postgresTables(layout)}`);
    return new PostgresGroupCommit(client, layout);
  }

  append(fact: CeilingFact): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ fact, resolve, reject });
      if (!this.#running) void this.#drain();
    });
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  async #drain(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0) {
      // Lets all requests of the same turn of the event loop join the group.
      await new Promise<void>((resolve) => setImmediate(resolve));
      const group = this.#waiting.splice(0, MAX_GROUP);
      try {
        const replies = await this.#commit(group.map(({ fact }) => fact));
        for (let at = 0; at < group.length; at += 1) group[at]?.resolve(replies[at] as string);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
      this.#stored += group.length;
      if (this.#stored >= this.#nextAnalysis) await this.#analyse();
    }
    this.#running = false;
  }

  async #analyse(): Promise<void> {
    this.#nextAnalysis *= GROWTH;
    await this.#client.query('ANALYZE facts');
  }

  async #commit(facts: readonly CeilingFact[]): Promise<string[]> {
    const nowMs = Date.now();
    const timestamp = new Date(nowMs).toISOString();
    const mark = this.#rows.mark();
    const rows = facts.map((fact) => this.#rows.make(fact, nowMs, timestamp));
    const { stream } = this.#client.connection;
    stream.cork();
    const sent = Promise.all([
      this.#client.query('BEGIN'),
      this.#prepared('siblings', SIBLINGS, tripleColumns(rows)),
      ...this.#inserts.map(({ table, text }) => this.#prepared(table.name, text, parametersOf(table, rows))),
      this.#client.query('COMMIT'),
    ]);
    stream.uncork();
    const [, siblings] = await sent.catch((error: unknown) => {
      this.#rows.goBack(mark);
      throw error;
    });
    const contradicted = new Set<CeilingRow>();
    for (const [n, type, v] of siblings.rows as [string, string, string][]) {
      const row = rows[Number(n) - 1];
      if (row !== undefined && (type !== row.fact.value.type || v !== row.v)) contradicted.add(row);
    }
    process.stderr.write(rows.map(billingLine).join(''));
    return rows.map((row) => replyText(row, contradicted.has(row)));
  }

  #prepared(name: string, text: string, values: readonly unknown[]) {
    return this.#client.query({ name, text, values: [...values], rowMode: 'array' });
  }
}

const tripleColumns = (rows: readonly CeilingRow[]): unknown[] => [
  rows[0]?.tenant,
  rows.map(({ entityKey }) => entityKey),
  rows.map(({ relationKey }) => relationKey),
  rows.map(({ fact }) => fact.scope),
];
