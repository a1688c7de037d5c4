import {
  canonicalJson,
  decodeBase64Url,
  encodeBase64Url,
  parseStrictJsonText,
  verifyEd25519,
} from '../../kernel/internal-api.ts';
import { formatInstant, parseInstant, sha256Hex } from '../../kernel/plugin-api.ts';
import type { NodeIdentity } from '../node-info/node-info-api.ts';
import { CAPABILITY_VERBS, type CapabilityVerb } from './capability-tokens-api.ts';

const TOKEN_VERSION = 1;
/**
 * The maximum length of a token: three URIs of maximum length, with each character escaped, and the rest of the
 * document.
 */
const MAX_TOKEN_LENGTH = 96 * 1024;

/** The claims of a token. Instants are milliseconds since the epoch. */
export interface CapabilityToken {
  readonly tokenId: string;
  readonly issuer: string;
  readonly subject: string;
  readonly verb: CapabilityVerb;
  readonly object: string;
  readonly issuedMs: number;
  readonly expiresMs: number;
  /** The nonce: 64 lower-case hexadecimal digits. */
  readonly nonce: string;
}

/** A well-formed token document whose signature is not verified yet. */
export interface TokenDocument {
  readonly tokenId: string;
  readonly expiresMs: number;
  /** The SHA-256 of the canonical form of the whole document, independent of its spelling. */
  readonly digest: string;
  isSignedBy(publicKey: Uint8Array): boolean;
}

/** Returns the canonical text of a token with its signature. */
export const signToken = (token: CapabilityToken, identity: NodeIdentity): string => {
  const members = {
    token_id: token.tokenId,
    token_version: TOKEN_VERSION,
    issuer: token.issuer,
    subject: token.subject,
    verb: token.verb,
    object: token.object,
    issued_at: formatInstant(token.issuedMs),
    expiry: formatInstant(token.expiresMs),
    nonce: token.nonce,
  };
  const signature = encodeBase64Url(identity.sign(Buffer.from(canonicalJson(members))));
  return canonicalJson({ ...members, signature });
};

export const digestOfToken = (canonicalText: string): string => sha256Hex(canonicalText);

/**
 * Reads a document strictly. Returns null for broken or ambiguous JSON, and for a repeated, missing, unknown or
 * mistyped member. Spaces, escapes and member order may vary: the signature covers the content, and a header can carry
 * non-ASCII text only in escapes.
 */
export const readToken = (text: string): TokenDocument | null => {
  if (text.length > MAX_TOKEN_LENGTH) return null;
  const document = parsed(text);
  if (document === null) return null;
  const { signature: signatureText, ...members } = document;
  const signature = decodeBase64Url(String(signatureText));
  const expiresMs = parseInstant(String(members['expiry']));
  if (signature === null || expiresMs === null) return null;
  if (!(CAPABILITY_VERBS as readonly unknown[]).includes(members['verb'])) return null;
  const signed = Buffer.from(canonicalJson(members));
  return {
    tokenId: String(members['token_id']),
    expiresMs,
    digest: digestOfToken(canonicalJson(document)),
    isSignedBy: (publicKey) => verifyEd25519(publicKey, signed, signature),
  };
};

/**
 * Returns the possible texts of a header value, because servers decode each of its bytes as one character. The
 * signature shows which text is right.
 */
export const readingsOf = (text: string): readonly string[] => {
  if (!/[\u0080-\u00ff]/.test(text) || /[\u0100-\uffff]/.test(text)) return [text];
  return [text, Buffer.from(text, 'latin1').toString('utf8')];
};

const TEXT_MEMBERS = ['token_id', 'issuer', 'subject', 'verb', 'object', 'issued_at', 'expiry', 'nonce', 'signature'];

const parsed = (text: string): Record<string, unknown> | null => {
  let value: unknown;
  try {
    value = parseStrictJsonText(text, 'token');
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const document = value as Record<string, unknown>;
  if (Object.keys(document).length !== TEXT_MEMBERS.length + 1) return null;
  const isText = TEXT_MEMBERS.every((name) => Object.hasOwn(document, name) && typeof document[name] === 'string');
  return isText && document['token_version'] === TOKEN_VERSION ? document : null;
};
