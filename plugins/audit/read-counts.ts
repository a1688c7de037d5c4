import { portions } from '../../kernel/internal-api.ts';
import {
  coalesce,
  type Logger,
  type PluginSnapshot,
  type PluginTables,
  type Principal,
  type Row,
  ServiceError,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import type { ReadsPosition } from './audit-api.ts';
import type { StoredFilter } from './matching-entries.ts';

/** The table of reads by day, entity and key. Reads leave no entry, because they are many. */
export const READS_TABLE = 'audit_reads';

const DAY_MS = 86_400_000;
const KEY = ['tenant_id', 'day', 'entity_uri', 'key_id'] as const;
/** The number of rows that one statement writes. */
const ROWS_AT_ONCE = 200;

/** The reads of an entity on a day with a key. */
export interface DayReads extends ReadsPosition {
  readonly reads: number;
}

export interface ReadCountsParts {
  readonly tables: PluginTables;
  readonly clock: { nowMs(): number };
  readonly log: Logger;
}

/**
 * Counts requests that read facts, in memory, and adds the counts to the store from time to time. A crash loses those
 * since the last time. A connection lost during a commit may lose them too: counts of an unknown commit are dropped,
 * so that none counts twice.
 */
export class ReadCounts {
  readonly #parts: ReadCountsParts;
  /** The reads that are not stored yet, by tenant and then by day, entity and key. */
  #waiting = new Map<string, Map<string, DayReads>>();
  /** Adds the counts to the store. Never rejects: what cannot be stored waits for the next time. */
  readonly settle = coalesce(() => this.#storeAll());

  constructor(parts: ReadCountsParts) {
    this.#parts = parts;
  }

  count({ tenantId, entityUri, keyId }: Pick<Principal, 'tenantId' | 'entityUri' | 'keyId'>): void {
    this.#add(tenantId, { day: dayOf(this.#parts.clock.nowMs()), entityUri, keyId: keyId ?? '', reads: 1 });
  }

  #add(tenantId: string, one: DayReads): void {
    const own = this.#waiting.get(tenantId) ?? new Map<string, DayReads>();
    this.#waiting.set(tenantId, own);
    const place = placeOf(one);
    own.set(place, { ...one, reads: one.reads + (own.get(place)?.reads ?? 0) });
  }

  async #storeAll(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = new Map();
    for (const [tenantId, counts] of waiting) {
      try {
        await this.#store(tenantId, [...counts.values()]);
      } catch (error) {
        const isUnknown = error instanceof ServiceError && error.code === 'commit_unknown';
        const fate = isUnknown ? 'may be lost' : 'could not be stored; they are added later';
        this.#parts.log.warn(`counts of reads ${fate}`, { error });
        if (isUnknown) continue;
        for (const one of counts.values()) this.#add(tenantId, one);
      }
    }
  }

  /** Stores nothing for an erased tenant, whose counts go with it. */
  #store(tenantId: string, counts: readonly DayReads[]): Promise<void> {
    return this.#parts.tables.writeUnlessErased(tenantId, async (own) => {
      for (const some of portions(counts, ROWS_AT_ONCE)) await addRows(own, tenantId, some);
    });
  }

  /** Returns rows of a filter, newest day first. A filter by members that reads do not have matches no row. */
  async page(
    filter: StoredFilter,
    { after, limit }: { readonly after: ReadsPosition | undefined; readonly limit: number },
    snapshot: PluginSnapshot,
  ): Promise<readonly DayReads[]> {
    const { tenantId, ownedBy, entityUri, sinceMs, untilMs, source, factId, oidcSub, attested, event } = filter;
    if ([source, factId, oidcSub, attested, event].some((member) => member !== undefined)) return [];
    const query = this.#parts.tables.in(snapshot)(READS_TABLE).where({ tenant_id: tenantId });
    if (ownedBy !== undefined) query.where('entity_uri', ownedBy);
    if (entityUri !== undefined) query.where('entity_uri', entityUri);
    if (sinceMs !== undefined) query.where('day', '>=', dayOf(sinceMs));
    if (untilMs !== undefined) query.where('day', '<=', dayOf(untilMs));
    if (after !== undefined) {
      const { day, entityUri: entity, keyId } = after;
      query.where((later) => {
        later
          .where('day', '<', day)
          .orWhere((same) => same.where('day', day).where('entity_uri', '>', entity))
          .orWhere((same) => same.where({ day, entity_uri: entity }).where('key_id', '>', keyId));
      });
    }
    const order = [{ column: 'day', order: 'desc' }, { column: 'entity_uri' }, { column: 'key_id' }];
    return ((await query.orderBy(order).limit(limit)) as readonly Row[]).map(readsOf);
  }
}

const addRows = async (own: WritableTables, tenantId: string, counts: readonly DayReads[]): Promise<void> => {
  const rows: readonly Row[] = await own(READS_TABLE)
    .where({ tenant_id: tenantId })
    .whereIn('day', [...new Set(counts.map(({ day }) => day))])
    .whereIn('entity_uri', [...new Set(counts.map(({ entityUri }) => entityUri))]);
  const stored = new Map(rows.map((row) => [placeOf(readsOf(row)), readsOf(row).reads]));
  const sums = counts.map((one) => ({
    tenant_id: tenantId,
    day: one.day,
    entity_uri: one.entityUri,
    key_id: one.keyId,
    reads: one.reads + (stored.get(placeOf(one)) ?? 0),
  }));
  await own(READS_TABLE)
    .insert(sums)
    .onConflict([...KEY])
    .merge();
};

/** Deletes the counts of the days that ended before an instant. */
export const deleteReadsBefore = async (own: WritableTables, tenantId: string, ms: number): Promise<void> => {
  await own(READS_TABLE).where({ tenant_id: tenantId }).where('day', '<', dayOf(ms)).delete();
};

const placeOf = ({ day, entityUri, keyId }: ReadsPosition): string => JSON.stringify([day, entityUri, keyId]);

const readsOf = (row: Row): DayReads => ({
  day: String(row['day']),
  entityUri: String(row['entity_uri']),
  keyId: String(row['key_id']),
  reads: Number(row['reads']),
});

const dayOf = (ms: number): string => new Date(Math.floor(ms / DAY_MS) * DAY_MS).toISOString().slice(0, 10);
