import { type JsonObject, memberOf } from './fetch-document.ts';
import { audienceMismatch, invalidToken, tokenExpired } from './token-refusal.ts';

/** The tolerated difference between the clocks of the provider and of this node, in seconds. */
const LEEWAY_SECONDS = 30;
/** A larger number is in milliseconds instead of seconds. */
const MAX_SECONDS = 100_000_000_000;
const MAX_AUDIENCES = 100;

export interface ExpectedClaims {
  readonly issuer: string;
  /** The audiences of this node. A valid token names one of them. */
  readonly audiences: readonly string[];
  /** Seconds since the epoch. */
  readonly nowSeconds: number;
  /** True for a token that another client of the provider has requested for this node. */
  readonly isForOthers?: boolean;
}

/**
 * Checks the claims of a token with a verified signature, and returns its subject. Throws the refusal of an unsuitable
 * token.
 */
export const checkClaims = (claims: JsonObject, expected: ExpectedClaims): string => {
  const { issuer, nowSeconds } = expected;
  if (memberOf(claims, 'iss') !== issuer) throw invalidToken('the token is of another issuer');
  const subject = memberOf(claims, 'sub');
  // Logout tokens resemble id tokens, but have this member.
  if (Object.hasOwn(claims, 'events')) throw invalidToken('the token is of another kind than is needed here');
  if (typeof subject !== 'string' || !SUBJECT.test(subject)) {
    throw invalidToken('claim sub must be 1 to 255 visible ASCII characters');
  }
  checkAudience(claims, expected);
  const issued = instantOf(claims, 'iat');
  const expires = instantOf(claims, 'exp');
  if (expires <= nowSeconds - LEEWAY_SECONDS) throw tokenExpired();
  if (issued > nowSeconds + LEEWAY_SECONDS) throw invalidToken('claim iat lies in the future');
  if (expires <= issued) throw invalidToken('claim exp lies before claim iat');
  if (Object.hasOwn(claims, 'nbf') && instantOf(claims, 'nbf') > nowSeconds + LEEWAY_SECONDS) {
    throw invalidToken('claim nbf lies in the future');
  }
  return subject;
};

/** The limit of OpenID Connect Core 1.0, without blanks, because a comparison of entities ignores blanks. */
const SUBJECT = /^[\x21-\x7e]{1,255}$/;

const checkAudience = (claims: JsonObject, { audiences, isForOthers = false }: ExpectedClaims): void => {
  const claim = memberOf(claims, 'aud');
  const named: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  if (named.length === 0 || named.length > MAX_AUDIENCES || !named.every((one) => typeof one === 'string')) {
    throw invalidToken('claim aud must be a text or a list of texts');
  }
  if (!named.some((one) => audiences.includes(String(one)))) throw audienceMismatch();
  const party = memberOf(claims, 'azp');
  if (party !== undefined && typeof party !== 'string') throw invalidToken('claim azp must be a text');
  // An id token with several audiences is valid only for the client that requested it.
  if (!isForOthers && named.length > 1 && (party === undefined || !audiences.includes(party))) throw audienceMismatch();
};

const instantOf = (claims: JsonObject, name: string): number => {
  const value = memberOf(claims, name);
  if (typeof value === 'number' && value >= 0 && value < MAX_SECONDS) return value;
  throw invalidToken(`claim ${name} must be a number of seconds since 1970`);
};
