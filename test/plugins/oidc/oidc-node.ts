import { KeyObject } from 'node:crypto';
import { createLoopbackNetwork } from '../../fakes/loopback-network.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import {
  drawProviderKey,
  FAKE_ISSUER,
  type FakeProvider,
  type ProviderKey,
  serveFakeProvider,
  signToken,
} from '../../kit/oidc/fake-provider.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import type { TestReply } from '../../kit/test-request.ts';

export const AUDIENCE = 'fact-memory';
export const SUBJECT = 'auth0|5f7c8ec7c33c6c004bbafe82';
export const EXCHANGE = '/v1/auth/oidc/exchange';

type Claims = Readonly<Record<string, unknown>>;

/** A node that accepts id tokens of a fake identity provider. */
export interface OidcNode {
  readonly node: TestNode;
  readonly provider: FakeProvider;
  readonly key: ProviderKey;
  /** The private key of the provider, for signatures that no library creates. */
  readonly nodeKey: KeyObject;
  /** Returns the claims of a token that is valid now, with the given changes. */
  claims(changes?: Claims): Record<string, unknown>;
  /** Returns a token of the provider with the given claims, valid by default. */
  token(changes?: Claims, header?: Claims): Promise<string>;
  exchange(body: unknown): Promise<TestReply>;
  /** Exchanges a token with the given claims, valid by default. */
  signIn(changes?: Claims, body?: Claims): Promise<TestReply>;
}

// Generating an RSA key is slow, so all tests share one and only read it.
const shared = drawProviderKey('RS256', 'first');

export const startOidcNode = async (
  options: {
    readonly settings?: Claims;
    readonly keys?: Claims;
    readonly plugins?: readonly string[];
    /** Quotas in the format of `SVC_RATE_LIMITS`. */
    readonly limits?: string;
  } = {},
): Promise<OidcNode> => {
  const clock = createManualClock();
  const network = createLoopbackNetwork(clock);
  const key = await shared;
  const provider = await serveFakeProvider(network.transport(FAKE_ISSUER), [key.jwk]);
  const oidc = { enabled: true, issuerUrl: FAKE_ISSUER, audience: AUDIENCE, clientId: 'node-client' };
  const node = await startTestNode({
    plugins: options.plugins ?? ['keys', 'audit', 'facts', 'node-info', 'oidc'],
    settings: {
      oidc: { ...oidc, ...options.settings },
      ...(options.keys && { keys: options.keys }),
      ...(options.limits !== undefined && { 'rate-limits': { perMinute: options.limits } }),
    },
    network,
    clock,
  });
  const claims: OidcNode['claims'] = (changes = {}) => {
    const now = Math.floor(clock.nowMs() / 1_000);
    return { iss: FAKE_ISSUER, sub: SUBJECT, aud: AUDIENCE, iat: now, exp: now + 300, ...changes };
  };
  const token: OidcNode['token'] = (changes, header) => signToken(key, claims(changes), header);
  const exchange: OidcNode['exchange'] = (body) => node.request('POST', EXCHANGE, { body });
  return {
    node,
    provider,
    key,
    nodeKey: KeyObject.from(key.privateKey),
    claims,
    token,
    exchange,
    signIn: async (changes, body) => exchange({ id_token: await token(changes), ...body }),
  };
};
