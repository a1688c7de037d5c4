import { formatHlc, hasForbiddenCodePoint } from '../../../kernel/internal-api.ts';
import {
  all,
  type Clock,
  type FactReader,
  type Facts,
  type NodeSelf,
  type PluginSnapshot,
  type PluginTables,
  type ReadableTables,
  requirePermission,
  ServiceError,
} from '../../../kernel/plugin-api.ts';
import { FEDERATE } from '../../keys/keys-api.ts';
import type { InboundLag, OutboundLag, PeerLag, PeerLags } from '../federation-api.ts';
import { peerPrincipal } from '../ingest/peer-principal.ts';
import type { PeerUsages } from '../ingest/peer-usage.ts';
import { inboundScopes, outboundScopes, type Peering } from '../peerings/peering.ts';
import type { Peerings } from '../peerings/peerings.ts';
import type { ParkedFacts } from '../pulling/parked-facts.ts';
import type { PullStore } from '../pulling/pull-store.ts';
import { eligibleFor } from '../serving/eligible-facts.ts';
import { stampBehind } from '../serving/read-page.ts';
import type { ServedCursor, ServedCursors } from '../serving/served-cursors.ts';

export interface LagParts {
  readonly tables: PluginTables;
  readonly facts: Facts;
  readonly clock: Clock;
  readonly self: NodeSelf;
  readonly peerings: Pick<Peerings, 'get'>;
  readonly store: PullStore;
  readonly parked: ParkedFacts;
  readonly usages: PeerUsages;
  readonly servedCursors: Pick<ServedCursors, 'of'>;
  readonly maxFactsPerDay: number;
}

/** The maximum number of feed entries that are searched for missing facts. It limits the cost of one request. */
const COUNTED_ENTRIES = 10_000;

export const createPeerLags = (parts: LagParts): PeerLags => ({
  async of(caller, peerId) {
    requirePermission(caller, FEDERATE);
    // An id with such characters cannot be stored, and PostgreSQL rejects a query for it.
    const peering = hasForbiddenCodePoint(peerId) ? undefined : await parts.peerings.get(peerId);
    if (peering === undefined || peering.tenantId !== caller.tenantId) {
      throw new ServiceError('lookup', 'no such peer');
    }
    return lagOf(peering, parts);
  },
});

const lagOf = async (peering: Peering, parts: LagParts): Promise<PeerLag> => {
  const { facts, tables, usages, clock, maxFactsPerDay } = parts;
  const pulls = await parts.store.all(inboundScopes(peering).size === 0 ? [] : [peering]);
  // Reads with the rights of the peer, so that facts hidden from the peer do not count.
  return facts.read(peerPrincipal(peering, outboundScopes(peering)), 'export', async (reader) => {
    const { snapshot } = reader;
    const own = tables.in(snapshot as PluginSnapshot);
    const parked = await parts.parked.counts(peering, snapshot);
    const nowMs = clock.nowMs();
    const inbound = pulls.map(
      (row): InboundLag => ({
        scope: row.scope,
        cursor: row.cursor,
        facts: row.remaining,
        lagMs: row.caughtUpMs === null ? null : Math.max(0, nowMs - row.caughtUpMs),
        lastOkMs: row.lastOkMs,
        lastFailureMs: row.lastFailureMs,
        lastError: row.lastError,
        failures: row.failures,
        nextPullMs: Math.max(row.dueMs, nowMs),
        parked: parked.get(row.scope) ?? 0,
      }),
    );
    const { addedToday, quarantinedUntilMs } = await usages.read(peering, nowMs, snapshot);
    return {
      peering,
      inbound,
      outbound: await outboundLags(peering, reader, own, parts),
      addedToday,
      maxPerDay: maxFactsPerDay,
      quarantinedUntilMs,
    };
  });
};

const outboundLags = async (
  peering: Peering,
  reader: FactReader,
  own: ReadableTables,
  parts: LagParts,
): Promise<OutboundLag[]> => {
  const granted = [...outboundScopes(peering)];
  const asked = new Map((await parts.servedCursors.of(own, peering)).map((served) => [served.scope, served]));
  const everything = asked.get('all');
  const lags: OutboundLag[] = [];
  for (const scope of granted) {
    const served = asked.get(scope);
    if (served === undefined && everything !== undefined) continue;
    lags.push(await outboundLag({ scope, served, peering, reader }, parts));
  }
  if (everything !== undefined && granted.length > 0) {
    lags.push(await outboundLag({ scope: 'all', served: everything, peering, reader }, parts));
  }
  return lags;
};

interface OutboundQuestion {
  readonly scope: ServedCursor['scope'];
  readonly served: ServedCursor | undefined;
  readonly peering: Peering;
  readonly reader: FactReader;
}

const outboundLag = async (
  { scope, served, peering, reader }: OutboundQuestion,
  { self, clock }: LagParts,
): Promise<OutboundLag> => {
  const { snapshot } = reader;
  const { tenantId, nodeId } = peering;
  const known = {
    scope,
    cursor: served === undefined ? null : formatHlc(served.cursor),
    askedMs: served?.askedMs ?? null,
  };
  const after = served?.cursor ?? { wallMs: 0, counter: 0 };
  const first = await snapshot.ledgerNumberAt(tenantId, stampBehind(after));
  if (first === undefined) return { ...known, facts: 0, lagMs: 0 };
  const scopes = scope === 'all' ? outboundScopes(peering) : new Set([scope]);
  const filter = all(await reader.constraint('visible'), eligibleFor({ nodeId, scopes }, self.nodeId));
  const range = { tenantId, above: first - 1, below: first + COUNTED_ENTRIES, filter };
  const facts = await snapshot.ledgerCount(range);
  if (facts === 0) return { ...known, facts, lagMs: 0 };
  const [oldest] = await snapshot.ledger({ ...range, order: 'oldest', limit: 1, members: ['feed'] });
  const lagMs = oldest === undefined ? 0 : Math.max(0, clock.nowMs() - oldest.feed.wallMs);
  return { ...known, facts, lagMs };
};
