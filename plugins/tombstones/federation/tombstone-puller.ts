import { formatHlc, parseHlc } from '../../../kernel/internal-api.ts';
import {
  type Clock,
  type HeldLease,
  type Logger,
  type NodeSelf,
  openJson,
  type Row,
  type ServedTenants,
} from '../../../kernel/plugin-api.ts';
import { capabilityHeader } from '../../capability-tokens/capability-tokens-api.ts';
import type { PeerExchange, Peering } from '../../federation/federation-api.ts';
import { FOLLOWS, PARKED, SEALED_PARKED } from '../markers/marker-tables.ts';
import { MAX_SERVED, SERVED_PATH } from './serve-tombstones.ts';
import { type TakeParts, takeTombstones } from './take-tombstones.ts';

export interface PullerParts extends TakeParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly lease: HeldLease;
  readonly self: NodeSelf;
  readonly exchange: PeerExchange;
  readonly served: Pick<ServedTenants, 'resting'>;
}

const INTERVAL_MS = 30_000;
const LONGEST_PAUSE_MS = 900_000;
const MAX_PAGE_BYTES = 4 * 1024 * 1024;
/** The maximum number of pages of one peer per turn, so that other peers get theirs. */
const PAGES_PER_TURN = 20;
const FOLLOWED_AT_ONCE = 256;
const PARKED_AT_ONCE = 200;

interface Follow {
  readonly tenantId: string;
  readonly peerId: string;
  readonly capability: string;
  readonly cursor: string | null;
  readonly epoch: string | null;
  readonly failures: number;
}

/** Reads the tombstones of followed peers, in the one process that holds the lease. */
export const pullTombstones = async (parts: PullerParts): Promise<void> => {
  await parts.lease.whileHeld(async () => {
    const { tables, clock, served, log } = parts;
    const nowMs = clock.nowMs();
    const rows = await tables(FOLLOWS)
      // No pause is longer. A later time comes from a clock that was set back since.
      .where((row) => row.where('due_ms', '<=', nowMs).orWhere('due_ms', '>', nowMs + LONGEST_PAUSE_MS))
      .whereNotIn('tenant_id', [...served.resting])
      .orderBy('due_ms')
      .limit(FOLLOWED_AT_ONCE);
    for (const row of rows) {
      const follow = followOf(row);
      try {
        await pullFrom(follow, parts);
      } catch (error) {
        // Continues with the other peers if one always fails.
        log.warn('tombstones of a peer could not be taken', { peerId: follow.peerId, error });
        await pause(follow, 'the tombstones of the peer could not be taken', parts);
      }
    }
    if (rows.length > 0) await takeParked(parts);
  });
};

const followOf = (row: Row): Follow => ({
  tenantId: String(row['tenant_id']),
  peerId: String(row['peer_id']),
  capability: String(row['capability']),
  cursor: row['cursor'] as string | null,
  epoch: row['epoch'] as string | null,
  failures: Number(row['failures']),
});

const pullFrom = async (begun: Follow, parts: PullerParts): Promise<void> => {
  const { exchange, clock, tables } = parts;
  const { tenantId, peerId } = begun;
  const peering = await exchange.find(tenantId, peerId);
  const named = { tenant_id: tenantId, peer_id: peerId };
  if (peering?.status !== 'active') {
    // An operator has ended the peering, so that this is no failure.
    await tables(FOLLOWS)
      .where(named)
      .update({ due_ms: clock.nowMs() + INTERVAL_MS, last_error: null });
    return;
  }
  let follow = begun;
  for (let page = 0; page < PAGES_PER_TURN; page += 1) {
    const next = await takePage(follow, peering, parts);
    if (next === undefined) return;
    follow = next;
  }
};

/** Reads one page. Returns undefined at the end of the turn. */
const takePage = async (follow: Follow, peering: Peering, parts: PullerParts): Promise<Follow | undefined> => {
  const { exchange, clock, self, tables, log } = parts;
  const named = { tenant_id: follow.tenantId, peer_id: follow.peerId };
  const query = new URLSearchParams({ limit: String(MAX_SERVED), ...(follow.cursor && { since: follow.cursor }) });
  const reply = await exchange.ask(peering, `${SERVED_PATH}?${query}`, {
    headers: { [capabilityHeader(self.names)]: follow.capability },
    maxBytes: MAX_PAGE_BYTES,
  });
  const page = reply.kind === 'document' ? readPage(reply.document) : undefined;
  if (page === undefined) {
    const reason = reply.kind === 'failed' ? reply.reason : 'the peer sent a page that is no page';
    log.warn('tombstones of a peer could not be read', { peer: peering.nodeId, reason, failures: follow.failures + 1 });
    await pause(follow, reason, parts);
    return undefined;
  }
  // The peer has restored its store, so its tombstones are read from the start.
  if (follow.epoch !== null && page.epoch !== follow.epoch && follow.cursor !== null) {
    const due_ms = clock.nowMs() + INTERVAL_MS;
    await tables(FOLLOWS).where(named).update({ cursor: null, epoch: page.epoch, due_ms });
    return { ...follow, cursor: null, epoch: page.epoch };
  }
  const isFurther = page.cursor !== null && page.cursor !== follow.cursor;
  const hasMore = page.hasMore && isFurther;
  const place = {
    cursor: page.cursor ?? follow.cursor,
    epoch: page.epoch,
    failures: 0,
    last_error: null,
    // A turn reads further pages without a pause. After it, every peer waits for the same interval, even one that
    // always reports more.
    due_ms: clock.nowMs() + INTERVAL_MS,
  };
  await takeTombstones(page.tombstones, peering, parts, async (own) => {
    await own(FOLLOWS).where(named).update(place);
  });
  return hasMore ? { ...follow, cursor: place.cursor, epoch: page.epoch, failures: 0 } : undefined;
};

/** Postpones the next turn, longer after each consecutive failure. */
const pause = async (
  { tenantId, peerId, failures: before }: Follow,
  reason: string,
  { tables, clock }: Pick<PullerParts, 'tables' | 'clock'>,
): Promise<void> => {
  const failures = before + 1;
  const pauseMs = Math.min(LONGEST_PAUSE_MS, INTERVAL_MS * 2 ** Math.min(failures, 10));
  await tables(FOLLOWS)
    .where({ tenant_id: tenantId, peer_id: peerId })
    .update({ failures, last_error: reason, due_ms: clock.nowMs() + pauseMs });
};

const EPOCH = /^[\x21-\x7e]{1,128}$/;

const readPage = (document: unknown) => {
  if (typeof document !== 'object' || document === null) return undefined;
  const { tombstones, cursor, has_more: more, epoch } = document as Readonly<Record<string, unknown>>;
  if (!Array.isArray(tombstones) || tombstones.length > MAX_SERVED) return undefined;
  if (typeof epoch !== 'string' || !EPOCH.test(epoch)) return undefined;
  const stamp = typeof cursor === 'string' ? parseHlc(cursor) : null;
  if (cursor !== null && stamp === null) return undefined;
  const next = stamp === null ? null : formatHlc(stamp);
  return { tombstones: tombstones as readonly unknown[], cursor: next, hasMore: more === true, epoch };
};

/** Stores parked tombstones, once the keys of their issuers are known. */
const takeParked = async (parts: PullerParts): Promise<void> => {
  const { tables, served } = parts;
  // Iterates over all issuers, because one peer can send tombstones of any number of unknown issuers.
  for (let last: { readonly tenantId: string; readonly issuer: string } | undefined; ; ) {
    const query = tables(PARKED)
      .distinct('tenant_id', 'issuer')
      .whereNotIn('tenant_id', [...served.resting])
      .orderBy(['tenant_id', 'issuer'])
      .limit(FOLLOWED_AT_ONCE);
    if (last !== undefined) {
      const { tenantId, issuer } = last;
      query.where((later) =>
        later
          .where('tenant_id', '>', tenantId)
          .orWhere((same) => same.where('tenant_id', tenantId).where('issuer', '>', issuer)),
      );
    }
    const rows: Row[] = await query;
    const found = rows.map((row) => ({ tenantId: String(row['tenant_id']), issuer: String(row['issuer']) }));
    for (const id of new Set(found.map(({ tenantId }) => tenantId))) {
      const issuers = found.flatMap(({ tenantId, issuer }) => (tenantId === id ? [issuer] : []));
      for (const known of (await parts.exchange.withNodes(id, issuers)).values()) await takeOf(known, parts);
    }
    last = found.at(-1);
    if (rows.length < FOLLOWED_AT_ONCE) return;
  }
};

const takeOf = async (known: Peering, parts: PullerParts): Promise<void> => {
  const { tenantId, nodeId: issuer } = known;
  const keyIds = await keysOf(known, parts);
  if (keyIds.length === 0) return;
  const rows = await parts.tables.read(async (own) => {
    const found: Row[] = await own(PARKED)
      .where({ tenant_id: tenantId, issuer })
      .whereIn('key_id', keyIds)
      .orderBy('tombstone_id')
      .limit(PARKED_AT_ONCE);
    return own.parse(found, parkedOf);
  });
  for (const nodeId of new Set(rows.map(({ receivedFrom }) => receivedFrom))) {
    const some = rows.filter(({ receivedFrom }) => receivedFrom === nodeId);
    const documents = some.map(({ document }) => document);
    await takeTombstones(documents, { tenantId, nodeId }, parts, async (own) => {
      await own(PARKED)
        .where({ tenant_id: tenantId, issuer, received_from: nodeId })
        .whereIn(
          'tombstone_id',
          some.map(({ id }) => id),
        )
        .delete();
    });
  }
};

const parkedOf = (row: Row) => ({
  id: String(row['tombstone_id']),
  receivedFrom: String(row['received_from']),
  document: openJson<unknown>(SEALED_PARKED, row, 'document'),
});

/** Fetches the keys of a peer again, and returns their ids. Empty for a peer without a key. */
const keysOf = async (known: Peering, { exchange }: PullerParts): Promise<readonly string[]> =>
  known.keys.length === 0 ? [] : (await exchange.refreshKeys(known)).keys.map(({ keyId }) => keyId);
