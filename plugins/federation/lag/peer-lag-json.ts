import {
  COUNT_JSON,
  formatInstant,
  INSTANT_JSON,
  listOf,
  objectOf,
  orNull,
  SCOPES,
  STRING_JSON,
} from '../../../kernel/plugin-api.ts';
import type { InboundLag, OutboundLag, PeerLag } from '../federation-api.ts';
import { PEER_STATUSES } from '../peerings/peering.ts';

const SECONDS_JSON = { type: 'number', minimum: 0 } as const;

const INBOUND_JSON = objectOf({
  scope: { type: 'string', enum: [...SCOPES] },
  cursor: orNull(STRING_JSON),
  lag_facts: orNull(COUNT_JSON),
  lag_seconds: orNull(SECONDS_JSON),
  last_success: orNull(INSTANT_JSON),
  last_failure: orNull(INSTANT_JSON),
  last_error: orNull(STRING_JSON),
  failures: COUNT_JSON,
  next_pull: INSTANT_JSON,
  parked: COUNT_JSON,
});

const OUTBOUND_JSON = objectOf({
  scope: { type: 'string', enum: [...SCOPES, 'all'] },
  cursor: orNull(STRING_JSON),
  lag_facts: COUNT_JSON,
  lag_seconds: SECONDS_JSON,
  last_request: orNull(INSTANT_JSON),
});

export const PEER_LAG_JSON = objectOf({
  peer_id: STRING_JSON,
  node_id: STRING_JSON,
  status: { type: 'string', enum: [...PEER_STATUSES] },
  inbound: listOf(INBOUND_JSON),
  outbound: listOf(OUTBOUND_JSON),
  facts_today: COUNT_JSON,
  facts_per_day: orNull(COUNT_JSON),
  quarantined_until: orNull(INSTANT_JSON),
});

export const peerLagJson = (lag: PeerLag): Record<string, unknown> => ({
  peer_id: lag.peering.peerId,
  node_id: lag.peering.nodeId,
  status: lag.peering.status,
  inbound: lag.inbound.map(inboundJson),
  outbound: lag.outbound.map(outboundJson),
  facts_today: lag.addedToday,
  facts_per_day: lag.maxPerDay === 0 ? null : lag.maxPerDay,
  quarantined_until: instantOrNull(lag.quarantinedUntilMs),
});

const inboundJson = (lag: InboundLag): Record<string, unknown> => ({
  scope: lag.scope,
  cursor: lag.cursor,
  lag_facts: lag.facts,
  lag_seconds: lag.lagMs === null ? null : lag.lagMs / 1_000,
  last_success: instantOrNull(lag.lastOkMs),
  last_failure: instantOrNull(lag.lastFailureMs),
  last_error: lag.lastError,
  failures: lag.failures,
  next_pull: formatInstant(lag.nextPullMs),
  parked: lag.parked,
});

const outboundJson = (lag: OutboundLag): Record<string, unknown> => ({
  scope: lag.scope,
  cursor: lag.cursor,
  lag_facts: lag.facts,
  lag_seconds: lag.lagMs / 1_000,
  last_request: instantOrNull(lag.askedMs),
});

const instantOrNull = (ms: number | null): string | null => (ms === null ? null : formatInstant(ms));
