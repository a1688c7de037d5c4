import { defineErrorCode } from '../../../kernel/plugin-api.ts';

/** The reasons for refusing a peer token. The detail is the text that other implementations print. */

export const PEER_TOKEN_REQUIRED = defineErrorCode('peer_token_required', {
  status: 401,
  summary: 'the route takes a peer token, and none was sent',
});
export const MALFORMED_TOKEN = defineErrorCode('malformed_token', {
  status: 401,
  summary: 'the credential is no peer token',
});
export const PEER_NOT_REGISTERED = defineErrorCode('peer_not_registered', {
  status: 401,
  summary: 'no peering with the issuer of the token is known',
});
export const PEER_NOT_APPROVED = defineErrorCode('peer_not_approved', {
  status: 401,
  summary: 'the peering with the issuer of the token is not active',
});
export const INVALID_TOKEN = defineErrorCode('invalid_token', {
  status: 401,
  summary: 'a header or claim of the token is missing or not of the form that it must have',
});
export const TOKEN_EXPIRED = defineErrorCode('token_expired', {
  status: 401,
  summary: 'the time of the token is over',
});
export const INVALID_SUB = defineErrorCode('invalid_sub', {
  status: 401,
  summary: 'the token is meant for another node',
});
export const INVALID_ISS = defineErrorCode('invalid_iss', {
  status: 401,
  summary: 'the token does not name another node as its issuer',
});
export const IAT_IN_FUTURE = defineErrorCode('iat_in_future', {
  status: 401,
  summary: 'the token was issued later than now',
});
export const IAT_TOO_OLD = defineErrorCode('iat_too_old', {
  status: 401,
  summary: 'the token was issued more than a day ago',
});
export const NBF_IN_FUTURE = defineErrorCode('nbf_in_future', {
  status: 401,
  summary: 'the token is not good yet',
});
export const MISSING_NONCE = defineErrorCode('missing_nonce', {
  status: 401,
  summary: 'the token has no nonce of 8 to 128 characters',
});
export const NONCE_ALREADY_SEEN = defineErrorCode('nonce_already_seen', {
  status: 401,
  summary: 'a token with this nonce was used before',
});
