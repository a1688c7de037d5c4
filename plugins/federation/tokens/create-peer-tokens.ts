import { encodeBase64Url, verifyEd25519, withinTime } from '../../../kernel/internal-api.ts';
import {
  type Clock,
  type ErrorWord,
  type NodeSelf,
  type Principal,
  type Random,
  type Scope,
  ServiceError,
} from '../../../kernel/plugin-api.ts';
import type { AuditEvent } from '../../audit/audit-api.ts';
import type { NodeIdentity } from '../../node-info/node-info-api.ts';
import { REJECTED_TOKEN, REPLAY_ATTEMPT } from '../federation-events.ts';
import type { FederationSettings } from '../federation-settings.ts';
import { INVALID_SIGNATURE, PEER } from '../federation-words.ts';
import type { FederationLog } from '../peerings/federation-log.ts';
import { outboundScopes, type Peering } from '../peerings/peering.ts';
import type { Peerings } from '../peerings/peerings.ts';
import { type Claims, checkClaims } from './check-claims.ts';
import { isHeaderSound } from './check-header.ts';
import type { PeerCaller, PeerTokens } from './peer-tokens.ts';
import { memberOf, type ReadToken, readToken } from './read-token.ts';
import type { SpentNonces } from './spent-nonces.ts';
import { tokenRefusal } from './token-refusal.ts';
import {
  INVALID_ISS,
  INVALID_TOKEN,
  MALFORMED_TOKEN,
  NONCE_ALREADY_SEEN,
  PEER_NOT_APPROVED,
  PEER_NOT_REGISTERED,
} from './token-words.ts';

const LIFETIME_MS = 60_000;
const MAX_ISSUER = 2_048;
/** The maximum time to fetch a peer's new key before its token is refused. */
const FOLLOW_LIMIT_MS = 2_000;
/** The maximum number of current and former keys that are tried, because anybody can send tokens. */
const MAX_KEYS_TRIED = 4;
/** The maximum number of peerings with the issuer that are tried, the oldest first; each tenant has its own. */
const MAX_PEERINGS_TRIED = 8;

export interface TokenParts {
  readonly settings: Pick<FederationSettings, 'nonceWindowS' | 'tokenLeewayS'>;
  readonly self: Pick<NodeSelf, 'nodeId'>;
  readonly identity: Pick<NodeIdentity, 'sign'>;
  readonly peerings: Pick<Peerings, 'withNode' | 'refreshKeys'>;
  readonly federationLog: Pick<FederationLog, 'recordRejections'>;
  readonly nonces: SpentNonces;
  readonly clock: Clock;
  readonly random: Random;
}

export const createPeerTokens = (parts: TokenParts): PeerTokens => {
  const callers = new WeakMap<Principal, PeerCaller>();
  return {
    mint: ({ nodeId }, scopes) => mintToken(parts, nodeId, scopes),
    async accept(token) {
      const caller = await acceptToken(parts, token);
      callers.set(caller.principal, caller);
      return caller;
    },
    callerOf(principal) {
      const caller = callers.get(principal);
      if (caller === undefined) throw new Error('the principal did not come with a peer token');
      return caller;
    },
  };
};

const mintToken = ({ self, clock, random, identity }: TokenParts, nodeId: string, scopes: readonly Scope[]): string => {
  const nowMs = clock.nowMs();
  const claims = {
    iss: self.nodeId,
    sub: nodeId,
    iat: nowMs,
    exp: nowMs + LIFETIME_MS,
    nonce: random.uuid(),
    scopes,
  };
  const signed = `${segmentOf({ alg: 'EdDSA', typ: 'JWT' })}.${segmentOf(claims)}`;
  return `${signed}.${encodeBase64Url(identity.sign(Buffer.from(signed)))}`;
};

const segmentOf = (members: object): string => encodeBase64Url(Buffer.from(JSON.stringify(members)));

/** Checks a token in a fixed order, on which peers rely. Stores nothing before the signature is verified. */
const acceptToken = async (parts: TokenParts, token: string): Promise<PeerCaller> => {
  const { settings, self, peerings, clock, nonces } = parts;
  const read = readToken(token);
  if (read === null) throw tokenRefusal(MALFORMED_TOKEN);
  const issuer = memberOf(read.claims, 'iss');
  if (typeof issuer !== 'string' || issuer === '' || issuer.length > MAX_ISSUER || issuer === self.nodeId) {
    throw tokenRefusal(INVALID_ISS);
  }
  // Another spelling identifies the same node, but a token must use the exact id.
  const named = (await peerings.withNode(issuer))
    .filter(({ nodeId }) => nodeId === issuer)
    .slice(0, MAX_PEERINGS_TRIED);
  const [first] = named;
  if (first === undefined) throw tokenRefusal(PEER_NOT_REGISTERED);
  const active = named.filter(({ status }) => status === 'active');
  const nowMs = clock.nowMs();
  if (active.length === 0) {
    // Logs nothing for an unverified claim: an entry would reveal to the claimed tenant that this node knows the
    // issuer.
    const signer = named.find((one) => signatureProblem(read, one, nowMs) === null);
    throw signer === undefined ? tokenRefusal(PEER_NOT_APPROVED) : await refused(parts, signer, PEER_NOT_APPROVED);
  }
  const peering = await signerOf(read, active, nowMs, parts);
  if ('vocabulary' in peering) throw await refused(parts, active[0] ?? first, peering);
  const leewayMs = settings.tokenLeewayS * 1_000;
  const claims = checkClaims(read.claims, { nowMs, leewayMs, nodeId: self.nodeId });
  if (isRefused(claims)) throw await refused(parts, peering, claims);
  const keptUntilMs = Math.max(claims.expiresMs + leewayMs, nowMs + settings.nonceWindowS * 1_000);
  if (!(await nonces.spend(issuer, claims.nonce, keptUntilMs))) {
    throw await refused(parts, peering, NONCE_ALREADY_SEEN, REPLAY_ATTEMPT);
  }
  return callerOf(peering, claims);
};

/**
 * Returns the first peering whose keys verify the token, because any tenant may pair the id of a node with a key of its
 * own. Otherwise returns the problem of the first peering.
 */
const signerOf = async (
  read: ReadToken,
  active: readonly Peering[],
  nowMs: number,
  parts: TokenParts,
): Promise<Peering | ErrorWord> => {
  const problems = active.map((peering) => signatureProblem(read, peering, nowMs));
  const signer = active[problems.indexOf(null)];
  if (signer !== undefined) return signer;
  for (const [at, peering] of active.entries()) {
    // The peer may have signed with a newer key than the known ones.
    if (problems[at] !== INVALID_SIGNATURE) continue;
    const refreshed = await followed(parts, peering);
    if (signatureProblem(read, refreshed, nowMs) === null) return refreshed;
  }
  return problems[0] ?? INVALID_SIGNATURE;
};

/**
 * Returns the peer with its current keys if it publishes them in time; otherwise unchanged. Requests to peers are
 * rate-limited, however many tokens arrive.
 */
const followed = async ({ peerings, clock }: TokenParts, peering: Peering): Promise<Peering> => {
  const late = () => new ServiceError('unavailable', 'the peer does not say in time by which key it signs');
  const refreshed = await withinTime(clock, FOLLOW_LIMIT_MS, () => peerings.refreshKeys(peering), late).catch(
    () => peering,
  );
  return refreshed.status === 'active' ? refreshed : peering;
};

const isRefused = (claims: Claims | ErrorWord): claims is ErrorWord => 'vocabulary' in claims;

const signatureProblem = (
  { header, signed, signature }: ReadToken,
  { keys }: Peering,
  nowMs: number,
): ErrorWord | null => {
  const usable = keys
    .filter(({ validUntilMs }) => validUntilMs === null || validUntilMs > nowMs)
    .slice(0, MAX_KEYS_TRIED);
  const keyIds = usable.map(({ keyId }) => keyId);
  if (!isHeaderSound(header, keyIds)) return INVALID_TOKEN;
  const named = memberOf(header, 'kid');
  const tried = usable.filter(({ keyId }) => named === undefined || keyId === named);
  return tried.some(({ publicKey }) => verifyEd25519(publicKey, signed, signature)) ? null : INVALID_SIGNATURE;
};

const callerOf = (peering: Peering, { scopes: tokenScopes }: Claims): PeerCaller => {
  const granted = outboundScopes(peering);
  const allowedScopes =
    tokenScopes === undefined ? granted : new Set([...granted].filter((scope) => tokenScopes.has(scope)));
  const principal: Principal = {
    kind: PEER.id,
    entityUri: peering.nodeId,
    permissions: new Set(),
    allowedScopes,
    tenantId: peering.tenantId,
    keyId: null,
    oidcSub: null,
  };
  return { principal, peering, tokenScopes };
};

/** Logs and returns the refusal. Does not log unknown issuers, because a token can name any issuer. */
const refused = async (
  { federationLog }: TokenParts,
  { tenantId, peerId, nodeId }: Peering,
  word: ErrorWord,
  event: AuditEvent = REJECTED_TOKEN,
): Promise<ServiceError> => {
  await federationLog.recordRejections([{ tenantId, peerId, nodeId, event, detail: { reason: word.id } }]);
  return tokenRefusal(word);
};
