import {
  compareHlc,
  type Hlc,
  type LedgerEntry,
  type Migration,
  type MigrationData,
  type MigrationSchema,
  type Row,
} from '../../kernel/plugin-api.ts';
import { FACT_WRITE } from './audit-api.ts';
import { ENTRIES_TABLE } from './entry-rows.ts';

/** The table that takes the place of the old one. */
const NEXT_TABLE = 'audit_entries_next';
/** Of each tenant the last row that was looked at, and the number of its entry. */
const PLACES_TABLE = 'audit_entries_places';

const ROWS_A_STEP = 2_000;

/**
 * Leaves out the entries of facts, which the ledger holds. The other rows get the numbers that the ledger has left free
 * for them, so that entries of both kinds stay in their order. No number becomes lower, because clients keep numbers
 * as the place up to which they have read.
 */
export const separateEntries: Migration = {
  number: 43,
  name: 'audit_without_facts',
  async prepare({ schema, data, tables }, progress) {
    if (!(await tables()).includes(NEXT_TABLE)) await createTables(schema);
    const from = await highest(data, PLACES_TABLE);
    const rows: Row[] = await data.table(ENTRIES_TABLE).where('seq', '>', from).orderBy('seq').limit(ROWS_A_STEP);
    await moveRows(rows, data);
    const reached = rows.at(-1)?.['seq'];
    if (reached !== undefined) progress(Number(reached), await highest(data, ENTRIES_TABLE), 'audit entries');
    return rows.length < ROWS_A_STEP;
  },
  async up(migration) {
    await migration.schema.dropTable(ENTRIES_TABLE).dropTable(PLACES_TABLE).renameTable(NEXT_TABLE, ENTRIES_TABLE);
    await migration.schema.alterTable(ENTRIES_TABLE, (table) => {
      table.index(['tenant_id', 'ts_ms'], 'audit_entries_time');
      table.index(['tenant_id', 'entity_uri', 'ts_ms'], 'audit_entries_entity');
    });
    await migration.raw(
      'CREATE INDEX audit_entries_fact ON audit_entries (tenant_id, fact_id, ts_ms) WHERE fact_id IS NOT NULL',
    );
  },
};

const createTables = async (schema: MigrationSchema['schema']): Promise<void> => {
  await schema
    .createTable(NEXT_TABLE, (table) => {
      table.text('tenant_id').notNullable();
      table.bigInteger('seq').notNullable();
      table.text('id').notNullable();
      table.text('event_type').notNullable();
      table.text('entity_uri').notNullable();
      table.text('oidc_sub');
      table.text('fact_id');
      table.text('source').notNullable();
      table.text('attested_key_id');
      table.bigInteger('ts_ms').notNullable();
      table.text('detail');
      table.primary(['tenant_id', 'seq'], 'audit_entries_key');
    })
    .createTable(PLACES_TABLE, (table) => {
      table.text('tenant_id').primary();
      table.bigInteger('seq').notNullable();
      table.bigInteger('number').notNullable();
    });
};

const highest = async (data: MigrationData, table: string): Promise<number> => {
  const [seq] = await data.table(table).orderBy('seq', 'desc').limit(1).pluck('seq');
  return Number(seq ?? 0);
};

/** Moves rows that follow each other in the log of the node. */
const moveRows = async (rows: readonly Row[], data: MigrationData): Promise<void> => {
  const byTenant = new Map<string, Row[]>();
  for (const row of rows) {
    const tenantId = String(row['tenant_id']);
    const own = byTenant.get(tenantId);
    if (own === undefined) byTenant.set(tenantId, [row]);
    else own.push(row);
  }
  const tenantIds = [...byTenant.keys()];
  if (tenantIds.length === 0) return;
  const known = await data.select(PLACES_TABLE, { tenant_id: tenantIds });
  const numbers = new Map(known.map((place) => [String(place['tenant_id']), Number(place['number'])]));
  const kept: Row[] = [];
  const places: Row[] = [];
  for (const [tenantId, own] of byTenant) {
    const last = await renumber(own, { tenantId, number: numbers.get(tenantId) ?? 0, data, kept });
    places.push({ tenant_id: tenantId, seq: Number(own.at(-1)?.['seq']), number: last });
  }
  if (kept.length > 0) await data.insertRows(NEXT_TABLE, kept);
  await data.table(PLACES_TABLE).whereIn('tenant_id', tenantIds).delete();
  await data.insertRows(PLACES_TABLE, places);
};

interface Renumbering {
  readonly tenantId: string;
  /** Of the entry before. */
  readonly number: number;
  readonly data: MigrationData;
  /** Takes the rows of entries that are not of facts. */
  readonly kept: Row[];
}

/** Returns the number of the last entry. */
const renumber = async (rows: readonly Row[], { tenantId, number, data, kept }: Renumbering): Promise<number> => {
  const ledger = new LedgerWalk(tenantId, number, data, rows.length + 1);
  let last = number;
  for (const row of rows) {
    if (row['event_type'] === FACT_WRITE.id) {
      const stamp = { wallMs: Number(row['feed_wall']), counter: Number(row['feed_ctr']) };
      last = (await ledger.passFact(stamp)) ?? last;
    } else {
      last = await ledger.freeNumber(Math.max(last + 1, Number(row['seq'])));
      kept.push(keptRow(row, last));
    }
  }
  return last;
};

const keptRow = ({ seq: _, feed_wall: _wall, feed_ctr: _counter, ...row }: Row, seq: number): Row => ({
  ...row,
  seq,
});

type NumberedFact = Pick<LedgerEntry, 'number' | 'feed'>;

/** Goes through the ledger of a tenant, upwards from a number. */
class LedgerWalk {
  readonly #tenantId: string;
  readonly #data: MigrationData;
  readonly #pageSize: number;
  #above: number;
  #page: readonly NumberedFact[] | undefined;
  #place = 0;

  constructor(tenantId: string, above: number, data: MigrationData, pageSize: number) {
    this.#tenantId = tenantId;
    this.#above = above;
    this.#data = data;
    this.#pageSize = pageSize;
  }

  /** Goes past the fact with this feed stamp, and returns its number. */
  async passFact(stamp: Hlc): Promise<number | undefined> {
    let next = await this.#next();
    while (next !== undefined && compareHlc(next.feed, stamp) < 0) next = await this.#pass(next);
    if (next === undefined || compareHlc(next.feed, stamp) > 0) return undefined;
    await this.#pass(next);
    return next.number;
  }

  /** The first number from this one on that no fact has. */
  async freeNumber(from: number): Promise<number> {
    let free = from;
    for (let next = await this.#next(); next !== undefined && next.number <= free; next = await this.#pass(next)) {
      if (next.number === free) free += 1;
    }
    return free;
  }

  async #next(): Promise<NumberedFact | undefined> {
    if (this.#page === undefined || (this.#place === this.#page.length && this.#place > 0)) {
      const query = { tenantId: this.#tenantId, above: this.#above, limit: this.#pageSize };
      this.#page = await this.#data.ledger({ ...query, order: 'oldest', members: ['number', 'feed'] });
      this.#place = 0;
    }
    return this.#page[this.#place];
  }

  #pass({ number }: NumberedFact): Promise<NumberedFact | undefined> {
    this.#above = number;
    this.#place += 1;
    return this.#next();
  }
}
