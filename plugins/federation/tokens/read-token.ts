import { decodeBase64Url, parseStrictJson } from '../../../kernel/plugin-api.ts';

/** Members of a header or claims, of any shape. */
export type TokenMembers = Readonly<Record<string, unknown>>;

/** A compact token (RFC 7515), taken apart. Nothing in it is believed yet. */
export interface ReadToken {
  readonly header: TokenMembers;
  readonly claims: TokenMembers;
  /** What the signature is over. */
  readonly signed: Uint8Array;
  readonly signature: Uint8Array;
}

/** Longer tokens are refused before anything looks into them. */
export const MAX_TOKEN_BYTES = 4_096;
const SEGMENTS = 3;

/**
 * Null for anything but three segments in strict base64url, of which the first two hold a JSON object each. A member
 * that occurs twice is refused, because two readers could understand it in two ways.
 */
export const readToken = (token: string): ReadToken | null => {
  if (token.length > MAX_TOKEN_BYTES) return null;
  const segments = token.split('.');
  if (segments.length !== SEGMENTS) return null;
  const [header, claims, signature] = segments.map((segment) => (segment === '' ? null : decodeBase64Url(segment)));
  if (header == null || claims == null || signature == null) return null;
  const members = [header, claims].map(readMembers);
  const [readHeader, readClaims] = members;
  if (readHeader == null || readClaims == null) return null;
  const signed = Buffer.from(token.slice(0, token.lastIndexOf('.')));
  return { header: readHeader, claims: readClaims, signed, signature };
};

const readMembers = (bytes: Uint8Array): TokenMembers | null => {
  try {
    const read = parseStrictJson(bytes, 'token');
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? { ...read } : null;
  } catch {
    return null;
  }
};

/** A member that the token has itself, whatever its name is. */
export const memberOf = (members: TokenMembers, name: string): unknown =>
  Object.hasOwn(members, name) ? members[name] : undefined;
