import { compileSchema } from '../../../kernel/internal-api.ts';
import {
  BOOLEAN_JSON,
  CURSOR_JSON,
  matchKey,
  objectOf,
  orNull,
  parseInstant,
  readEntityUri,
  type ServiceNames,
  STRING_JSON,
  schema,
} from '../../../kernel/plugin-api.ts';
import { MARKER_MEMBERS, REVOCATION_JSON, revocationJson, tombstoneJson } from '../markers/marker-json.ts';
import { readTombstoneDraft } from '../markers/read-draft.ts';
import type { Tombstone, TombstoneRevocation } from '../tombstones-api.ts';

/** The JSON schema of a tombstone as nodes exchange it: all members that its signature covers, and its revocation. */
export const SERVED_TOMBSTONE_JSON = objectOf({
  ...MARKER_MEMBERS,
  erase: BOOLEAN_JSON,
  revocation: orNull(REVOCATION_JSON),
});

export const servedTombstoneJson = (tombstone: Tombstone, revocation: TombstoneRevocation | undefined) => {
  const id = tombstone.originId ?? tombstone.id;
  return {
    ...tombstoneJson({ ...tombstone, id, originId: null }),
    erase: tombstone.erase,
    revocation: revocation === undefined ? null : revocationJson({ ...revocation, tombstoneId: id }),
  };
};

export const SERVED_PAGE_JSON = objectOf({
  tombstones: { type: 'array', items: SERVED_TOMBSTONE_JSON },
  cursor: CURSOR_JSON,
  has_more: BOOLEAN_JSON,
  epoch: STRING_JSON,
});

interface WireRevocation {
  readonly id: string;
  readonly tombstone_id: string;
  readonly reason: string;
  readonly signed_by: string;
  readonly key_id: string;
  readonly signature: string;
  readonly created_at: string;
}

interface WireTombstone {
  readonly id: string;
  readonly entity_uri: string;
  readonly scope: string;
  readonly reason: string | null;
  readonly signed_by: string;
  readonly key_id: string;
  readonly signature: string;
  readonly created_at: string;
  readonly legal_hold: boolean;
  readonly erase: boolean;
  readonly revocation: WireRevocation | null;
}

/** A tombstone of a peer that is well-formed but not verified. */
export interface ReceivedTombstone {
  readonly tombstone: Tombstone;
  readonly revocation: TombstoneRevocation | undefined;
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const SIGNED = {
  signed_by: { type: 'string', minLength: 1, maxLength: 2048 },
  key_id: { type: 'string', pattern: '^[0-9a-f]{16}$' },
  signature: { type: 'string', pattern: '^[A-Za-z0-9_-]{86}$' },
  created_at: { type: 'string', maxLength: 64 },
};

const check = compileSchema(
  schema<WireTombstone>({
    type: 'object',
    required: [
      ...['id', 'entity_uri', 'scope', 'reason', 'signed_by', 'key_id', 'signature', 'created_at'],
      ...['legal_hold', 'erase'],
    ],
    // A newer node may send more members.
    additionalProperties: true,
    properties: {
      id: { type: 'string', pattern: `^tomb_${UUID}$` },
      entity_uri: { type: 'string', maxLength: 2048 },
      scope: { type: 'string', maxLength: 16 },
      reason: { type: ['string', 'null'] },
      ...SIGNED,
      legal_hold: { type: 'boolean' },
      erase: { type: 'boolean' },
      revocation: {
        type: ['object', 'null'],
        required: ['id', 'tombstone_id', 'reason', 'signed_by', 'key_id', 'signature', 'created_at'],
        additionalProperties: true,
        properties: {
          id: { type: 'string', pattern: `^tombrevoke_${UUID}$` },
          tombstone_id: { type: 'string' },
          reason: { type: 'string', maxLength: 2048 },
          ...SIGNED,
        },
      },
    },
  }),
);

/** Reads a tombstone. Throws unless the input is well-formed. */
export const readReceived = (
  input: unknown,
  { tenantId, receivedFrom, names }: { tenantId: string; receivedFrom: string | null; names: ServiceNames },
): ReceivedTombstone => {
  const wire = check(input, 'tombstone');
  const { entityUri, scope, reason, legalHold } = readTombstoneDraft({
    entityUri: wire.entity_uri,
    scope: wire.scope,
    reason: wire.reason,
    legalHold: wire.legal_hold,
  });
  const createdMs = parseInstant(wire.created_at);
  // Refuses texts that would change when stored, because signed texts are stored exactly as sent.
  if (createdMs === null || entityUri !== wire.entity_uri) throw new RangeError('the tombstone is not well-formed');
  const tombstone: Tombstone = {
    id: wire.id,
    originId: null,
    tenantId,
    entityUri,
    entityKey: matchKey(readEntityUri(entityUri, 'tombstone.entity_uri'), names),
    scope,
    reason,
    legalHold,
    erase: wire.erase,
    signedBy: wire.signed_by,
    keyId: wire.key_id,
    signature: wire.signature,
    createdAt: wire.created_at,
    createdMs,
    revokedMs: null,
    erasedMs: null,
    receivedFrom,
  };
  return { tombstone, revocation: wire.revocation == null ? undefined : readRevocation(wire.revocation, tombstone) };
};

const readRevocation = (wire: WireRevocation, { id, signedBy }: Tombstone): TombstoneRevocation => {
  // Only the issuer may revoke its tombstone.
  if (wire.tombstone_id !== id || wire.signed_by !== signedBy) throw new RangeError('the revocation is of another one');
  return {
    id: wire.id,
    tombstoneId: wire.tombstone_id,
    reason: wire.reason,
    signedBy: wire.signed_by,
    keyId: wire.key_id,
    signature: wire.signature,
    createdAt: wire.created_at,
  };
};
