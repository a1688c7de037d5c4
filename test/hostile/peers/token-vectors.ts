import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { encodeBase64Url } from '../../../kernel/internal-api.ts';
import { type PeerIdentity, segment, signedToken } from '../../kit/federation/peer-identity.ts';

/** The data that a forger has: everything public, and the key of one peer. */
export interface Forger {
  readonly nowMs: number;
  readonly target: string;
  readonly peer: PeerIdentity;
  /** Another peer, whose key the forger has too. */
  readonly other: PeerIdentity;
  /** The public key of the node itself. */
  readonly nodeKey: string;
  /** An address that the node must never call. */
  readonly canaryUrl: string;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const GROUP_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

type Vectors = readonly (readonly [title: string, token: string])[];

const claimsOf = ({ peer, target, nowMs }: Forger): Record<string, unknown> => ({
  iss: peer.nodeId,
  sub: target,
  iat: nowMs,
  exp: nowMs + MINUTE_MS,
  nonce: peer.unique(),
});

const HEADER = { alg: 'EdDSA', typ: 'JWT' };

/** Returns all tokens that the node must refuse, none of them sent before. */
export const tokenVectors = (forger: Forger): Vectors => [
  ...headers(forger),
  ...otherAlgorithms(forger),
  ...encodings(forger),
  ...signatures(forger),
  ...claims(forger),
  ...rawClaims(forger),
];

const headers = (forger: Forger): Vectors => {
  const { peer, canaryUrl } = forger;
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: peer.publicKey };
  const changes: readonly (readonly [string, unknown])[] = [
    ['no alg', { typ: 'JWT' }],
    ['alg none', { ...HEADER, alg: 'none' }],
    ['alg None', { ...HEADER, alg: 'None' }],
    ['alg NONE', { ...HEADER, alg: 'NONE' }],
    ['alg in lower case', { ...HEADER, alg: 'eddsa' }],
    ['alg Ed25519', { ...HEADER, alg: 'Ed25519' }],
    ['alg as a list', { ...HEADER, alg: ['EdDSA'] }],
    ['alg null', { ...HEADER, alg: null }],
    ['a jwk', { ...HEADER, jwk }],
    ['a jku', { ...HEADER, jku: `${canaryUrl}/keys` }],
    ['an x5u', { ...HEADER, x5u: `${canaryUrl}/cert` }],
    ['an x5c', { ...HEADER, x5c: ['MIIB'] }],
    ['crit with an unknown word', { ...HEADER, crit: ['x'], x: 1 }],
    ['crit b64', { ...HEADER, crit: ['b64'], b64: false }],
    ['b64 false', { ...HEADER, b64: false }],
    ['the type of another kind', { ...HEADER, typ: 'capability' }],
    ['a header that is a list', [HEADER]],
    ['a header that is null', null],
    ['a header with a member twice', '{"alg":"EdDSA","alg":"EdDSA","typ":"JWT"}'],
    ['alg none, then EdDSA', '{"alg":"none","alg":"EdDSA","typ":"JWT"}'],
    ['a header that is no JSON', 'EdDSA'],
  ];
  return changes.map(([title, header]) => [title, signedToken(peer.signer, header, claimsOf(forger))]);
};

const otherAlgorithms = (forger: Forger): Vectors => {
  const { peer, nodeKey } = forger;
  const pem = `-----BEGIN PUBLIC KEY-----\n${peer.publicKey}\n-----END PUBLIC KEY-----\n`;
  const hmac = (alg: 'HS256' | 'HS512', key: string | Uint8Array): string => {
    const text = `${segment({ ...HEADER, alg })}.${segment(claimsOf(forger))}`;
    return `${text}.${createHmac(alg === 'HS256' ? 'sha256' : 'sha512', key)
      .update(text)
      .digest('base64url')}`;
  };
  const bySign = (alg: string, key: Parameters<typeof sign>[2], hash: string | null): string => {
    const text = `${segment({ ...HEADER, alg })}.${segment(claimsOf(forger))}`;
    return `${text}.${sign(hash, Buffer.from(text), key).toString('base64url')}`;
  };
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const unsigned = `${segment({ alg: 'none' })}.${segment(claimsOf(forger))}`;
  return [
    ['HS256 keyed with the raw key of the peer', hmac('HS256', Buffer.from(peer.publicKey, 'base64url'))],
    ['HS256 keyed with the text of the key of the peer', hmac('HS256', peer.publicKey)],
    ['HS256 keyed with a PEM of the key of the peer', hmac('HS256', pem)],
    ['HS256 keyed with the key of the node', hmac('HS256', Buffer.from(nodeKey, 'base64url'))],
    ['HS512 keyed with the text of the key of the node', hmac('HS512', nodeKey)],
    ['ES256', bySign('ES256', { key: ec, dsaEncoding: 'ieee-p1363' }, 'sha256')],
    ['RS256', bySign('RS256', rsa, 'sha256')],
    ['EdDSA with a key of another curve', bySign('EdDSA', generateKeyPairSync('ed448').privateKey, null)],
    ['no signature', `${unsigned}.`],
    ['two segments', unsigned],
  ];
};

const encodings = (forger: Forger): Vectors => {
  const { peer } = forger;
  const fresh = (): string => signedToken(peer.signer, HEADER, claimsOf(forger));
  const parts = (): [string, string, string] => fresh().split('.') as [string, string, string];
  const [header, payload, signature] = parts();
  const loose = signature.slice(0, -1) + looser(signature.at(-1) ?? 'A');
  const standard = Buffer.from(signature, 'base64url').toString('base64');
  return [
    ['padding', `${header}.${payload}.${signature}==`],
    ['the alphabet of base64', `${header}.${payload}.${standard}`],
    ['a blank inside', `${header}. ${payload}.${signature}`],
    ['a last character that is not canonical', `${header}.${payload}.${loose}`],
    ['four segments', `${fresh()}.${segment({})}`],
    ['five segments, as an encrypted one has', `${fresh()}.AAAA.AAAA`],
    ['an empty segment', `${header}..${signature}`],
    ['dots alone', '..'],
    ['no dot', header],
    ['more than 4 KiB', signedToken(peer.signer, HEADER, { ...claimsOf(forger), filler: 'x'.repeat(4_096) })],
    ['a header that is no UTF-8', `${encodeBase64Url(Uint8Array.of(0xff, 0xfe))}.${payload}.${signature}`],
  ];
};

/** Returns another last character that a lenient decoder reads as the same bytes. */
const looser = (last: string): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return alphabet[alphabet.indexOf(last) ^ 1] ?? 'A';
};

const signatures = (forger: Forger): Vectors => {
  const { peer, other } = forger;
  const bytesOf = (token: string): Buffer => Buffer.from(token.split('.')[2] ?? '', 'base64url');
  const replaced = (change: (signature: Buffer) => Uint8Array): string => {
    const token = signedToken(peer.signer, HEADER, claimsOf(forger));
    const [header, payload] = token.split('.');
    return `${header}.${payload}.${encodeBase64Url(change(bytesOf(token)))}`;
  };
  const raised = (signature: Buffer): Buffer => {
    let s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`) + GROUP_ORDER;
    const bytes = Buffer.from(signature);
    for (let at = 32; at < 64; at += 1, s >>= 8n) bytes[at] = Number(s & 0xffn);
    return bytes;
  };
  const flipped = (signature: Buffer): Buffer => Buffer.from(signature.map((byte, at) => (at === 5 ? byte ^ 1 : byte)));
  return [
    ['the signature of another peer', signedToken(other.signer, HEADER, claimsOf(forger))],
    ['the signature of another token', replaced(() => bytesOf(signedToken(peer.signer, HEADER, claimsOf(forger))))],
    ['one bit of the signature turned', replaced(flipped)],
    ['a signature with S above the order', replaced(raised)],
    ['a short signature', replaced((signature) => signature.subarray(0, 63))],
    ['a long signature', replaced((signature) => Buffer.concat([signature, Buffer.alloc(1)]))],
    ['a signature of zeros', replaced(() => Buffer.alloc(64))],
    ['a signature of low order', replaced(() => Buffer.concat([Buffer.from([1]), Buffer.alloc(63)]))],
  ];
};

const claims = (forger: Forger): Vectors => {
  const { peer, other, nowMs, target } = forger;
  const changes: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
    ['no issuer', { iss: undefined }],
    ['an issuer that is a number', { iss: 5 }],
    ['an issuer in a list', { iss: [peer.nodeId] }],
    ['an unknown issuer', { iss: 'svc://unknown.test' }],
    ['the node itself as issuer', { iss: target }],
    ['another peer as issuer', { iss: other.nodeId }],
    ['the issuer in capitals', { iss: peer.nodeId.toUpperCase() }],
    ['no subject', { sub: undefined }],
    ['an empty subject', { sub: '' }],
    ['another subject', { sub: 'svc://other.test' }],
    ['itself as subject', { sub: peer.nodeId }],
    ['subjects in a list', { sub: [target] }],
    ['another audience, in place of a subject', { sub: undefined, aud: 'svc://other.test' }],
    ['an audience that contradicts the subject', { sub: 'svc://other.test', aud: target }],
    ['no iat', { iat: undefined }],
    ['an iat that is text', { iat: String(nowMs) }],
    ['an iat of the future', { iat: nowMs + 31_000 }],
    ['an iat of two days ago', { iat: nowMs - 2 * DAY_MS, exp: nowMs + MINUTE_MS }],
    ['an iat below zero', { iat: -1 }],
    ['no exp', { exp: undefined }],
    ['an exp that is text', { exp: String(nowMs + MINUTE_MS) }],
    ['an exp that has passed', { iat: nowMs - HOUR_MS, exp: nowMs - 31_000 }],
    ['an exp after more than an hour', { exp: nowMs + HOUR_MS + 1 }],
    ['an exp before its iat', { iat: nowMs + 20_000, exp: nowMs + 10_000 }],
    ['an exp of the year 9999', { exp: 253_402_300_799_000 }],
    ['an exp of true', { exp: true }],
    ['an nbf of the future', { nbf: nowMs + 31_000 }],
    ['an nbf that is text', { nbf: 'now' }],
    ['no nonce', { nonce: undefined }],
    ['an empty nonce', { nonce: '' }],
    ['a short nonce', { nonce: '1234567' }],
    ['a long nonce', { nonce: 'n'.repeat(129) }],
    ['a nonce that is a number', { nonce: 12_345_678 }],
    ['a nonce with a NUL', { nonce: 'nonce\u0000nonce' }],
    ['scopes that are text', { scopes: 'public' }],
    ['scopes with a number', { scopes: ['public', 5] }],
    ['scopes that are an object', { scopes: { public: true } }],
  ];
  return changes.map(([title, change]) => [
    title,
    signedToken(peer.signer, HEADER, { ...claimsOf(forger), ...change }),
  ]);
};

/** Returns payloads that JSON.stringify would not write. */
const rawClaims = (forger: Forger): Vectors => {
  const { peer, nowMs } = forger;
  const right = JSON.stringify(claimsOf(forger));
  const twice = (member: string): string => right.replace('{', `{${member},`);
  const texts: readonly (readonly [string, string])[] = [
    ['a payload that is a list', `[${right}]`],
    ['a payload that is null', 'null'],
    ['a payload that breaks off', right.slice(0, -1)],
    ['the issuer twice', twice('"iss":"svc://other.test"')],
    ['the end twice', twice(`"exp":${nowMs + DAY_MS}`)],
    ['the nonce twice', twice('"nonce":"another-nonce"')],
    ['an end without end', right.replace(/"exp":\d+/, '"exp":1e999')],
    ['a payload of a thousand levels', `{"x":${'['.repeat(1_000)}${']'.repeat(1_000)},${right.slice(1)}`],
  ];
  return texts.map(([title, text]) => [title, signedToken(peer.signer, HEADER, text)]);
};
