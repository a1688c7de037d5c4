import type { Knex } from 'knex';
import {
  type AppendedBatch,
  formatInstant,
  type PluginSnapshot,
  type PluginTables,
  type PluginTransaction,
  type ReadableTables,
  type Row,
  type SqlValue,
} from '../../kernel/plugin-api.ts';
import type { GardenCreated } from '../gardens/gardens-api.ts';
import type { BillingEvent, BillingFilter, LedgerEvent } from './billing-api.ts';

const EVENTS = 'billing_events';
const POSITIONS = 'billing_positions';

type StoredFilter = BillingFilter & { readonly tenantId: string };

type NewGarden = GardenCreated & { readonly transaction: PluginTransaction };

/** The ledger, and how far each tenant's part of it was delivered. */
export class BillingStore {
  readonly #tables: PluginTables;

  constructor(tables: PluginTables) {
    this.#tables = tables;
  }

  /** One event for each fact that a client wrote, with one statement for the whole batch. */
  async addFacts({ facts, transaction }: AppendedBatch): Promise<void> {
    const rows: Row[] = [];
    for (const { fact, caller, origin } of facts) {
      if (origin !== 'client') continue;
      rows.push({
        tenant_id: fact.tenantId,
        event_type: 'fact_written',
        entity_uri: caller.entityUri,
        fact_id: fact.id,
        garden_id: fact.gardenId,
        // The wall part of the node's clock never goes back, unlike physical time, so numbers and instants have one
        // order.
        ts_ms: fact.feed.wallMs,
      });
    }
    if (rows.length > 0) await this.#tables.in(transaction).insertRows(EVENTS, rows);
  }

  /** One event for a garden that the transaction creates. */
  async addGarden({ gardenId, tenantId, createdBy, createdMs, transaction }: NewGarden): Promise<void> {
    // A stamp of the node may be ahead of physical time, and the event must not precede those of facts.
    const newest = await transaction.head();
    const row = {
      tenant_id: tenantId,
      event_type: 'garden_created',
      entity_uri: createdBy,
      fact_id: null,
      garden_id: gardenId,
      ts_ms: Math.max(createdMs, newest?.wallMs ?? 0),
    };
    await this.#tables.in(transaction).insertRows(EVENTS, [row]);
  }

  /** Events before the position, newest first: numbers fall, and instants with them. */
  async newestFirst(
    filter: StoredFilter,
    after: number | undefined,
    limit: number,
    snapshot: PluginSnapshot,
  ): Promise<LedgerEvent[]> {
    const query = this.#matching(filter, snapshot).orderBy('seq', 'desc').limit(limit);
    if (after !== undefined) query.where('seq', '<', after);
    return eventsOf(await query);
  }

  async count(filter: StoredFilter, snapshot: PluginSnapshot): Promise<number> {
    const [row] = (await this.#matching(filter, snapshot).count({ n: '*' })) as { n: number | string }[];
    return Number(row?.n ?? 0);
  }

  /** A tenant's oldest events that were not delivered. */
  undelivered(tenantId: string, limit: number): Promise<LedgerEvent[]> {
    return this.#tables.read(async (own) => {
      const [position] = await own.select(POSITIONS, { tenant_id: tenantId });
      const query = own(EVENTS)
        .where('tenant_id', tenantId)
        .where('seq', '>', Number(position?.['seq'] ?? 0));
      return eventsOf(await query.orderBy('seq').limit(limit));
    });
  }

  /**
   * Marks a tenant's events up to `seq` as delivered, unless `confirm` rejects in the same transaction. The position
   * never goes back.
   */
  advance(tenantId: string, seq: number, confirm: (transaction: PluginTransaction) => Promise<void>): Promise<void> {
    return this.#tables.write(tenantId, async (own, transaction) => {
      await confirm(transaction);
      const [position] = await own.select(POSITIONS, { tenant_id: tenantId });
      if (position === undefined) await own.insertRows(POSITIONS, [{ tenant_id: tenantId, seq }]);
      else if (Number(position['seq']) < seq) await own(POSITIONS).where({ tenant_id: tenantId }).update({ seq });
    });
  }

  /** Number of the newest event of all, 0 while there is none. */
  newest(): Promise<number> {
    return this.#tables.read(newestIn);
  }

  /** Tenants with events after the number, and the newest number. */
  newsAfter(seq: number): Promise<{ readonly tenantIds: readonly string[]; readonly newest: number }> {
    return this.#tables.read(async (own) => {
      const newest = await newestIn(own);
      if (newest <= seq) return { tenantIds: [], newest };
      const rows = (await own(EVENTS).where('seq', '>', seq).distinct('tenant_id')) as { tenant_id: string }[];
      return { tenantIds: rows.map(({ tenant_id }) => tenant_id), newest };
    });
  }

  /**
   * Returns every tenant with events. Asks the index for one after another; a list of distinct values would read all of
   * it.
   */
  tenants(): Promise<string[]> {
    return this.#tables.read(async (own) => {
      const tenants: string[] = [];
      for (;;) {
        const query = own(EVENTS).min({ next: 'tenant_id' });
        const last = tenants.at(-1);
        if (last !== undefined) query.where('tenant_id', '>', last);
        const [row] = (await query) as { next: string | null }[];
        if (row?.next == null) return tenants;
        tenants.push(row.next);
      }
    });
  }

  #matching(filter: StoredFilter, snapshot: PluginSnapshot): Knex.QueryBuilder {
    const query = this.#tables.in(snapshot)(EVENTS).where('tenant_id', filter.tenantId);
    if (filter.eventType !== undefined) query.where('event_type', filter.eventType);
    if (filter.entityUri !== undefined) query.where('entity_uri', filter.entityUri);
    if (filter.sinceMs !== undefined) query.where('ts_ms', '>=', filter.sinceMs);
    if (filter.untilMs !== undefined) query.where('ts_ms', '<=', filter.untilMs);
    return query;
  }
}

const newestIn = async (own: ReadableTables): Promise<number> => {
  const [row] = (await own(EVENTS).max({ newest: 'seq' })) as { newest: number | null }[];
  return Number(row?.newest ?? 0);
};

const eventsOf = (rows: unknown): LedgerEvent[] => (rows as Record<string, SqlValue>[]).map(eventFromRow);

const eventFromRow = (row: Readonly<Record<string, SqlValue>>): LedgerEvent => {
  const tsMs = Number(row['ts_ms']);
  return {
    seq: Number(row['seq']),
    event: {
      eventType: row['event_type'] as BillingEvent['eventType'],
      tenantId: String(row['tenant_id']),
      entityUri: String(row['entity_uri']),
      factId: row['fact_id'] == null ? null : String(row['fact_id']),
      gardenId: row['garden_id'] == null ? null : String(row['garden_id']),
      ts: formatInstant(tsMs),
    },
  };
};
