import { expect } from 'chai';
import { nonceOf, type SignInBinding } from '../../../plugins/oidc/sign-in-binding.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { jsonReply } from '../../kit/oidc/fake-provider.ts';
import { type OidcNode, SUBJECT, startOidcNode } from './oidc-node.ts';

const HOUR_MS = 3_600_000;
const CODE = {
  code: 'code-1',
  code_verifier: 'v'.repeat(43),
  redirect_uri: 'http://127.0.0.1:4711/callback',
};

const SALT = 's'.repeat(43);

/** The claims of a sign-in at the node of the tests, with the given changes. */
const bound = (changes: Partial<SignInBinding> = {}) => ({
  nonce: nonceOf({ address: 'http://localhost:8765', permissions: ['read', 'write'], salt: SALT, ...changes }),
});

forEachStore('an exchange of an id token', () => {
  let oidc: OidcNode;
  beforeEach(async () => {
    oidc = await startOidcNode();
  });
  afterEach(() => oidc.node.stop());

  const me = async (key: string) => oidc.node.request('GET', '/v1/me', { key });
  const keyOf = async (body: Readonly<Record<string, unknown>> = {}, claims = {}): Promise<string> => {
    const { status, text, body: reply } = await oidc.signIn(claims, body);
    expect(status, text).to.equal(200);
    return reply.api_key;
  };
  const auditLog = async () => {
    const key = await oidc.node.addKey({ entityUri: 'agent:ops', permissions: ['admin'] });
    return (await oidc.node.request('GET', '/v1/auth/audit', { key })).body.entries;
  };

  it('creates a normal API key that is valid for some hours', async () => {
    const { status, body, headers } = await oidc.signIn({ roles: ['writer'] });
    expect(status).to.equal(200);
    expect(body).to.have.all.keys('api_key', 'entity_uri', 'permissions', 'expires_at');
    expect(body.api_key).to.match(/^[0-9a-f]{64}$/);
    expect(body).to.deep.include({
      entity_uri: `oidc:${SUBJECT}`,
      permissions: ['read', 'write'],
      expires_at: '2026-03-02T17:00:00.000Z',
    });
    expect(headers['cache-control']).to.equal('no-store');
    expect((await me(body.api_key)).body).to.deep.equal({
      entity_uri: `oidc:${SUBJECT}`,
      permissions: ['read', 'write'],
      tenant_id: 'default',
      oidc_sub: SUBJECT,
      allowed_scopes: ['local', 'team', 'company', 'public'],
    });
    const fact = { entity: 'user:a', relation: 'memory:role', value: { type: 'string', v: 'x' }, source: 'user:a' };
    expect((await oidc.node.request('POST', '/v1/facts', { key: body.api_key, body: fact })).status).to.equal(201);
    await oidc.node.clock.advance(8 * HOUR_MS - 1);
    expect((await me(body.api_key)).status).to.equal(200);
    await oidc.node.clock.advance(1);
    expect((await me(body.api_key)).status).to.equal(401);
  });

  it('creates a new key each time, and can be repeated while the token is valid', async () => {
    const id_token = await oidc.token();
    const first = await oidc.exchange({ id_token });
    const second = await oidc.exchange({ id_token });
    expect([first.status, second.status]).to.deep.equal([200, 200]);
    expect(second.body.api_key).not.to.equal(first.body.api_key);
  });

  it('replaces only the earlier key of the same person and client', async () => {
    const plain = await keyOf();
    const laptop = await keyOf({ client: 'laptop' });
    const phone = await keyOf({ client: 'phone' });
    const other = await keyOf({ client: 'laptop' }, { sub: 'somebody-else' });
    const renewed = await keyOf({ client: 'laptop' });
    const statuses = await Promise.all(
      [plain, laptop, phone, other, renewed].map(async (key) => (await me(key)).status),
    );
    expect(statuses).to.deep.equal([200, 401, 200, 200, 200]);
    const { body: own } = await oidc.node.request('GET', '/v1/auth/keys', { key: renewed });
    expect(own.map(({ description }: { description: string }) => description)).to.have.members([
      null,
      'laptop',
      'phone',
    ]);
    expect(own.every(({ oidc_sub }: { oidc_sub: string }) => oidc_sub === SUBJECT)).to.equal(true);
  });

  it('leaves one key after several exchanges at the same time', async () => {
    const id_token = await oidc.token();
    const replies = await Promise.all(Array.from({ length: 5 }, () => oidc.exchange({ id_token, client: 'laptop' })));
    const statuses = await Promise.all(replies.map(async ({ body }) => (await me(body.api_key)).status));
    expect(statuses.toSorted()).to.deep.equal([200, 401, 401, 401, 401]);
  });

  it('is audited with the person, permissions and replaced keys, but without token and key', async () => {
    const id_token = await oidc.token({ roles: 'admin' });
    const first = await oidc.exchange({ id_token, client: 'laptop', permissions: ['read', 'admin'] });
    const second = await oidc.exchange({ id_token, client: 'laptop' });
    const entries = await auditLog();
    const exchanges = entries.filter(({ entity_uri }: { entity_uri: string }) => entity_uri === `oidc:${SUBJECT}`);
    expect(exchanges.map(({ event_type }: { event_type: string }) => event_type)).to.deep.equal([
      'admin_action',
      'api_key_revoked',
      'admin_action',
    ]);
    const [made, revoked] = exchanges;
    expect(made.oidc_sub).to.equal(SUBJECT);
    expect(made.detail).to.deep.include({
      action: 'oidc_exchange',
      target_entity_uri: `oidc:${SUBJECT}`,
      permissions: ['admin', 'read'],
      roles: ['admin'],
      client: 'laptop',
    });
    expect(revoked.detail.key_id).to.equal(made.detail.new_key_id);
    for (const secret of [id_token, first.body.api_key, second.body.api_key])
      expect(JSON.stringify(entries)).not.to.include(secret);
  });

  it('grants only the requested permissions, limited by the roles', async () => {
    const permissionsOf = async (roles: unknown, permissions?: readonly string[]) =>
      (await oidc.signIn({ roles }, { permissions })).body.permissions;
    expect(await permissionsOf('admin')).to.deep.equal(['read', 'write']);
    expect(await permissionsOf('admin', ['admin'])).to.deep.equal(['admin']);
    expect(await permissionsOf('reader')).to.deep.equal(['read']);
    expect(await permissionsOf('admin', ['federate', 'read', 'audit.read'])).to.deep.equal(['read']);
    const none = await oidc.signIn({ roles: 'reader' }, { permissions: ['admin', 'write'] });
    expect([none.status, none.body.code]).to.deep.equal([403, 'authorization']);
  });

  it('creates a key that may not register keys, for every role', async () => {
    const key = await keyOf({ permissions: ['read', 'admin'] }, { roles: 'admin' });
    const body = { raw_key: 'a'.repeat(40), entity_uri: 'agent:static', permissions: ['read'] };
    expect((await oidc.node.request('POST', '/v1/auth/keys', { key, body })).status).to.equal(403);
  });

  it('creates keys for a limited number of clients, and deletes most ended keys', async () => {
    const id_token = await oidc.token();
    for (let n = 0; n < 50; n += 1) {
      expect((await oidc.exchange({ id_token, client: `c${n}` })).status).to.equal(200);
    }
    const more = await oidc.exchange({ id_token, client: 'one-more' });
    expect([more.status, more.body.code]).to.deep.equal([409, 'limit_reached']);
    for (let n = 0; n < 60; n += 1) {
      expect((await oidc.exchange({ id_token, client: 'c1' })).status).to.equal(200);
    }
    const other = await oidc.signIn({ sub: 'somebody-else' }, { client: 'one-more' });
    expect(other.status).to.equal(200);
    const { KeyRegistry } = await import('../../../plugins/keys/keys-api.ts');
    // The person has 50 active keys and at most 51 ended ones; the other person has one key.
    expect(await oidc.node.kernel.get(KeyRegistry).count()).to.be.at.most(50 + 51 + 1);
  });

  it('counts only against the quota of the person in the token', async () => {
    const limited = await startOidcNode({
      plugins: ['keys', 'oidc', 'rate-limits'],
      limits: 'token_issue=2',
    });
    try {
      const first = await limited.signIn();
      expect([first.status, first.headers['ratelimit-remaining']]).to.deep.equal([200, '1']);
      for (let n = 0; n < 5; n += 1) expect((await limited.signIn({ exp: 1, iat: 0 })).status).to.equal(401);
      expect((await limited.signIn()).status).to.equal(200);
      const refused = await limited.signIn();
      expect([refused.status, refused.body.code]).to.deep.equal([429, 'quota_exceeded']);
      expect(Number(refused.headers['retry-after'])).to.be.at.least(1);
      expect((await limited.signIn({ sub: 'somebody-else' })).status).to.equal(200);
    } finally {
      await limited.node.stop();
    }
  });

  it('redeems an authorization code as the client of the node', async () => {
    const forms: string[] = [];
    const id_token = await oidc.token({ aud: 'node-client', ...bound() });
    oidc.provider.replies.set('/token', (form) => {
      forms.push(form);
      return jsonReply({ access_token: 'a', id_token });
    });
    const { status, text, body } = await oidc.exchange({ ...CODE, salt: SALT, client: 'browser' });
    expect(status, text).to.equal(200);
    expect((await me(body.api_key)).body.oidc_sub).to.equal(SUBJECT);
    expect(Object.fromEntries(new URLSearchParams(forms[0]))).to.deep.equal({
      grant_type: 'authorization_code',
      client_id: 'node-client',
      ...CODE,
    });
  });

  it('refuses a code that the provider refuses, and one that yields an invalid token', async () => {
    oidc.provider.replies.set('/token', () => jsonReply({ error: 'invalid_grant', error_description: 'secret' }, 400));
    const refused = await oidc.exchange(CODE);
    expect([refused.status, refused.body.detail]).to.deep.equal([
      401,
      'invalid: the identity provider refused the code',
    ]);
    const foreign = await oidc.token({ aud: 'somebody-else' });
    oidc.provider.replies.set('/token', () => jsonReply({ id_token: foreign }));
    const mismatched = await oidc.exchange(CODE);
    expect([mismatched.status, mismatched.body.detail]).to.deep.equal([401, 'audience mismatch']);
  });

  it('refuses a sign-in meant for another node or other permissions, or at a loopback address without a node', async () => {
    const otherNode = 'the sign-in was made for another address than that of this node, or for other permissions';
    const refused = async (nonce: Record<string, unknown>, body: object) => {
      oidc.provider.replies.set('/token', async () => jsonReply({ id_token: await oidc.token(nonce) }));
      for (const credential of [{ id_token: await oidc.token(nonce) }, CODE]) {
        const { status, body: reply } = await oidc.exchange({ ...credential, ...body });
        expect([status, reply.detail]).to.deep.equal([401, `invalid: ${otherNode}`]);
      }
    };
    await refused(bound({ address: 'https://evil.example' }), { salt: SALT });
    await refused(bound(), { salt: SALT, permissions: ['read', 'write', 'admin'] });
    await refused(bound(), { salt: 'T'.repeat(43) });
    await refused(bound(), {});
    await refused({}, { salt: SALT });
    oidc.provider.replies.set('/token', async () => jsonReply({ id_token: await oidc.token() }));
    expect((await oidc.exchange(CODE)).status).to.equal(401);
    const own = { ...CODE, redirect_uri: 'http://127.0.0.1:8765/console/signed-in' };
    expect((await oidc.exchange(own)).status).to.equal(200);
    expect((await oidc.exchange({ ...CODE, redirect_uri: 'https://node.example/console/signed-in' })).status).to.equal(
      200,
    );
    for (const address of ['http://localhost:8765', 'HTTP://127.0.0.1:8765/', 'http://[::1]:8765']) {
      const reply = await oidc.signIn(bound({ address, permissions: ['write', 'read'] }), { salt: SALT });
      expect(reply.status, address).to.equal(200);
    }
    expect((await oidc.signIn({ nonce: 'a nonce of another program' })).status).to.equal(200);
  });

  it('is described by the metadata of the node, with the issuer and the client id', async () => {
    const metadata = await oidc.node.request('GET', '/.well-known/svc');
    expect(metadata.body.oidc).to.deep.equal({ issuer: 'https://idp.example', client_id: 'node-client' });
    const resource = await oidc.node.request('GET', '/.well-known/oauth-protected-resource');
    expect(resource.status).to.equal(200);
    expect(resource.body).to.deep.equal({
      resource: 'http://localhost:8765',
      authorization_servers: ['https://idp.example'],
      bearer_methods_supported: ['header'],
      resource_documentation: 'http://localhost:8765/spec',
      client_id: 'node-client',
    });
  });
});
