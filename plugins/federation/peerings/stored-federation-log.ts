import { RejectionWindows, soundRows, textOrNull } from '../../../kernel/internal-api.ts';
import {
  type Clock,
  openJson,
  type PluginTables,
  type PluginTransaction,
  type Random,
  type Row,
  type SealedColumns,
  sealJson,
} from '../../../kernel/plugin-api.ts';
import type { AuditEntry, AuditEvent, AuditLog } from '../../audit/audit-api.ts';
import { FEDERATION_INTEGRITY_REJECTED } from '../../facts/facts-api.ts';
import {
  FEDERATION_CONNECT,
  PEER_APPROVED,
  PEER_HLC_ANOMALY,
  REPLAY_ATTEMPT,
  REPLAY_REJECTED,
  VALID_UNTIL_EXTENSION_REJECTED,
} from '../federation-events.ts';
import type {
  FederationEntry,
  FederationEntryFilter,
  FederationEntryPosition,
  FederationEvent,
  FederationLog,
} from './federation-log.ts';
import { EVENTS_TABLE } from './peering-tables.ts';

export const SEALED = {
  table: EVENTS_TABLE,
  key: ['tenant_id', 'id'],
  columns: ['detail'],
} as const satisfies SealedColumns;

/** How long an event is kept. The audit log has those that matter longer, with a retention of its own. */
const EVENT_LIFE_MS = 90 * 24 * 3_600_000;
/** The number of events that one transaction deletes. */
const EVENTS_PER_PIECE = 1_000;
const PIECES = 100;

export interface FederationLogParts {
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly random: Random;
  readonly audit: AuditLog | undefined;
}

/** The node's audit log records these events too, under the mapped names. */
const IN_AUDIT_LOG: ReadonlyMap<AuditEvent, AuditEvent> = new Map([
  [PEER_APPROVED, FEDERATION_CONNECT],
  [REPLAY_ATTEMPT, REPLAY_REJECTED],
  [PEER_HLC_ANOMALY, PEER_HLC_ANOMALY],
  [FEDERATION_INTEGRITY_REJECTED, FEDERATION_INTEGRITY_REJECTED],
  [VALID_UNTIL_EXTENSION_REJECTED, VALID_UNTIL_EXTENSION_REJECTED],
]);

export class StoredFederationLog implements FederationLog {
  readonly #parts: FederationLogParts;
  readonly #windows = new RejectionWindows();

  constructor(parts: FederationLogParts) {
    this.#parts = parts;
  }

  async record(events: readonly FederationEvent[], transaction?: PluginTransaction): Promise<void> {
    if (events.length === 0) return;
    const { tables } = this.#parts;
    if (transaction !== undefined) return this.#add(events, transaction);
    for (const [tenantId, own] of byTenant(events, ({ tenantId: id }) => id)) {
      await tables.write(tenantId, (_tables, apart) => this.#add(own, apart));
    }
  }

  recordRejections(events: readonly FederationEvent[]): Promise<void> {
    const nowMs = this.#parts.clock.monotonicMs();
    return this.record(
      events.flatMap((event) => {
        const { tenantId, peerId } = event;
        return this.#windows.admit([tenantId, peerId, event.event.id], event, nowMs) ?? [];
      }),
    );
  }

  /** Deletes events that are too old, at most 100,000 of them. */
  async deleteOld(): Promise<void> {
    const { tables, clock } = this.#parts;
    const before = clock.nowMs() - EVENT_LIFE_MS;
    for (let piece = 0; piece < PIECES; piece += 1) {
      const query = tables(EVENTS_TABLE).where('ts_ms', '<', before).limit(EVENTS_PER_PIECE);
      const old: readonly Row[] = await query.select('tenant_id', 'id');
      for (const [tenantId, rows] of byTenant(old, ({ tenant_id: id }) => String(id))) {
        const ids = rows.map(({ id }) => String(id));
        await tables(EVENTS_TABLE).where('tenant_id', tenantId).whereIn('id', ids).delete();
      }
      if (old.length < EVENTS_PER_PIECE) return;
    }
  }

  /** Returns entries, newest first. */
  async entries(
    tenantId: string,
    { peerId, event }: FederationEntryFilter,
    { after, limit }: { readonly after?: FederationEntryPosition | undefined; readonly limit: number },
  ): Promise<{ readonly entries: readonly FederationEntry[]; readonly more: boolean }> {
    return this.#parts.tables.read(async (own) => {
      const page = async (place: FederationEntryPosition | undefined, count: number): Promise<readonly Row[]> => {
        const query = own(EVENTS_TABLE).where('tenant_id', tenantId);
        query.orderBy('ts_ms', 'desc').orderBy('id', 'desc').limit(count);
        if (peerId !== undefined) query.where('peer_id', peerId);
        if (event !== undefined) query.where('event_type', event);
        if (place !== undefined) {
          query.where('ts_ms', '<=', place.tsMs);
          query.whereNot((tie) => tie.where('ts_ms', place.tsMs).where('id', '>=', place.id));
        }
        return query;
      };
      const entries = await soundRows<Row, FederationEntry>(
        limit + 1,
        (last, count) => page(last === undefined ? after : positionOf(last), count),
        (rows) => own.parse(rows, entryFromRow),
      );
      return { entries: entries.slice(0, limit), more: entries.length > limit };
    });
  }

  async #add(events: readonly FederationEvent[], transaction: PluginTransaction): Promise<void> {
    const { tables, clock, random, audit } = this.#parts;
    const tsMs = clock.nowMs();
    const rows = events.map(({ tenantId, peerId, event, detail }) => ({
      tenant_id: tenantId,
      id: random.uuid(),
      peer_id: peerId,
      event_type: event.id,
      detail: sealJson(detail ?? null),
      ts_ms: tsMs,
    }));
    await tables.in(transaction).insertRows(EVENTS_TABLE, rows);
    await audit?.record(
      events.flatMap((event) => auditEntry(event) ?? []),
      transaction,
    );
  }
}

const byTenant = <T>(all: readonly T[], tenantOf: (one: T) => string): ReadonlyMap<string, readonly T[]> => {
  const tenantIds = new Set(all.map(tenantOf));
  return new Map([...tenantIds].map((id) => [id, all.filter((one) => tenantOf(one) === id)]));
};

const auditEntry = ({ tenantId, peerId, nodeId, event, detail }: FederationEvent): AuditEntry | undefined => {
  const named = IN_AUDIT_LOG.get(event);
  if (named === undefined) return undefined;
  return { event: named, tenantId, entityUri: nodeId ?? '', detail: { ...detail, peer_id: peerId } };
};

const positionOf = (row: Row): FederationEntryPosition => ({ tsMs: Number(row['ts_ms']), id: String(row['id']) });

const entryFromRow = (row: Row): FederationEntry => ({
  id: String(row['id']),
  peerId: textOrNull(row['peer_id']),
  event: String(row['event_type']),
  detail: openJson<FederationEntry['detail']>(SEALED, row, 'detail'),
  tsMs: Number(row['ts_ms']),
});
