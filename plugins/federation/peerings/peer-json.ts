import {
  BOOLEAN_JSON,
  CURSOR_JSON,
  formatInstant,
  INSTANT_JSON,
  listOf,
  objectOf,
  orNull,
  SCOPES,
  STRING_JSON,
  sha256Hex,
} from '../../../kernel/plugin-api.ts';
import type { PeerRegistry } from '../federation-api.ts';
import type { FederationEntry } from './federation-log.ts';
import { type Declaration, DIRECTIONS, mayEndOthers, PEER_STATUSES, type Peering } from './peering.ts';
import { namedScopes } from './peering-changes.ts';

const GRANT = {
  allowed_scopes: listOf({ type: 'string', enum: [...SCOPES] }),
  direction: { type: 'string', enum: [...DIRECTIONS] },
  signed_at: STRING_JSON,
} as const;

const STATUS = { type: 'string', enum: [...PEER_STATUSES] } as const;

export const REGISTERED_JSON = objectOf({ peer_id: STRING_JSON, status: STATUS, verified_at: orNull(INSTANT_JSON) });

/** The JSON reply to a declaration. */
export const registeredJson = ({ peerId, status, verifiedMs }: Peering): Record<string, unknown> => ({
  peer_id: peerId,
  status,
  verified_at: instantOrNull(verifiedMs),
});

/** The JSON reply to a request for a declaration of this node. */
export const DECLARED_JSON = objectOf({
  declaration: { type: 'object' },
  code: STRING_JSON,
  peer_id: STRING_JSON,
  node_id: STRING_JSON,
  status: STATUS,
});

export const declaredJson = ({
  declaration,
  code,
  peering: { peerId, nodeId, status },
}: Awaited<ReturnType<PeerRegistry['declare']>>): Record<string, unknown> => ({
  declaration,
  code,
  peer_id: peerId,
  node_id: nodeId,
  status,
});

export const PEER_JSON = objectOf({
  peer_id: STRING_JSON,
  node_id: STRING_JSON,
  node_url: orNull(STRING_JSON),
  status: STATUS,
  allowed_scopes: GRANT.allowed_scopes,
  direction: orNull(GRANT.direction),
  established_at: orNull(INSTANT_JSON),
  signed_at: orNull(STRING_JSON),
  public_key_fingerprint: orNull(STRING_JSON),
  created_at: INSTANT_JSON,
  unicode_version: orNull(STRING_JSON),
  may_end_others: BOOLEAN_JSON,
  own_declaration: orNull(objectOf(GRANT)),
});

export const PEERS_JSON = objectOf({ peers: listOf(PEER_JSON) });

/** The JSON of a peering in `GET /v1/federation/peers`. The peer's own declaration is null until it is verified. */
export const peerJson = (peering: Peering): Record<string, unknown> => {
  const { theirs, ours, keys, establishedMs } = peering;
  const key = keys[0];
  return {
    peer_id: peering.peerId,
    node_id: peering.nodeId,
    node_url: peering.nodeUrl === '' ? null : peering.nodeUrl,
    status: peering.status,
    allowed_scopes: namedScopes(peering),
    direction: (theirs ?? ours)?.direction ?? null,
    established_at: instantOrNull(establishedMs),
    signed_at: (theirs ?? ours)?.signedAt ?? null,
    public_key_fingerprint: key === undefined ? null : `sha256:${sha256Hex(key.publicKey)}`,
    created_at: formatInstant(peering.createdMs),
    unicode_version: peering.unicodeVersion,
    may_end_others: mayEndOthers(peering),
    own_declaration: ours && declarationJson(ours),
  };
};

export const FEDERATION_ENTRIES_JSON = objectOf({
  entries: listOf(
    objectOf({
      id: STRING_JSON,
      peer_id: orNull(STRING_JSON),
      event_type: STRING_JSON,
      detail: orNull({ type: 'object' }),
      ts: INSTANT_JSON,
    }),
  ),
  cursor: CURSOR_JSON,
  has_more: BOOLEAN_JSON,
});

/** The JSON of an entry in `GET /v1/federation/audit`. */
export const federationEntryJson = ({ id, peerId, event, detail, tsMs }: FederationEntry): Record<string, unknown> => ({
  id,
  peer_id: peerId,
  event_type: event,
  detail,
  ts: formatInstant(tsMs),
});

const declarationJson = ({ scopes, direction, signedAt }: Declaration): Record<string, unknown> => ({
  allowed_scopes: scopes,
  direction,
  signed_at: signedAt,
});

const instantOrNull = (ms: number | null): string | null => (ms === null ? null : formatInstant(ms));
