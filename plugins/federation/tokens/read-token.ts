import { decodeBase64Url, parseStrictJson } from '../../../kernel/internal-api.ts';

/** The members of a token's header or claims, of any shape. */
export type TokenMembers = Readonly<Record<string, unknown>>;

/** A compact token (RFC 7515), split into its parts. Nothing in it is verified yet. */
export interface ReadToken {
  readonly header: TokenMembers;
  readonly claims: TokenMembers;
  /** The bytes that the signature covers. */
  readonly signed: Uint8Array;
  readonly signature: Uint8Array;
}

/** The maximum length of a token. A longer one is refused without parsing. */
export const MAX_TOKEN_BYTES = 4_096;
const SEGMENTS = 3;

/**
 * Returns null unless the text has three segments in strict base64url, of which the first two each hold a JSON object.
 * Refuses repeated members, because two parsers could understand them differently.
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

/** Reads an own property, never an inherited one. */
export const memberOf = (members: TokenMembers, name: string): unknown =>
  Object.hasOwn(members, name) ? members[name] : undefined;
