import type { InboundRequest } from '../../ports/ports.ts';
import { refusedCredential } from './refused-credential.ts';

/**
 * The bearer token of a request (RFC 6750), null without `Authorization`. Throws `authentication` for a header in
 * another form and for two of them, which proxies and servers read differently.
 */
export const readBearerToken = (request: InboundRequest): string | null => {
  const header = request.header('authorization');
  if (header === undefined) return null;
  const token = request.headerCount('authorization') === 1 ? BEARER.exec(header)?.[1] : undefined;
  if (token === undefined) throw refusedCredential();
  return token;
};

/** The scheme in any case, one space, and a token of visible ASCII of at most 8 KiB. */
const BEARER = /^bearer ([\x21-\x7e]{1,8192})$/i;
