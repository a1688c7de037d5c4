import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import type { Endpoint, OutboundReply, Transport } from '../../../ports/ports.ts';

export const FAKE_ISSUER = 'https://idp.example';

/** A key pair of the provider. */
export interface ProviderKey {
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  /** The public key, as the key document lists it. */
  readonly jwk: JWK;
  readonly algorithm: string;
}

type CryptoKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

/** Generates a key pair. The JWK names no algorithm, so it fits any algorithm of its kind. */
export const drawProviderKey = async (algorithm: string, kid: string): Promise<ProviderKey> => {
  const options = { extractable: true, ...(algorithm === 'EdDSA' && { crv: 'Ed25519' }) };
  const { privateKey, publicKey } = await generateKeyPair(algorithm, options);
  return { privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig' }, algorithm };
};

/** A simulated identity provider, whose replies a test controls. */
export interface FakeProvider {
  /** Replies by path, each of which a test may replace. */
  readonly replies: Map<string, (body: string) => OutboundReply | Promise<OutboundReply>>;
  /** The requested paths, in order. */
  readonly asked: string[];
  /** Replaces the keys that the provider lists. */
  listKeys(...keys: readonly unknown[]): void;
}

export const jsonReply = (body: unknown, status = 200): OutboundReply => ({
  status,
  headers: { 'Content-Type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

export const DISCOVERY = {
  issuer: FAKE_ISSUER,
  jwks_uri: `${FAKE_ISSUER}/jwks`,
  token_endpoint: `${FAKE_ISSUER}/token`,
  authorization_endpoint: `${FAKE_ISSUER}/auth`,
  device_authorization_endpoint: `${FAKE_ISSUER}/device`,
};

/** The path of the discovery document. */
export const DISCOVERY_PATH = '/.well-known/openid-configuration';

/** Serves the provider at `FAKE_ISSUER`, through the transport of that address. */
export const serveFakeProvider = async (transport: Transport, keys: readonly JWK[]): Promise<FakeProvider> => {
  const asked: string[] = [];
  const replies: FakeProvider['replies'] = new Map([
    [DISCOVERY_PATH, () => jsonReply(DISCOVERY)],
    ['/jwks', () => jsonReply({ keys })],
  ]);
  const endpoint = (method: string): Endpoint => ({
    method,
    path: '/*path',
    async handle(request) {
      asked.push(request.path);
      const body = Buffer.from(await request.body(65_536)).toString();
      return (await replies.get(request.path)?.(body)) ?? jsonReply({}, 404);
    },
  });
  await transport.serve({
    endpoints: [endpoint('GET'), endpoint('POST')],
    unmatched: async () => jsonReply({}, 404),
  });
  return {
    replies,
    asked,
    listKeys: (...listed) => {
      replies.set('/jwks', () => jsonReply({ keys: listed }));
    },
  };
};

/** Signs an id token. Undefined members are omitted. */
export const signToken = (
  key: Pick<ProviderKey, 'privateKey' | 'jwk' | 'algorithm'>,
  claims: Readonly<Record<string, unknown>>,
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> =>
  new SignJWT(JSON.parse(JSON.stringify(claims)))
    .setProtectedHeader({ alg: key.algorithm, kid: key.jwk.kid, typ: 'JWT', ...header } as { alg: string })
    .sign(key.privateKey);
