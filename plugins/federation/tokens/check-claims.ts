import { type ErrorWord, SCOPES, type Scope } from '../../../kernel/plugin-api.ts';
import { memberOf, type TokenMembers } from './read-token.ts';
import {
  IAT_IN_FUTURE,
  IAT_TOO_OLD,
  INVALID_SUB,
  INVALID_TOKEN,
  MISSING_NONCE,
  NBF_IN_FUTURE,
  TOKEN_EXPIRED,
} from './token-words.ts';

/** The claims of a token whose signature is valid. */
export interface Claims {
  readonly expiresMs: number;
  readonly nonce: string;
  /** The scopes that the token names; undefined if it does not narrow them. */
  readonly scopes: ReadonlySet<Scope> | undefined;
}

export interface ClaimRules {
  readonly nowMs: number;
  readonly leewayMs: number;
  /** The id of this node, which the token must name. */
  readonly nodeId: string;
}

export const MAX_LIFETIME_MS = 3_600_000;
const MAX_AGE_MS = 86_400_000;
/** The smallest instant that is read as milliseconds; smaller ones are seconds. */
const FIRST_MILLISECOND = 1e11;
const MIN_NONCE = 8;
const MAX_NONCE = 128;

/**
 * Returns the claims, or the code of the first failed check, in the order of docs/reference/federation.md, "Peer
 * tokens".
 */
export const checkClaims = (claims: TokenMembers, rules: ClaimRules): Claims | ErrorWord => {
  const { nowMs, leewayMs, nodeId } = rules;
  const expiresMs = instantOf(memberOf(claims, 'exp'));
  const issuedMs = instantOf(memberOf(claims, 'iat'));
  if (expiresMs === null || issuedMs === null) return INVALID_TOKEN;
  if (nowMs >= expiresMs + leewayMs) return TOKEN_EXPIRED;
  if (expiresMs - issuedMs > MAX_LIFETIME_MS || expiresMs < issuedMs) return INVALID_TOKEN;
  if (!isMeantFor(claims, nodeId)) return INVALID_SUB;
  if (issuedMs > nowMs + leewayMs) return IAT_IN_FUTURE;
  if (issuedMs < nowMs - MAX_AGE_MS) return IAT_TOO_OLD;
  const notBefore = memberOf(claims, 'nbf');
  if (notBefore !== undefined) {
    const notBeforeMs = instantOf(notBefore);
    if (notBeforeMs === null) return INVALID_TOKEN;
    if (notBeforeMs > nowMs + leewayMs) return NBF_IN_FUTURE;
  }
  const scopes = scopesOf(memberOf(claims, 'scopes'));
  if (scopes === null) return INVALID_TOKEN;
  const nonce = nonceOf(claims);
  return nonce === null ? MISSING_NONCE : { expiresMs, nonce, scopes };
};

/** Returns null unless the claim is a number. A number that JSON cannot express exactly was read as NaN. */
const instantOf = (claim: unknown): number | null => {
  if (typeof claim !== 'number' || !Number.isFinite(claim)) return null;
  return claim < FIRST_MILLISECOND ? claim * 1_000 : claim;
};

/** Returns true if `sub` or `aud` names this node; if both are present, both must. */
const isMeantFor = (claims: TokenMembers, nodeId: string): boolean => {
  const named = ['sub', 'aud'].flatMap((name) => (Object.hasOwn(claims, name) ? [claims[name]] : []));
  return named.length > 0 && named.every((one) => one === nodeId);
};

/**
 * Reads the scopes, and ignores those that this node does not know. Returns null unless the claim is a list of names.
 */
const scopesOf = (claim: unknown): ReadonlySet<Scope> | undefined | null => {
  if (claim === undefined) return undefined;
  if (!Array.isArray(claim) || !claim.every((name) => typeof name === 'string')) return null;
  return new Set(SCOPES.filter((scope) => claim.includes(scope)));
};

const nonceOf = (claims: TokenMembers): string | null => {
  const nonce = memberOf(claims, 'nonce') ?? memberOf(claims, 'jti');
  if (typeof nonce !== 'string') return null;
  return nonce.length >= MIN_NONCE && nonce.length <= MAX_NONCE ? nonce : null;
};
