import type { InboundRequest } from '../../ports/ports.ts';
import { refusedCredential } from './refused-credential.ts';

/**
 * Returns the bearer token of a request (RFC 6750); null without `Authorization`. Throws `authentication` for an
 * invalid header, and for two headers, which proxies and servers interpret differently.
 */
export const readBearerToken = (request: InboundRequest): string | null => {
  const header = request.header('authorization');
  if (header === undefined) return null;
  const token = request.headerCount('authorization') === 1 ? BEARER.exec(header)?.[1] : undefined;
  if (token === undefined) throw refusedCredential();
  return token;
};

/** Matches the scheme in any case, one space, and a token of visible ASCII of at most 8 KiB. */
const BEARER = /^bearer ([\x21-\x7e]{1,8192})$/i;
