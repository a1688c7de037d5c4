import { expect } from 'chai';
import { httpPrincipal } from '../../../kernel/http/request-hooks.ts';
import type { Principal } from '../../../kernel/plugin-api.ts';
import { bearing, serveRoutes, type TestRoute, TOKENS } from '../../kit/serve-routes.ts';

const whoAmI = (access: TestRoute['access'], path: string): TestRoute => ({
  method: 'GET',
  path,
  summary: 'says who asks',
  access,
  handle: ({ caller }) => ({ status: 200, body: { who: caller.entityUri } }),
});

const serve = () =>
  serveRoutes([
    whoAmI({ permission: 'any' }, '/v1/me'),
    whoAmI({ permission: 'write' }, '/v1/writers'),
    whoAmI({ permission: ['write', 'read'] }, '/v1/either'),
    whoAmI('peer', '/v1/federation/facts'),
    whoAmI('open', '/healthz'),
    whoAmI('open', '/v1/auth/oidc/exchange'),
  ]);

describe('credentials of a request', () => {
  const accepted = ['Bearer writer-token', 'bearer writer-token', 'BEARER writer-token', 'bEaReR writer-token'];
  for (const header of accepted) {
    it(`accepts "${header}"`, async () => {
      const answer = await serve().ask('GET', '/v1/me', { headers: { Authorization: header } });
      expect([answer.status, answer.json.who]).to.deep.equal([200, 'agent:writer']);
    });
  }

  const refused = {
    'two spaces': 'Bearer  writer-token',
    'a tab': 'Bearer\twriter-token',
    'no space': 'Bearerwriter-token',
    'no token': 'Bearer ',
    'another scheme': 'Basic writer-token',
    'a bare token': 'writer-token',
    'a list in one header': 'Bearer writer-token, Bearer writer-token',
    'a space after the token': 'Bearer writer-token ',
    'a control character': 'Bearer writer-token\u0001',
    'a token beyond ASCII': 'Bearer wröter-token',
    'an unknown token of 8 KiB': `Bearer ${'k'.repeat(8192)}`,
    'a token of more than 8 KiB': `Bearer ${'k'.repeat(8193)}`,
    nothing: '',
  };
  for (const [name, header] of Object.entries(refused)) {
    it(`replies 401 to ${name}, with the authentication scheme`, async () => {
      const answer = await serve().ask('GET', '/v1/me', { headers: { Authorization: header } });
      expect(answer.status).to.equal(401);
      expect(answer.headers['www-authenticate']).to.equal('Bearer');
      expect(answer.json.code).to.equal('authentication');
      expect(answer.text).not.to.contain('writer-token');
    });
  }

  it('refuses two headers, even equal ones', async () => {
    const header = ['authorization', 'Bearer writer-token'] as const;
    const answer = await serve().ask('GET', '/v1/me', { headers: [header, header] });
    expect(answer.status).to.equal(401);
  });

  it('accepts no token in the query', async () => {
    const answer = await serve().ask('GET', '/v1/me?access_token=writer-token');
    expect(answer.status).to.equal(401);
  });

  it('is checked before path and method', async () => {
    const { ask } = serve();
    for (const target of ['/v1/unknown', '/v1', '/v1/', '/v1/me/']) {
      expect((await ask('GET', target)).status, target).to.equal(401);
      expect((await ask('GET', target, { headers: bearing(TOKENS.reader) })).status, target).to.equal(404);
    }
    expect((await ask('PUT', '/v1/me')).status).to.equal(401);
    expect((await ask('PUT', '/v1/me', { headers: bearing(TOKENS.reader) })).status).to.equal(405);
    expect((await ask('POST', '/v1/auth/oidc/exchange')).status).to.equal(401);
  });

  it('is not required outside /v1 and on open routes, where an invalid one is ignored', async () => {
    const { ask } = serve();
    const headers = { Authorization: 'garbage' };
    expect((await ask('GET', '/healthz', { headers })).json.who).to.equal('anon:nobody');
    expect((await ask('GET', '/v1/auth/oidc/exchange', { headers })).status).to.equal(200);
    for (const target of ['/', '/v2/me', '/V1/me', '//v1/me', '/v1x']) {
      expect((await ask('GET', target, { headers })).status, target).to.equal(404);
    }
  });

  it('returns 503 without the reason when it cannot be checked', async () => {
    const { ask, logged } = serve();
    const answer = await ask('GET', '/v1/me', { headers: bearing(TOKENS.down) });
    expect([answer.status, answer.json.code]).to.deep.equal([503, 'unavailable']);
    expect(answer.text).not.to.contain('10.0.0.5');
    expect(logged.map(({ level }) => level)).to.deep.equal(['warn']);
  });

  it('is checked before the permission: the caller needs one of those that the route names', async () => {
    const { ask } = serve();
    const refusal = await ask('GET', '/v1/writers', { headers: bearing(TOKENS.reader) });
    expect([refusal.status, refusal.json.code]).to.deep.equal([403, 'authorization']);
    expect(refusal.json.detail).to.contain('"write"');
    expect((await ask('GET', '/v1/writers', { headers: bearing(TOKENS.writer) })).status).to.equal(200);
    expect((await ask('GET', '/v1/either', { headers: bearing(TOKENS.reader) })).status).to.equal(200);
  });
});

describe('the http:principal hook', () => {
  const peer: Principal = {
    kind: 'peer',
    entityUri: 'svc:node:peer',
    permissions: new Set(),
    allowedScopes: new Set(),
    tenantId: 'default',
    keyId: null,
    oidcSub: null,
  };

  it('is the only way to identify peers: an API key is refused on a peer route', async () => {
    const { ask, hooks } = serve();
    expect((await ask('GET', '/v1/federation/facts', { headers: bearing(TOKENS.writer) })).status).to.equal(401);
    const seen: unknown[] = [];
    hooks.register('federation', httpPrincipal, (principal, info) => {
      seen.push([principal, (info as { access: string }).access]);
      return (info as { access: string }).access === 'peer' ? peer : principal;
    });
    const answer = await ask('GET', '/v1/federation/facts', { headers: bearing('a-peer-token') });
    expect([answer.status, answer.json.who]).to.deep.equal([200, 'svc:node:peer']);
    expect(seen).to.deep.equal([[null, 'peer']]);
  });

  it('sees the principal of a key, with or without a route, and may replace it', async () => {
    const { ask, hooks } = serve();
    const routes: unknown[] = [];
    hooks.register('tenants', httpPrincipal, (principal, info) => {
      routes.push((info as { route: string | null }).route);
      return { ...(principal as Principal), entityUri: 'agent:replaced' };
    });
    expect((await ask('GET', '/v1/me', { headers: bearing(TOKENS.reader) })).json.who).to.equal('agent:replaced');
    await ask('GET', '/v1/unknown', { headers: bearing(TOKENS.reader) });
    expect(routes).to.deep.equal(['/v1/me', null]);
  });

  it('is not called for open routes, nor for a request whose credential failed', async () => {
    const { ask, hooks } = serve();
    let asked = 0;
    hooks.register('spy', httpPrincipal, () => {
      asked += 1;
    });
    await ask('GET', '/healthz');
    await ask('GET', '/v1/me', { headers: bearing('unknown') });
    await ask('GET', '/v1/federation/facts', { headers: { Authorization: 'garbage' } });
    expect(asked).to.equal(0);
  });
});
