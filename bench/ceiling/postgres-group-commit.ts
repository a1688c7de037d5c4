import pg from 'pg';
import {
  billingLine,
  type CeilingFact,
  type CeilingRow,
  CeilingRows,
  type CeilingStore,
  replyText,
  TENANT,
} from './ceiling-row.ts';

const MAX_GROUP = 256;

/** The tables of the ceiling on SQLite, in the types that are fastest here. Text compares by bytes there too. */
const TEXT = 'text COLLATE "C"';
const TABLES = `
CREATE TABLE facts (
  id ${TEXT} NOT NULL, tenant_id ${TEXT} NOT NULL,
  entity ${TEXT} NOT NULL, relation ${TEXT} NOT NULL, entity_key ${TEXT} NOT NULL, relation_key ${TEXT} NOT NULL,
  value_type ${TEXT} NOT NULL, value_v ${TEXT}, source ${TEXT} NOT NULL,
  timestamp ${TEXT} NOT NULL, timestamp_ms bigint NOT NULL,
  hlc_wall bigint NOT NULL, hlc_ctr integer NOT NULL,
  confidence double precision NOT NULL, scope ${TEXT} NOT NULL, valid_until ${TEXT}, cid ${TEXT} NOT NULL,
  asserted_by ${TEXT} NOT NULL
);
CREATE UNIQUE INDEX facts_id ON facts (id);
CREATE INDEX facts_triple ON facts (tenant_id, entity_key, relation_key, scope);
CREATE INDEX facts_timestamp ON facts (tenant_id, timestamp_ms, id);
CREATE INDEX facts_cid ON facts (cid);
CREATE INDEX facts_hlc ON facts (hlc_wall, hlc_ctr);
CREATE TABLE audit (
  seq bigserial,
  id ${TEXT} NOT NULL, tenant_id ${TEXT} NOT NULL, event_type ${TEXT} NOT NULL, entity_uri ${TEXT} NOT NULL,
  fact_id ${TEXT}, source ${TEXT} NOT NULL, ts ${TEXT} NOT NULL
)`;

const SETTINGS = `SET synchronous_commit = on; SET jit = off; SET plan_cache_mode = force_generic_plan;
SET default_statistics_target = 10`;

/**
 * Facts after which statistics are gathered for the first time. A plan made while the table was empty would read all of
 * it for ever.
 */
const FIRST_ANALYSIS = 500;
const GROWTH = 8;

const SIBLINGS = `SELECT s.n, f.value_type, f.value_v
FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY s (entity_key, relation_key, scope, n)
CROSS JOIN LATERAL (
  SELECT value_type, value_v FROM facts
  WHERE tenant_id = $1 AND entity_key = s.entity_key AND relation_key = s.relation_key AND scope = s.scope
    AND confidence > 0 LIMIT 64) f`;

const INSERT_FACTS = `INSERT INTO facts (tenant_id, timestamp, timestamp_ms, id, entity, relation, entity_key, relation_key,
  value_type, value_v, source, hlc_wall, hlc_ctr, confidence, scope, valid_until, cid, asserted_by)
SELECT $1, $2, $3, * FROM unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
  $11::text[], $12::bigint[], $13::int[], $14::float8[], $15::text[], $16::text[], $17::text[], $18::text[])`;

const INSERT_AUDIT = `INSERT INTO audit (tenant_id, event_type, ts, id, entity_uri, fact_id, source)
SELECT $1, 'fact_write', $2, * FROM unnest($3::text[], $4::text[], $5::text[], $6::text[])`;

interface Waiting {
  readonly fact: CeilingFact;
  readonly resolve: (reply: string) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The same group commit on PostgreSQL: one connection, one transaction in flight, everything that arrived meanwhile in
 * the next. No decision lies between its statements, so that all of them leave in one write, the commit among them.
 */
export class PostgresGroupCommit implements CeilingStore {
  readonly #client: pg.Client;
  readonly #rows = new CeilingRows();
  #waiting: Waiting[] = [];
  #running = false;
  #stored = 0;
  #nextAnalysis = FIRST_ANALYSIS;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  /** Makes its tables in an empty database. */
  static async open(url: string): Promise<PostgresGroupCommit> {
    const client = new pg.Client({ connectionString: url, pipeline: true });
    await client.connect();
    await client.query(`${SETTINGS};${TABLES}`);
    return new PostgresGroupCommit(client);
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
      // Requests that arrived in the same turn of the event loop join the group.
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
    const rows = facts.map((fact) => this.#rows.make(fact, nowMs, timestamp));
    const { stream } = this.#client.connection;
    stream.cork();
    const sent = Promise.all([
      this.#client.query('BEGIN'),
      this.#prepared('siblings', SIBLINGS, tripleColumns(rows)),
      this.#prepared('facts', INSERT_FACTS, [TENANT, timestamp, nowMs, ...factColumns(rows)]),
      this.#prepared('audit', INSERT_AUDIT, [TENANT, timestamp, ...auditColumns(rows)]),
      this.#client.query('COMMIT'),
    ]);
    stream.uncork();
    const [, siblings] = await sent;
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
  TENANT,
  rows.map(({ entityKey }) => entityKey),
  rows.map(({ relationKey }) => relationKey),
  rows.map(({ fact }) => fact.scope),
];

const factColumns = (rows: readonly CeilingRow[]): unknown[][] => [
  rows.map(({ id }) => id),
  rows.map(({ fact }) => fact.entity),
  rows.map(({ fact }) => fact.relation),
  rows.map(({ entityKey }) => entityKey),
  rows.map(({ relationKey }) => relationKey),
  rows.map(({ fact }) => fact.value.type),
  rows.map(({ v }) => v),
  rows.map(({ fact }) => fact.source),
  rows.map(({ wallMs }) => wallMs),
  rows.map(({ counter }) => counter),
  rows.map(({ fact }) => fact.confidence),
  rows.map(({ fact }) => fact.scope),
  rows.map(({ validUntil }) => validUntil),
  rows.map(({ fact }) => fact.cid),
  rows.map(({ fact }) => fact.caller),
];

const auditColumns = (rows: readonly CeilingRow[]): unknown[][] => [
  rows.map(({ auditId }) => auditId),
  rows.map(({ fact }) => fact.caller),
  rows.map(({ id }) => id),
  rows.map(({ fact }) => fact.source),
];
