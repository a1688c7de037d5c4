import {
  formatInstant,
  INSTANT_JSON,
  type JsonSchema,
  objectOf,
  orNull,
  STRING_JSON,
} from '../../kernel/plugin-api.ts';
import {
  CAPABILITY_VERBS,
  type CapabilityFinding,
  type CapabilityRecord,
  type IssuedCapability,
} from './capability-tokens-api.ts';

const MEMBERS = {
  token_id: STRING_JSON,
  issuer: STRING_JSON,
  subject: STRING_JSON,
  verb: { type: 'string', enum: [...CAPABILITY_VERBS] },
  object: STRING_JSON,
  issued_at: INSTANT_JSON,
  expiry: INSTANT_JSON,
} as const;

export const ISSUED_JSON = objectOf({ ...MEMBERS, nonce: STRING_JSON, token_json: STRING_JSON });

/** The JSON reply to a request that issues a token. */
export const issuedJson = (token: IssuedCapability): Record<string, unknown> => ({
  ...members(token),
  nonce: token.nonce,
  token_json: token.tokenJson,
});

export const CAPABILITY_JSON = objectOf({
  ...MEMBERS,
  status: { type: 'string', enum: ['active', 'expired', 'revoked'] },
  revoked_at: orNull(INSTANT_JSON),
});

/** The JSON of a token in `GET /v1/federation/capability-tokens`. */
export const capabilityJson = (token: CapabilityRecord, nowMs: number): Record<string, unknown> => ({
  ...members(token),
  status: token.revokedMs !== null ? 'revoked' : nowMs >= token.expiresMs ? 'expired' : 'active',
  revoked_at: token.revokedMs === null ? null : formatInstant(token.revokedMs),
});

export const FINDING_JSON: JsonSchema = {
  oneOf: [
    objectOf({ valid: { const: true } }),
    objectOf({ valid: { const: false }, reason: STRING_JSON, detail: STRING_JSON }),
  ],
};

/** The JSON reply to a request that verifies a token. */
export const findingJson = (finding: CapabilityFinding): Record<string, unknown> => {
  if (finding.valid) return { valid: true };
  const { reason, detail } = finding;
  return { valid: false, reason: detail === 'bad signature' ? `${reason}: ${detail}` : reason, detail };
};

export const REVOKED_JSON = objectOf({
  token_id: STRING_JSON,
  revoked_at: INSTANT_JSON,
  status: { type: 'string', const: 'revoked' },
});

/** The JSON reply to a request that revokes a token. */
export const revokedJson = ({ tokenId, revokedMs }: CapabilityRecord): Record<string, unknown> => ({
  token_id: tokenId,
  revoked_at: formatInstant(revokedMs ?? Number.NaN),
  status: 'revoked',
});

const members = (token: CapabilityRecord): Record<string, unknown> => ({
  token_id: token.tokenId,
  issuer: token.issuer,
  subject: token.subject,
  verb: token.verb,
  object: token.object,
  issued_at: formatInstant(token.issuedMs),
  expiry: formatInstant(token.expiresMs),
});
