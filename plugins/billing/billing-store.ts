import type { LedgerRange } from '../../kernel/internal-api.ts';
import {
  formatInstant,
  type PluginSnapshot,
  type PluginTables,
  type PluginTransaction,
  type ReadableTables,
} from '../../kernel/plugin-api.ts';
import type { GardenCreated } from '../gardens/gardens-api.ts';
import type { BillingEvent, BillingFilter, LedgerEvent } from './billing-api.ts';

/** Tag in the row of a fact that is charged for. */
export const BILLED = 'billing';
/** Events of gardens. A fact is its own event, so it has no row here. */
const GARDENS = 'billing_gardens';
const POSITIONS = 'billing_positions';
/** The maximum range of ledger numbers in which one call looks for undelivered events. */
export const NUMBERS_PER_LOOK = 10_000;

const EVENT_MEMBERS = ['number', 'writer', 'factId', 'gardenId', 'feed'] as const;

type TenantFilter = BillingFilter & { readonly tenantId: string };

type NewGarden = GardenCreated & { readonly transaction: PluginTransaction };

interface Page {
  readonly above?: number | undefined;
  readonly below?: number | undefined;
  readonly order: 'oldest' | 'newest';
  readonly limit: number;
}

/** The end of the delivered events of a tenant. */
interface Position {
  readonly seq: number;
  /** Number of the last delivered fact. */
  readonly facts: number;
}

/** Events after a position, and the position after their delivery. */
export interface Undelivered {
  readonly events: readonly LedgerEvent[];
  readonly from: Position;
  readonly to: Position;
  /** The highest number in the ledger. */
  readonly end: number;
}

/**
 * The charges, and the position of their delivery. A charged fact has a tag and is its own event. A garden has a row
 * with a number of the same ledger. So the numbers order the events of both kinds.
 */
export class BillingStore {
  readonly #tables: PluginTables;

  constructor(tables: PluginTables) {
    this.#tables = tables;
  }

  /** Adds the event of a garden that the transaction creates. */
  async addGarden({ gardenId, tenantId, createdBy, createdMs, transaction }: NewGarden): Promise<void> {
    // The node's stamps may be ahead of the time of day, and the event must not precede earlier facts.
    const { newest } = await transaction.ledgerHead(tenantId);
    const row = {
      tenant_id: tenantId,
      seq: await transaction.takeNumbers(1),
      entity_uri: createdBy,
      garden_id: gardenId,
      ts_ms: Math.max(createdMs, newest?.feed.wallMs ?? 0),
    };
    await this.#tables.in(transaction).insertRows(GARDENS, [row]);
  }

  /** Returns events with a number lower than `below`, newest first, that is, in descending order of numbers. */
  newestFirst(
    filter: TenantFilter,
    below: number | undefined,
    limit: number,
    snapshot: PluginSnapshot,
  ): Promise<LedgerEvent[]> {
    return this.#events(filter, { below, order: 'newest', limit }, snapshot);
  }

  async count(filter: TenantFilter, snapshot: PluginSnapshot): Promise<number> {
    const facts = await this.#countFacts(filter, snapshot);
    if (!asksFor(filter, 'garden_created')) return facts;
    const [row] = (await this.#gardensIn(filter, snapshot).count({ n: '*' })) as { n: number }[];
    return facts + Number(row?.n ?? 0);
  }

  /** Returns the oldest undelivered events of a tenant. Each call covers a limited part of the ledger. */
  undelivered(tenantId: string, limit: number): Promise<Undelivered> {
    return this.#tables.read(async (own, snapshot) => {
      const from = await positionIn(own, tenantId);
      const { number: end } = await snapshot.ledgerHead(tenantId);
      const isFar = end - from.seq > NUMBERS_PER_LOOK;
      const start = isFar ? await this.#passGap(tenantId, from.seq, end, snapshot) : from.seq;
      const last = Math.min(end, Math.floor(start) + NUMBERS_PER_LOOK);
      const range = { above: from.seq, below: last + 1, order: 'oldest' as const, limit };
      const events = await this.#events({ tenantId }, range, snapshot);
      const newest = events.at(-1)?.seq ?? from.seq;
      const seq = events.length < limit ? Math.max(newest, last) : newest;
      const facts = from.facts + events.filter(({ event }) => event.factId !== null).length;
      return { events, from, to: { seq, facts }, end };
    });
  }

  /**
   * Moves the position of a tenant from `from` to `to`. Does nothing if the position has moved since. Returns false for
   * an erased tenant, which has no position any more. Rejects if `confirm` rejects in the same transaction.
   */
  async advance(
    tenantId: string,
    { from, to }: Pick<Undelivered, 'from' | 'to'>,
    confirm: (transaction: PluginTransaction) => Promise<void>,
  ): Promise<boolean> {
    const isThere = await this.#tables.writeUnlessErased(tenantId, async (own, transaction) => {
      await confirm(transaction);
      const [row] = await own.select(POSITIONS, { tenant_id: tenantId });
      if (Number(row?.['seq'] ?? 0) !== from.seq) return true;
      if (row === undefined) await own.insertRows(POSITIONS, [{ tenant_id: tenantId, ...to }]);
      else await own(POSITIONS).where({ tenant_id: tenantId }).update(to);
      return true;
    });
    return isThere ?? false;
  }

  /** Returns every tenant with a ledger, and the highest number in it. */
  ledgerEnds(): Promise<readonly { readonly tenantId: string; readonly number: number }[]> {
    return this.#tables.read((_own, snapshot) => snapshot.ledgerEnds());
  }

  /** Skips unused numbers, because a ledger may have gaps of millions. */
  async #passGap(tenantId: string, seq: number, end: number, snapshot: PluginSnapshot): Promise<number> {
    const first = { order: 'oldest' as const, limit: 1 };
    const [fact] = await snapshot.ledger({ tenantId, above: Math.floor(seq), ...first, members: ['number'] });
    const [garden] = await this.#eventsOfGardens({ tenantId }, { above: seq, ...first }, snapshot);
    return Math.max(seq, Math.min(fact?.number ?? end + 1, garden?.seq ?? end + 1) - 1);
  }

  async #events(filter: TenantFilter, page: Page, snapshot: PluginSnapshot): Promise<LedgerEvent[]> {
    const [ofFacts, ofGardens] = await Promise.all([
      this.#eventsOfFacts(filter, page, snapshot),
      this.#eventsOfGardens(filter, page, snapshot),
    ]);
    if (ofGardens.length === 0) return ofFacts;
    const direction = page.order === 'oldest' ? 1 : -1;
    return [...ofFacts, ...ofGardens].sort((a, b) => direction * (a.seq - b.seq)).slice(0, page.limit);
  }

  async #eventsOfFacts(filter: TenantFilter, page: Page, snapshot: PluginSnapshot): Promise<LedgerEvent[]> {
    const range = await rangeOfFacts(filter, page, snapshot);
    if (range === undefined) return [];
    const entries = await snapshot.ledger({ ...range, order: page.order, limit: page.limit, members: EVENT_MEMBERS });
    return entries.map(({ number, writer, factId, gardenId, feed }) => ({
      seq: number,
      event: {
        eventType: 'fact_written',
        tenantId: filter.tenantId,
        entityUri: writer,
        factId,
        gardenId,
        ts: formatInstant(feed.wallMs),
      },
    }));
  }

  async #eventsOfGardens(filter: TenantFilter, page: Page, snapshot: PluginSnapshot): Promise<LedgerEvent[]> {
    if (!asksFor(filter, 'garden_created')) return [];
    const query = this.#gardensIn(filter, snapshot);
    if (page.above !== undefined) query.where('seq', '>', page.above);
    if (page.below !== undefined) query.where('seq', '<', page.below);
    const rows = await query.orderBy('seq', page.order === 'oldest' ? 'asc' : 'desc').limit(page.limit);
    return (rows as GardenRow[]).map(eventFromRow);
  }

  /**
   * Counts the facts of a filter. Without a filter, adds to the stored count of earlier facts, because a tenant may
   * have millions of events. With a filter, counts the matching facts within the range of the index or the time bounds.
   */
  async #countFacts(filter: TenantFilter, snapshot: PluginSnapshot): Promise<number> {
    const { tenantId, entityUri, sinceMs, untilMs } = filter;
    const isWhole = entityUri === undefined && sinceMs === undefined && untilMs === undefined;
    const { seq, facts } = isWhole ? await positionIn(this.#tables.in(snapshot), tenantId) : START;
    const range = await rangeOfFacts(filter, { above: isWhole ? seq : undefined }, snapshot);
    return range === undefined ? 0 : facts + (await snapshot.ledgerCount(range));
  }

  #gardensIn({ tenantId, entityUri, sinceMs, untilMs }: TenantFilter, snapshot: PluginSnapshot) {
    const query = this.#tables.in(snapshot)(GARDENS).where('tenant_id', tenantId);
    if (entityUri !== undefined) query.where('entity_uri', entityUri);
    if (sinceMs !== undefined) query.where('ts_ms', '>=', sinceMs);
    if (untilMs !== undefined) query.where('ts_ms', '<=', untilMs);
    return query;
  }
}

const START: Position = { seq: 0, facts: 0 };

const positionIn = async (own: ReadableTables, tenantId: string): Promise<Position> => {
  const [row] = await own.select(POSITIONS, { tenant_id: tenantId });
  return row === undefined ? START : { seq: Number(row['seq']), facts: Number(row['facts']) };
};

const asksFor = ({ eventType }: BillingFilter, kind: BillingEvent['eventType']): boolean =>
  eventType === undefined || eventType === kind;

/**
 * Returns the range of ledger numbers of the facts that match the filter; undefined if there is none. Instants can be
 * converted to numbers, because both have the same order. A bound may lie between two numbers: see migration 44.
 */
const rangeOfFacts = async (
  filter: TenantFilter,
  { above = 0, below = Number.POSITIVE_INFINITY }: Pick<Page, 'above' | 'below'>,
  snapshot: PluginSnapshot,
): Promise<LedgerRange | undefined> => {
  if (!asksFor(filter, 'fact_written')) return undefined;
  const { tenantId, entityUri, sinceMs, untilMs } = filter;
  const first = sinceMs === undefined ? 0 : await snapshot.ledgerNumberAt(tenantId, { wallMs: sinceMs, counter: 0 });
  const next =
    untilMs === undefined ? undefined : await snapshot.ledgerNumberAt(tenantId, { wallMs: untilMs + 1, counter: 0 });
  if (first === undefined) return undefined;
  const end = Math.min(Math.ceil(below), next ?? Number.POSITIVE_INFINITY);
  return {
    tenantId,
    tag: BILLED,
    writer: entityUri,
    above: Math.max(Math.floor(above), first - 1),
    below: Number.isFinite(end) ? end : undefined,
  };
};

interface GardenRow {
  readonly tenant_id: string;
  readonly seq: number;
  readonly entity_uri: string;
  readonly garden_id: string;
  readonly ts_ms: number;
}

const eventFromRow = (row: GardenRow): LedgerEvent => ({
  seq: row.seq,
  event: {
    eventType: 'garden_created',
    tenantId: row.tenant_id,
    entityUri: row.entity_uri,
    factId: null,
    gardenId: row.garden_id,
    ts: formatInstant(row.ts_ms),
  },
});
