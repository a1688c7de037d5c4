import { expect } from 'chai';
import { EXCHANGE, type OidcNode, SUBJECT, startOidcNode } from './oidc-node.ts';

const CODE = { code: 'code-1', code_verifier: 'v'.repeat(43), redirect_uri: 'http://127.0.0.1:4711/callback' };

describe('the settings of the token exchange', () => {
  const withNode = async (settings: Readonly<Record<string, unknown>>, work: (oidc: OidcNode) => Promise<void>) => {
    const oidc = await startOidcNode({ settings });
    try {
      await work(oidc);
    } finally {
      await oidc.node.stop();
    }
  };

  it('can disable the exchange, which then disappears from all metadata', () =>
    withNode({ enabled: false }, async (oidc) => {
      for (const reply of [await oidc.signIn(), await oidc.exchange(CODE)]) {
        expect([reply.status, reply.body.code]).to.deep.equal([403, 'oidc_disabled']);
        expect(reply.body.hint).to.contain('SVC_OIDC_ENABLED');
      }
      expect(oidc.node.logLines.filter(({ level }) => level !== 'info')).to.deep.equal([]);
      expect(oidc.provider.asked).to.deep.equal([]);
      expect((await oidc.node.request('GET', '/.well-known/oauth-protected-resource')).status).to.equal(404);
      expect((await oidc.node.request('GET', '/.well-known/svc')).body).not.to.have.property('oidc');
    }));

  it('refuse codes without a client id, and go on with id tokens', () =>
    withNode({ clientId: '' }, async (oidc) => {
      const reply = await oidc.exchange(CODE);
      expect([reply.status, reply.body.code]).to.deep.equal([403, 'oidc_disabled']);
      expect(reply.body.hint).to.contain('SVC_OIDC_CLIENT_ID');
      expect((await oidc.signIn()).status).to.equal(200);
    }));

  it('select the claim that holds the roles', () =>
    withNode({ roleClaim: 'https://memory.example/roles' }, async (oidc) => {
      const claims = { roles: 'admin', 'https://memory.example/roles': ['writer'] };
      const { body } = await oidc.signIn(claims, { permissions: ['read', 'write', 'admin'] });
      expect(body.permissions).to.deep.equal(['read', 'write']);
    }));

  const EMAILS: readonly (readonly [unknown, unknown, number])[] = [
    ['ann@example.com', true, 200],
    ['ann@EXAMPLE.COM', true, 200],
    ['ann@example.org', 'true', 200],
    ['ann@example.com', false, 403],
    ['ann@example.com', undefined, 403],
    ['ann@example.com', 'yes', 403],
    ['ann@example.com', 1, 403],
    [undefined, true, 403],
    [['ann@example.com'], true, 403],
    ['example.com', true, 403],
    ['@example.com', true, 403],
    ['ann@sub.example.com', true, 403],
    ['ann@badexample.com', true, 403],
    ['ann@example.com.evil.net', true, 403],
    ['ann@example.com@evil.net', true, 403],
    ['ann@evil.net,bob@example.com', true, 403],
    ['ann@example.com\u0000', true, 401],
    ['ann@example.com ', true, 403],
    ['ann@examp\u212Ae.com', true, 403],
    [`${'a'.repeat(400)}@example.com`, true, 403],
  ];
  it('restrict sign-ins to verified e-mail addresses of the given domains', () =>
    withNode({ allowedDomains: ['Example.com', 'example.org'] }, async (oidc) => {
      for (const [email, email_verified, status] of EMAILS) {
        const reply = await oidc.signIn({ email, email_verified });
        expect(reply.status, `${email} ${email_verified}: ${reply.text}`).to.equal(status);
      }
      const key = await oidc.node.addKey({ entityUri: 'agent:ops', permissions: ['admin'] });
      const page = `/v1/auth/audit?event_type=credential_refused&principal=${encodeURIComponent(`oidc:${SUBJECT}`)}`;
      const { body, text } = await oidc.node.request('GET', page, { key });
      expect(body.total).to.equal(EMAILS.filter((row) => row[2] === 403).length);
      expect(body.entries[0].detail).to.deep.equal({ action: 'oidc_exchange', roles: ['reader'] });
      expect(text).not.to.include('@');
    }));

  it('cannot give a key a longer life than the maximum age of keys', async () => {
    const oidc = await startOidcNode({ settings: { tokenTtlHours: 720 }, keys: { maxAgeDays: 1 } });
    try {
      expect((await oidc.signIn()).body.expires_at).to.equal('2026-03-03T09:00:00.000Z');
    } finally {
      await oidc.node.stop();
    }
  });

  const SETTINGS: readonly (readonly [string, Readonly<Record<string, unknown>>, RegExp])[] = [
    ['no issuer', { issuerUrl: '' }, /SVC_OIDC_ISSUER_URL/],
    ['an issuer without https', { issuerUrl: 'http://idp.example' }, /SVC_OIDC_ISSUER_URL/],
    ['an issuer with a query', { issuerUrl: 'https://idp.example/?tenant=1' }, /SVC_OIDC_ISSUER_URL/],
    ['an issuer with a user', { issuerUrl: 'https://a:b@idp.example' }, /SVC_OIDC_ISSUER_URL/],
    ['no audience', { audience: '', clientId: '' }, /meant for this node/],
    ['a symmetric signature', { algorithms: ['RS256', 'HS256'] }, /algorithms/],
    ['no signature', { algorithms: ['none'] }, /algorithms/],
  ];
  for (const [what, settings, message] of SETTINGS) {
    it(`prevent the start of the node with ${what}`, async () => {
      const error = await startOidcNode({ settings }).then(
        () => new Error('the node has started'),
        (problem: Error) => problem,
      );
      expect(error.message).to.match(message);
    });
  }

  it('accept a provider on this machine without https', () =>
    withNode({ issuerUrl: 'http://127.0.0.1:9' }, async (oidc) => {
      expect((await oidc.signIn()).status).to.equal(503);
      expect((await oidc.node.request('POST', EXCHANGE, { body: { id_token: 'x' } })).status).to.equal(401);
    }));
});
