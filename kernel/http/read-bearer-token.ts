import { type InboundRequest, ServiceError } from '../../ports/ports.ts';

/**
 * The bearer token of a request (RFC 6750, wire contract 2.1), null when no `Authorization` was sent. Throws
 * `authentication` for a header in another form and for two of them, which proxies and servers read differently.
 */
export const readBearerToken = (request: InboundRequest): string | null => {
  const header = request.header('authorization');
  if (header === undefined) return null;
  const token = request.headerCount('authorization') === 1 ? BEARER.exec(header)?.[1] : undefined;
  if (token === undefined) throw new ServiceError('authentication', AUTHENTICATION_DETAIL);
  return token;
};

/** One text for every reason, so that the answer does not tell them apart. */
export const AUTHENTICATION_DETAIL =
  'a valid credential is required: send one header "Authorization: Bearer <key>" with a key that is neither expired nor revoked';

/** The scheme in any case, one space, and a token of visible ASCII of at most 8 KiB. */
const BEARER = /^bearer ([\x21-\x7e]{1,8192})$/i;
