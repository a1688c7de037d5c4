import { expect } from 'chai';
import { createLoopbackNetwork } from '../../fakes/loopback-network.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import {
  DISCOVERY,
  DISCOVERY_PATH,
  drawProviderKey,
  FAKE_ISSUER,
  type FakeProvider,
  jsonReply,
  serveFakeProvider,
  signToken,
} from '../../kit/oidc/fake-provider.ts';
import type { TestReply } from '../../kit/test-request.ts';
import {
  answerOf,
  askFor,
  authorize,
  challengeOf,
  cookieOf,
  decide,
  form,
  NODE_URL,
  OAUTH_PLUGINS,
  type OAuthNode,
  redeem,
  startOAuthNode,
  statusWith,
} from './oauth-kit.ts';

const HOUR_MS = 3_600_000;
const RETURN_URL = `${NODE_URL}/oauth/signed-in`;
const CLIENT = 'memory';
const key = drawProviderKey('ES256', 'first');

type Claims = Readonly<Record<string, unknown>>;

/** A sign-in that a browser has begun at the node. */
interface Begun {
  readonly asked: Readonly<Record<string, string>>;
  readonly cookie: string;
}

forEachStore('a sign-in by the identity provider, at the consent page (I14)', () => {
  let node: OAuthNode;
  let provider: FakeProvider;
  before(async () => {
    const clock = createManualClock();
    const network = createLoopbackNetwork(clock);
    provider = await serveFakeProvider(network.transport(FAKE_ISSUER), [(await key).jwk]);
    const oidc = { enabled: true, issuerUrl: FAKE_ISSUER, clientId: CLIENT, allowedDomains: ['example.com'] };
    const options = { plugins: [...OAUTH_PLUGINS, 'oidc'], clock, network, settings: { oidc } };
    node = await startOAuthNode({}, options);
  });
  after(() => node.stop());

  const begin = async (query = askFor(node.clientId)): Promise<Begun> => {
    const headers = { 'Sec-Fetch-Site': 'same-origin' };
    const reply = await node.request('GET', `/oauth/provider?${query}`, { headers });
    expect(reply.status, reply.text).to.equal(303);
    const asked = Object.fromEntries(new URL(reply.headers['location'] ?? '').searchParams);
    return { asked, cookie: cookieOf(reply) };
  };

  /** Lets the provider give an id token with these claims for the next codes. */
  const vouch = (begun: Begun, claims: Claims = {}): void => {
    const now = Math.floor(node.clock.nowMs() / 1_000);
    const email = { email: 'alice@example.com', email_verified: true };
    const usual = {
      iss: FAKE_ISSUER,
      sub: 'alice',
      aud: CLIENT,
      iat: now,
      exp: now + 300,
      nonce: begun.asked['nonce'],
    };
    provider.replies.set('/token', async (body) => {
      const { code_verifier: verifier = '', redirect_uri } = Object.fromEntries(new URLSearchParams(body));
      const isSound = challengeOf(verifier) === begun.asked['code_challenge'] && redirect_uri === RETURN_URL;
      if (!isSound) return jsonReply({ error: 'invalid_grant' }, 400);
      return jsonReply({ id_token: await signToken(await key, { ...usual, ...email, roles: 'writer', ...claims }) });
    });
  };

  const comeBack = (begun: Begun, changes: Readonly<Record<string, string | undefined>> = {}): Promise<TestReply> => {
    const query = form({ code: 'a-code', state: begun.asked['state'], iss: FAKE_ISSUER, ...changes });
    return node.request('GET', `/oauth/signed-in?${query}`, { headers: { Cookie: begun.cookie } });
  };

  const consentOf = async (claims: Claims = {}): Promise<TestReply> => {
    const begun = await begin();
    vouch(begun, claims);
    return comeBack(begun);
  };

  const tokenAfter = async (page: TestReply): Promise<string> => {
    expect(page.status, page.text).to.equal(200);
    const code = answerOf(await decide(node, page)).get('code') ?? '';
    return (await redeem(node, node.clientId, code)).body.access_token;
  };

  it('is offered beside the key, and redirects to the provider with PKCE, a state and a nonce', async () => {
    const query = askFor(node.clientId);
    const page = await authorize(node, query);
    expect(page.text).to.include('href="provider?').and.include('name="key"');
    const { asked, cookie } = await begin(query);
    expect(asked).to.include({ client_id: CLIENT, redirect_uri: RETURN_URL, code_challenge_method: 'S256' });
    expect(asked['state']).to.have.length(43);
    expect(asked['nonce']).to.match(/^node-sign-in\./);
    expect(cookie).to.match(/^__Host-consent=provider\./);
  });

  it('gives a client access with the rights of the role, in the name of the person', async () => {
    const access = await tokenAfter(await consentOf());
    const { body: me } = await node.request('GET', '/v1/me', { key: access });
    expect(me).to.deep.include({ permissions: ['read', 'write'], allowed_scopes: ['local'] });
    expect(me.entity_uri).to.match(/^agent:/);
    const admin = await node.addKey({ entityUri: 'user:admin', permissions: ['read', 'admin'] });
    const { grants } = (await node.request('GET', '/v1/oauth/grants', { key: admin })).body;
    expect(grants[0]).to.include({ person_uri: 'oidc:alice', entity_uri: me.entity_uri });
  });

  it('gives a reader no right to write', async () => {
    const page = await consentOf({ sub: 'rita', roles: 'reader' });
    expect(page.text).to.not.include('value="write"');
    const { body: me } = await node.request('GET', '/v1/me', { key: await tokenAfter(page) });
    expect(me.permissions).to.deep.equal(['read']);
  });

  it('keeps the earlier grant at the next sign-in, unless the person has fewer rights by then', async () => {
    const first = await tokenAfter(await consentOf({ sub: 'nora' }));
    const second = await tokenAfter(await consentOf({ sub: 'nora', roles: 'admin' }));
    expect([await statusWith(node, first), await statusWith(node, second)]).to.deep.equal([200, 200]);
    await consentOf({ sub: 'nora', roles: 'reader' });
    expect([await statusWith(node, first), await statusWith(node, second)]).to.deep.equal([401, 401]);
  });

  it('gives access for as long as the key of a token exchange would be valid', async () => {
    const begun = await begin();
    vouch(begun, { sub: 'timo' });
    const page = await comeBack(begun);
    const end = new Date(node.clock.nowMs() + 8 * HOUR_MS).toISOString();
    expect(page.text).to.include(`at the latest, ${end}`);
  });

  it('is accepted only in the browser that began it, with its state, and once', async () => {
    const begun = await begin();
    const other = await begin();
    vouch(begun);
    const asked = provider.asked.length;
    for (const [browser, state] of [
      [{ ...begun, cookie: '' }, begun.asked['state']],
      [{ ...begun, cookie: other.cookie }, begun.asked['state']],
      [begun, other.asked['state']],
      [begun, undefined],
      [begun, ''],
    ] as const) {
      expect((await comeBack(browser, { state })).status).to.equal(400);
    }
    expect(provider.asked).to.have.length(asked);
    const page = await comeBack(begun);
    expect(page.status).to.equal(200);
    expect(page.headers['set-cookie']).to.match(/^__Host-consent=(?!provider).*SameSite=Strict/);
    expect((await comeBack({ ...begun, cookie: cookieOf(page) })).status).to.equal(400);
  });

  it('accepts no response of another provider, and none without an issuer if the provider announces it', async () => {
    const begun = await begin();
    vouch(begun);
    expect((await comeBack(begun, { iss: 'https://evil.example' })).status).to.equal(401);
    provider.replies.set(DISCOVERY_PATH, () =>
      jsonReply({ ...DISCOVERY, authorization_response_iss_parameter_supported: true }),
    );
    await node.clock.advance(HOUR_MS);
    const later = await begin();
    vouch(later);
    expect((await comeBack(later, { iss: undefined })).status).to.equal(401);
    expect((await comeBack(later)).status).to.equal(200);
  });

  for (const [attack, claims] of Object.entries({
    'for another sign-in': { nonce: `node-sign-in.${'x'.repeat(43)}` },
    'without a nonce': { nonce: undefined },
    'for another client': { aud: 'somebody-else' },
    'of another issuer': { iss: 'https://evil.example' },
    'that has expired': { iat: 0, exp: 1 },
  })) {
    it(`accepts no id token ${attack}`, async () => {
      const page = await consentOf(claims);
      expect(page.status).to.equal(401);
      expect(page.text).to.include('did not sign you in').and.not.include('name="ticket"');
    });
  }

  it('gives no access to a person of another domain, or one whom the provider refuses', async () => {
    expect((await consentOf({ email: 'mallory@evil.example' })).status).to.equal(403);
    const refused = await begin();
    const page = await comeBack(refused, { code: undefined, error: 'access_denied' });
    expect([page.status, page.text.includes('did not sign you in')]).to.deep.equal([401, true]);
  });

  it('cannot be started by a page of another site', async () => {
    const query = askFor(node.clientId);
    for (const headers of [{ 'Sec-Fetch-Site': 'cross-site' }, { Origin: 'https://evil.example' }]) {
      const reply = await node.request('GET', `/oauth/provider?${query}`, { headers });
      expect([reply.status, reply.headers['location'], reply.headers['set-cookie']]).to.deep.equal([
        200,
        undefined,
        undefined,
      ]);
    }
  });

  it('leaves the sign-in by key usable if the provider is unreachable or the request is too long', async () => {
    const long = await node.request('GET', `/oauth/provider?${askFor(node.clientId, { state: 'é'.repeat(700) })}`);
    expect([long.status, long.text.includes('name="key"')]).to.deep.equal([401, true]);
    provider.replies.set(DISCOVERY_PATH, () => jsonReply({}, 500));
    await node.clock.advance(2 * HOUR_MS);
    const reply = await node.request('GET', `/oauth/provider?${askFor(node.clientId)}`);
    expect([reply.status, reply.headers['content-type']]).to.deep.equal([503, 'text/html; charset=utf-8']);
    expect((await authorize(node, askFor(node.clientId))).text).to.include('name="key"');
  });
});
