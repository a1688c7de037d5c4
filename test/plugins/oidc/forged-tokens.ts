import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { CompactEncrypt, exportSPKI } from 'jose';
import { drawProviderKey, FAKE_ISSUER, signToken } from '../../kit/oidc/fake-provider.ts';
import type { OidcNode } from './oidc-node.ts';

/** A token that must not be exchanged for an API key. */
export interface ForgedToken {
  readonly title: string;
  /** The expected error detail; by default one that begins with `invalid: `. */
  readonly detail?: 'id_token expired' | 'audience mismatch';
  make(oidc: OidcNode): string | Promise<string>;
}

const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64url');
const encode = (value: unknown): string => base64(JSON.stringify(value));

/** Signs a header and a payload exactly as given, with the valid key of the provider. */
const spelled = (oidc: OidcNode, header: string, payload: string): string => {
  const input = `${base64(header)}.${base64(payload)}`;
  // The signature uses node:crypto, because jose refuses to create most of these tokens.
  const signature = sign('sha256', Buffer.from(input), oidc.nodeKey);
  return `${input}.${base64(signature)}`;
};

const HEADER = '{"alg":"RS256","kid":"first","typ":"JWT"}';

const withHeader = (title: string, members: Readonly<Record<string, unknown>>): ForgedToken => ({
  title,
  make: (oidc) => {
    const header = { alg: 'RS256', kid: 'first', typ: 'JWT', ...members };
    return spelled(oidc, JSON.stringify(header), JSON.stringify(oidc.claims()));
  },
});

const withClaims = (
  title: string,
  claims: Readonly<Record<string, unknown>>,
  detail?: ForgedToken['detail'],
): ForgedToken => ({
  title,
  ...(detail !== undefined && { detail }),
  make: (oidc) => spelled(oidc, HEADER, JSON.stringify(oidc.claims(claims))),
});

/** Makes a token whose time claims are offsets in seconds from now. */
const withInstants = (
  title: string,
  instants: Readonly<Record<string, number>>,
  detail?: ForgedToken['detail'],
): ForgedToken => ({
  title,
  ...(detail !== undefined && { detail }),
  make: (oidc) => {
    const now = Math.floor(oidc.node.clock.nowMs() / 1_000);
    const claims = Object.fromEntries(Object.entries(instants).map(([name, offset]) => [name, now + offset]));
    return spelled(oidc, HEADER, JSON.stringify(oidc.claims(claims)));
  },
});

/** Makes a token after changing the JSON text of its claims, for text that JSON.stringify never writes. */
const withSpelling = (title: string, change: (payload: string) => string): ForgedToken => ({
  title,
  make: (oidc) => spelled(oidc, HEADER, change(JSON.stringify(oidc.claims()))),
});

const ofGoodToken = (title: string, change: (token: string) => string): ForgedToken => ({
  title,
  make: async (oidc) => change(await oidc.token()),
});

const withSecret = (
  title: string,
  hash: string,
  secretOf: (oidc: OidcNode) => Promise<string> | string,
): ForgedToken => ({
  title,
  make: async (oidc) => {
    const input = `${encode({ alg: `HS${hash.slice(3)}`, kid: 'first', typ: 'JWT' })}.${encode(oidc.claims())}`;
    return `${input}.${createHmac(hash, await secretOf(oidc))
      .update(input)
      .digest('base64url')}`;
  },
});

const signedBy = (title: string, algorithm: string, kid: string): ForgedToken => ({
  title,
  make: async (oidc) => signToken(await drawProviderKey(algorithm, kid), oidc.claims()),
});

const ALGORITHMS: readonly ForgedToken[] = [
  ...['none', 'None', 'NONE', ''].map(
    (alg): ForgedToken => ({
      title: `alg "${alg}" without a signature`,
      make: (oidc) => `${encode({ alg, typ: 'JWT' })}.${encode(oidc.claims())}.`,
    }),
  ),
  withHeader('alg none with a good signature', { alg: 'none' }),
  withHeader('no alg', { alg: undefined }),
  withHeader('an alg that is not a string', { alg: ['RS256'] }),
  withHeader('an alg in lower case', { alg: 'rs256' }),
  withHeader('an alg that the settings do not allow', { alg: 'RS512' }),
  withHeader('the alg of another kind of key', { alg: 'ES256' }),
  withHeader('an alg that encrypts', { alg: 'RSA-OAEP' }),
  withHeader('an alg with a prototype name', { alg: 'constructor' }),
  withSecret('HS256 by the public key in PEM', 'sha256', ({ key }) => exportSPKI(key.publicKey)),
  withSecret('HS256 by the public key as JSON', 'sha256', ({ key }) => JSON.stringify(key.jwk)),
  withSecret('HS256 by the modulus', 'sha256', ({ key }) => String(key.jwk.n)),
  withSecret('HS512 by the public key in PEM', 'sha512', ({ key }) => exportSPKI(key.publicKey)),
  withSecret('HS256 by the empty secret', 'sha256', () => ''),
  signedBy('RS256 by another key of the same id', 'RS256', 'first'),
  signedBy('RS256 by a key that nobody lists', 'RS256', 'second'),
  signedBy('PS256 by another key', 'PS256', 'first'),
  signedBy('ES256 by a key that nobody lists', 'ES256', 'first'),
  signedBy('EdDSA by a key that nobody lists', 'EdDSA', 'first'),
  {
    title: 'EdDSA on another curve',
    make: (oidc) => {
      const { privateKey } = generateKeyPairSync('ed448');
      const input = `${encode({ alg: 'EdDSA', kid: 'first' })}.${encode(oidc.claims())}`;
      return `${input}.${base64(sign(null, Buffer.from(input), privateKey))}`;
    },
  },
];

const HEADERS: readonly ForgedToken[] = [
  withHeader('b64 false', { b64: false, crit: ['b64'] }),
  withHeader('b64 true', { b64: true }),
  withHeader('an unknown member that is critical', { crit: ['exp'] }),
  withHeader('an empty list of critical members', { crit: [] }),
  {
    title: 'its own public key in the header',
    make: async (oidc) => {
      const own = await drawProviderKey('RS256', 'own');
      return signToken(own, oidc.claims(), { jwk: own.jwk });
    },
  },
  withHeader('jku', { jku: `${FAKE_ISSUER}/jwks` }),
  withHeader('x5u', { x5u: 'https://evil.example/cert' }),
  withHeader('x5c', { x5c: ['MIIB'] }),
  withHeader('a key id that is a path', { kid: '../../../../dev/null' }),
  withHeader('a key id that is SQL', { kid: "' UNION SELECT 'secret" }),
  withHeader('a key id that is a URL', { kid: 'https://evil.example/key' }),
  withHeader('a key id with a prototype name', { kid: '__proto__' }),
  withHeader('a key id that is not a string', { kid: { $ne: null } }),
  withHeader('a key id of 2 000 characters', { kid: 'k'.repeat(2_000) }),
  withHeader('the type of an access token', { typ: 'at+jwt' }),
  withHeader('the type of a logout token', { typ: 'logout+jwt' }),
  withHeader('the type of a security event', { typ: 'secevent+jwt' }),
  withHeader('a type that is not a string', { typ: 1 }),
  withHeader('the content type of a nested token', { cty: 'JWT' }),
  withHeader('compression', { zip: 'DEF' }),
  withHeader('a member of encryption', { enc: 'A128GCM' }),
  {
    title: 'alg twice in the header',
    make: (oidc) => spelled(oidc, '{"alg":"none","alg":"RS256","kid":"first"}', JSON.stringify(oidc.claims())),
  },
  { title: 'a header that is a list', make: (oidc) => spelled(oidc, '[]', JSON.stringify(oidc.claims())) },
  { title: 'a header that is no JSON', make: (oidc) => spelled(oidc, '{alg:RS256}', JSON.stringify(oidc.claims())) },
  {
    title: 'a header of 100 levels',
    make: (oidc) => {
      const header = `{"alg":"RS256","x":${'['.repeat(100)}${']'.repeat(100)}}`;
      return spelled(oidc, header, JSON.stringify(oidc.claims()));
    },
  },
  { title: 'a payload that is a text', make: (oidc) => spelled(oidc, HEADER, '"sub"') },
  { title: 'a payload with half a character', make: (oidc) => spelled(oidc, HEADER, '{"sub":"\\ud800"}') },
];

const FORMS: readonly ForgedToken[] = [
  { title: 'an empty token', make: () => '' },
  { title: 'a word', make: () => 'token' },
  { title: 'two dots', make: () => '..' },
  { title: '10 000 dots', make: () => '.'.repeat(10_000) },
  ofGoodToken('two segments', (token) => token.split('.').slice(0, 2).join('.')),
  ofGoodToken('four segments', (token) => `${token}.e30`),
  ofGoodToken('five segments', (token) => `${token}.e30.e30`),
  ofGoodToken('no signature', (token) => token.replace(/[^.]+$/, '')),
  ofGoodToken('a shortened signature', (token) => token.slice(0, -4)),
  ofGoodToken('a lengthened signature', (token) => `${token}AAAA`),
  ofGoodToken('padding', (token) => `${token}==`),
  ofGoodToken('a blank before it', (token) => ` ${token}`),
  ofGoodToken('a line end after it', (token) => `${token}\n`),
  ofGoodToken('a blank inside the token', (token) => token.replace('.', '. ')),
  ofGoodToken('the scheme before it', (token) => `Bearer ${token}`),
  ofGoodToken('the standard base64 alphabet', (token) => `${token.slice(0, -2)}+/`),
  ofGoodToken('a last character with spare bits', (token) => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    return token.slice(0, -1) + alphabet[alphabet.indexOf(token.slice(-1)) + 1];
  }),
  ofGoodToken('a first letter of the signature that was changed', (token) => {
    const at = token.lastIndexOf('.') + 1;
    return token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
  }),
  ofGoodToken('more than 16 KiB', (token) => token + 'A'.repeat(16 * 1024)),
  {
    title: 'the signature of another token',
    make: async (oidc) => {
      const [header, , signature] = (await oidc.token()).split('.');
      return [header, encode(oidc.claims({ sub: 'admin' })), signature].join('.');
    },
  },
  {
    title: 'an encrypted token',
    make: ({ claims }) =>
      new CompactEncrypt(Buffer.from(JSON.stringify(claims())))
        .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A128GCM' })
        .encrypt(generateKeyPairSync('rsa', { modulusLength: 2_048 }).publicKey),
  },
];

const MANY = Array.from({ length: 101 }, (_, n) => `audience-${n}`);

const CLAIMS: readonly ForgedToken[] = [
  ...['iss', 'sub', 'iat', 'exp', 'aud'].map((name) => withClaims(`no ${name}`, { [name]: undefined })),
  ...['iss', 'sub', 'iat', 'exp', 'aud'].map((name) => withClaims(`${name} is null`, { [name]: null })),
  ...['iss', 'sub', 'iat', 'exp', 'aud'].map((name) => withClaims(`${name} is an object`, { [name]: { a: 1 } })),
  ...['iat', 'exp', 'nbf'].map((name) => withClaims(`${name} is a text`, { [name]: '1772442000' })),
  ...['iat', 'exp', 'nbf'].map((name) => withClaims(`${name} is negative`, { [name]: -1 })),
  ...['iat', 'exp', 'nbf'].map((name) => withClaims(`${name} counts milliseconds`, { [name]: 1_900_000_000_000 })),
  ...['iss', 'sub', 'iat', 'exp', 'aud'].map((name) =>
    withSpelling(`${name} twice`, (payload) => payload.replace('{', `{"${name}":1,`)),
  ),
  withSpelling('an infinite exp', (payload) => payload.replace(/"exp":\d+/, '"exp":1e999')),
  withSpelling('a text after the payload', (payload) => `${payload}{}`),
  withClaims('another issuer', { iss: 'https://evil.example' }),
  withClaims('the issuer with a slash', { iss: `${FAKE_ISSUER}/` }),
  withClaims('the issuer in upper case', { iss: FAKE_ISSUER.toUpperCase() }),
  withClaims('a list with the issuer', { iss: [FAKE_ISSUER] }),
  withClaims('this node as its issuer', { iss: 'http://localhost:8765' }),
  withClaims('an empty subject', { sub: '' }),
  withClaims('a subject of 256 characters', { sub: 's'.repeat(256) }),
  withClaims('a subject with a line end', { sub: 'ann\r\nSet-Cookie: a=b' }),
  withClaims('a subject with a blank', { sub: 'ann b' }),
  withClaims('a subject that is not ASCII', { sub: 'änn' }),
  withClaims('a subject that is a number', { sub: 42 }),
  withClaims('another audience', { aud: 'somebody-else' }, 'audience mismatch'),
  withClaims('an audience in upper case', { aud: 'FACT-MEMORY' }, 'audience mismatch'),
  withClaims('an audience with a blank', { aud: 'fact-memory ' }, 'audience mismatch'),
  withClaims('an empty audience', { aud: '' }, 'audience mismatch'),
  withClaims('an empty list of audiences', { aud: [] }),
  withClaims('a list with something else', { aud: ['fact-memory', 1] }),
  withClaims('more than 100 audiences', { aud: [...MANY, 'fact-memory'], azp: 'fact-memory' }),
  withClaims('two audiences without azp', { aud: ['fact-memory', 'other'] }, 'audience mismatch'),
  withClaims('two audiences with another azp', { aud: ['fact-memory', 'other'], azp: 'other' }, 'audience mismatch'),
  withClaims('azp that is not a string', { azp: ['fact-memory'] }),
  withClaims('an events claim', { events: { 'http://schemas.openid.net/event/backchannel-logout': {} } }),
  withInstants('exp a minute ago', { iat: -600, exp: -60 }, 'id_token expired'),
  withInstants('exp at the edge of the leeway', { iat: -600, exp: -30 }, 'id_token expired'),
  withInstants('nbf in a minute', { nbf: 60 }),
  withInstants('iat in a minute', { iat: 60, exp: 600 }),
  withInstants('exp before iat', { iat: 20, exp: 10 }),
];

/** Returns a valid token, built in the same way as the forged ones. */
export const goodToken = (oidc: OidcNode): string => spelled(oidc, HEADER, JSON.stringify(oidc.claims()));

export const FORGED_TOKENS: readonly ForgedToken[] = [...ALGORITHMS, ...HEADERS, ...FORMS, ...CLAIMS];
