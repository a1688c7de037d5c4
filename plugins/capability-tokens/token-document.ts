import {
  canonicalJson,
  decodeBase64Url,
  encodeBase64Url,
  formatInstant,
  parseInstant,
  parseStrictJsonText,
  sha256Hex,
  verifyEd25519,
} from '../../kernel/plugin-api.ts';
import type { NodeIdentity } from '../node-info/node-info-api.ts';
import { CAPABILITY_VERBS, type CapabilityVerb } from './capability-tokens-api.ts';

const TOKEN_VERSION = 1;
/** Three URIs of the greatest length, each character escaped, and the rest of the document. */
const MAX_TOKEN_LENGTH = 96 * 1024;

/** What a token says. Instants are milliseconds since the epoch. */
export interface CapabilityToken {
  readonly tokenId: string;
  readonly issuer: string;
  readonly subject: string;
  readonly verb: CapabilityVerb;
  readonly object: string;
  readonly issuedMs: number;
  readonly expiresMs: number;
  /** 64 lower-case hexadecimal digits. */
  readonly nonce: string;
}

/** A document of the right form. Whether anybody signed it is not known yet. */
export interface TokenDocument {
  readonly tokenId: string;
  readonly expiresMs: number;
  /** SHA-256 of the canonical form of the whole document, whatever it was spelled like. */
  readonly digest: string;
  isSignedBy(publicKey: Uint8Array): boolean;
}

/** The canonical text of a token, signed. */
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
 * Reads a document strictly; null for anything that is no token: broken or ambiguous JSON, a member twice, missing,
 * unknown or of the wrong type. Blanks, escapes and the order of members are not judged: the signature is over what the
 * document says, and a header can carry text beyond ASCII in escapes alone.
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
 * How a text that came in a header may have been meant: servers hand over each of its bytes as one character. The
 * signature tells which one it was.
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
