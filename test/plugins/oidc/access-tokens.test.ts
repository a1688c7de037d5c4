import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { drawProviderKey, signToken } from '../../kit/oidc/fake-provider.ts';
import { startTestNode } from '../../kit/start-test-node.ts';
import { AUDIENCE, type OidcNode, SUBJECT, startOidcNode } from './oidc-node.ts';

const RESOURCE = 'https://memory.example/v1/mcp';
const HOUR_MS = 3_600_000;

type Claims = Readonly<Record<string, unknown>>;

forEachStore('an access token of the identity provider (I14)', () => {
  let oidc: OidcNode;
  before(async () => {
    oidc = await startOidcNode({ settings: { accessTokenAudience: RESOURCE } });
  });
  after(() => oidc.node.stop());

  const tokenWith = (claims: Claims = {}, header: Claims = { typ: 'at+jwt' }): Promise<string> =>
    oidc.token({ aud: RESOURCE, roles: ['writer'], ...claims }, header);
  const me = async (key: string) => oidc.node.request('GET', '/v1/me', { key });

  it('is valid in place of a key, with the entity and rights of the exchange', async () => {
    const { status, body } = await me(await tokenWith());
    expect(status).to.equal(200);
    expect(body).to.deep.include({
      entity_uri: `oidc:${SUBJECT}`,
      permissions: ['read', 'write'],
      tenant_id: 'default',
      oidc_sub: SUBJECT,
    });
    const fact = { entity: 'user:a', relation: 'memory:role', value: { type: 'string', v: 'x' }, source: 'user:a' };
    const key = await tokenWith();
    expect((await oidc.node.request('POST', '/v1/facts', { key, body: fact })).status).to.equal(201);
  });

  it('grants the permissions of its scope, limited by the roles', async () => {
    const permissionsOf = async (claims: Claims) => (await me(await tokenWith(claims))).body.permissions;
    expect(await permissionsOf({ scope: 'openid read' })).to.deep.equal(['read']);
    expect(await permissionsOf({ scope: 'openid' })).to.deep.equal(['read', 'write']);
    expect(await permissionsOf({ scope: 'read write admin' })).to.deep.equal(['read', 'write']);
    expect(await permissionsOf({ roles: 'admin', scope: 'read admin' })).to.deep.equal(['admin', 'read']);
    expect(await permissionsOf({ roles: undefined })).to.deep.equal(['read']);
    expect((await me(await tokenWith({ roles: 'reader', scope: 'admin' }))).status).to.equal(403);
  });

  it('may name several audiences and any client, because clients other than the node request it', async () => {
    const claims = { aud: ['account', RESOURCE], azp: 'some-assistant' };
    expect((await me(await tokenWith(claims, { typ: 'JWT' }))).status).to.equal(200);
    expect((await me(await tokenWith(claims, { typ: 'application/at+jwt' }))).status).to.equal(200);
  });

  for (const [attack, claims] of Object.entries<Claims>({
    'for another resource': { aud: 'https://other.example' },
    'for a resource that begins alike': { aud: `${RESOURCE}/more` },
    'for nobody': { aud: undefined },
    'of another issuer': { iss: 'https://evil.example' },
    'that has expired': { iat: 0, exp: 1 },
    'of the future': { iat: 4_000_000_000, exp: 4_000_000_300 },
    'without an end': { exp: undefined },
    'bound to a key of its client': { cnf: { jkt: 'x' } },
    'without a subject': { sub: undefined },
    'of a logout': { events: {} },
  })) {
    it(`is refused like a wrong key: ${attack}`, async () => {
      const reply = await me(await tokenWith(claims));
      expect([reply.status, reply.body.code]).to.deep.equal([401, 'authentication']);
    });
  }

  it('is refused with a foreign or missing signature, and as an id token', async () => {
    const foreign = await drawProviderKey('RS256', 'first');
    expect((await me(await signToken(foreign, oidc.claims({ aud: RESOURCE })))).status).to.equal(401);
    const [, payload] = (await tokenWith()).split('.');
    const unsigned = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
    for (const token of [`${unsigned}.${payload}.`, `${unsigned}.${payload}.AA`]) {
      expect((await me(token)).status).to.equal(401);
    }
    const idToken = await oidc.token();
    expect((await me(idToken)).status).to.equal(401);
    expect((await oidc.exchange({ id_token: await tokenWith() })).status).to.equal(401);
  });

  it('creates no API key, and ends at its own expiry, during an open request too', async () => {
    const key = await tokenWith({ roles: 'admin', scope: 'read admin' });
    const body = { raw_key: 'a'.repeat(40), entity_uri: 'agent:static', permissions: ['read'] };
    expect((await oidc.node.request('POST', '/v1/auth/keys', { key, body })).status).to.equal(403);
    await oidc.node.clock.advance(331_000);
    expect((await me(key)).status).to.equal(401);
  });

  it('is verified with the current keys of the provider', async () => {
    const next = await drawProviderKey('ES256', 'second');
    const token = await signToken(next, oidc.claims({ aud: RESOURCE }), { typ: 'at+jwt' });
    expect((await me(token)).status).to.equal(401);
    oidc.provider.listKeys(oidc.key.jwk, next.jwk);
    await oidc.node.clock.advance(30_000);
    expect((await me(token)).status).to.equal(200);
    oidc.provider.listKeys(next.jwk);
    await oidc.node.clock.advance(HOUR_MS);
    expect((await me(await tokenWith())).status).to.equal(401);
  });
});

describe('an access token of the identity provider, used for work that continues after the request (I16)', () => {
  it('cannot create a webhook, and a stream that it opens ends at once', async () => {
    const plugins = ['keys', 'audit', 'facts', 'conflicts', 'node-info', 'capability-tokens', 'subscriptions', 'oidc'];
    const { node, token } = await startOidcNode({ plugins, settings: { accessTokenAudience: RESOURCE } });
    try {
      const person = `oidc:${SUBJECT}`;
      const target = 'svc://alpha.example/project/atlas';
      const key = await node.addKey({ entityUri: person });
      const access = await token({ aud: RESOURCE, roles: 'writer' });
      const asked = { issuer: person, subject: person, verb: 'subscribe', object: target, ttl_seconds: 600 };
      const issued = await node.request('POST', '/v1/federation/capability-tokens', { key, body: asked });
      const subscribe = (credential: string) =>
        node.request('POST', '/v1/subscriptions', {
          key: credential,
          headers: { 'X-Svc-Capability': issued.body.token_json },
          body: { target, on_change: 'webhook', webhook_url: 'https://hook.example/in' },
        });
      expect((await subscribe(access)).status).to.equal(403);
      const { body } = await subscribe(key);
      const stream = await node.request('GET', `/v1/subscriptions/${body.id}/stream`, { key: access });
      expect(stream.text).to.match(/^: open\nid: [\dTZ:.-]+\n\n$/);
    } finally {
      await node.stop();
    }
  });
});

describe('the setting SVC_OIDC_ACCESS_TOKEN_AUDIENCE', () => {
  it('is not set by default, so that no access token is accepted', async () => {
    const { node, token } = await startOidcNode();
    const key = await token({ aud: 'https://memory.example/v1/mcp' }, { typ: 'at+jwt' });
    expect((await node.request('GET', '/v1/me', { key })).status).to.equal(401);
    await node.stop();
  });

  it('cannot be the audience of id tokens', async () => {
    const oidc = { enabled: true, issuerUrl: 'https://idp.example', audience: AUDIENCE, accessTokenAudience: AUDIENCE };
    const error = await startTestNode({ plugins: ['keys', 'oidc'], settings: { oidc } }).catch((one: unknown) => one);
    expect(String(error)).to.include('both have one audience');
  });
});
