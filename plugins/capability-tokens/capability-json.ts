import { formatInstant } from '../../kernel/plugin-api.ts';
import type { CapabilityFinding, CapabilityRecord, IssuedCapability } from './capability-tokens-api.ts';

/** The answer to an issue (wire contract 12). */
export const issuedJson = (token: IssuedCapability): Record<string, unknown> => ({
  ...members(token),
  nonce: token.nonce,
  token_json: token.tokenJson,
});

/** A token of `GET /v1/federation/capability-tokens`. */
export const capabilityJson = (token: CapabilityRecord, nowMs: number): Record<string, unknown> => ({
  ...members(token),
  status: token.revokedMs !== null ? 'revoked' : nowMs >= token.expiresMs ? 'expired' : 'active',
  revoked_at: token.revokedMs === null ? null : formatInstant(token.revokedMs),
});

/** The answer to a verification. */
export const findingJson = (finding: CapabilityFinding): Record<string, unknown> => {
  if (finding.valid) return { valid: true };
  const { reason, detail } = finding;
  return { valid: false, reason: detail === 'bad signature' ? `${reason}: ${detail}` : reason, detail };
};

/** The answer to a revocation. */
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
