import { expect } from 'chai';
import type { TestReply } from '../../kit/test-request.ts';
import {
  answerOf,
  askFor,
  authorize,
  CALLBACK,
  challengeOf,
  cookieOf,
  DOCUMENT,
  decide,
  FROM_OWN_PAGE,
  fieldOf,
  form,
  linkedAnswerOf,
  NODE_URL,
  type OAuthNode,
  postForm,
  redeem,
  register,
  serveDocument,
  signIn,
  startOAuthNode,
  VERIFIER,
} from './oauth-kit.ts';

type Changes = Parameters<typeof askFor>[1];

/** Requests for access whose fault only the person sees, because the redirect address may belong to an attacker. */
const SHOWN_TO_THE_PERSON: Readonly<Record<string, Changes>> = {
  'another host': { redirect_uri: 'https://evil.example/callback' },
  'a longer path': { redirect_uri: `${CALLBACK}/more` },
  'a path that climbs': { redirect_uri: `${CALLBACK}/../evil` },
  'another query': { redirect_uri: `${CALLBACK}?next=https://evil.example` },
  'another scheme': { redirect_uri: CALLBACK.replace('https:', 'http:') },
  'another port': { redirect_uri: 'https://assistant.example:444/callback' },
  'a fragment': { redirect_uri: `${CALLBACK}#token` },
  'a user before the host': { redirect_uri: 'https://assistant.example@evil.example/callback' },
  'a host that begins alike': { redirect_uri: 'https://assistant.example.evil.example/callback' },
  'other letter case': { redirect_uri: CALLBACK.toUpperCase() },
  'a script': { redirect_uri: 'javascript:alert(1)' },
  'no redirect address': { redirect_uri: undefined },
  'no client': { client_id: undefined },
  'an unknown client': { client_id: 'client-of-nobody' },
  'a client with markup': { client_id: '<script>alert(1)</script>' },
  'a document by plain http': { client_id: 'http://assistant.example/client.json' },
  'a document with a fragment': { client_id: `${DOCUMENT}#x` },
  'a document without a path': { client_id: 'https://assistant.example/' },
  'a document with a user': { client_id: 'https://me:secret@assistant.example/client.json' },
  'a document with a climbing path': { client_id: 'https://assistant.example/a/../client.json' },
  'a document on this machine': { client_id: 'https://127.0.0.1/client.json' },
  'a document on a name of this machine': { client_id: 'https://localhost/client.json' },
  'a document at a private address': { client_id: 'https://10.0.0.1/client.json' },
  'a document at the metadata service': { client_id: 'https://169.254.169.254/latest/meta-data' },
  'a document at a mapped address': { client_id: 'https://[::ffff:127.0.0.1]/client.json' },
  'a document that does not exist': { client_id: 'https://assistant.example/other.json' },
};

/** Requests for access whose error the node reports to the client by a link. */
const TOLD_TO_THE_CLIENT: Readonly<Record<string, readonly [Changes, string]>> = {
  'no PKCE': [{ code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
  'a challenge without its method': [{ code_challenge_method: undefined }, 'invalid_request'],
  'PKCE with plain': [{ code_challenge_method: 'plain', code_challenge: VERIFIER }, 'invalid_request'],
  'a short challenge': [{ code_challenge: 'short' }, 'invalid_request'],
  'a method in lower case': [{ code_challenge_method: 's256' }, 'invalid_request'],
  'a token at once': [{ response_type: 'token' }, 'unsupported_response_type'],
  'a token beside the code': [{ response_type: 'code token' }, 'unsupported_response_type'],
  'no response type': [{ response_type: undefined }, 'unsupported_response_type'],
  'a fragment as the response mode': [{ response_mode: 'fragment' }, 'invalid_request'],
  'a request object': [{ request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
  'a request by address': [{ request_uri: 'https://evil.example/request' }, 'request_not_supported'],
  'the resource of another node': [{ resource: 'https://other.example/v1/mcp' }, 'invalid_target'],
  'a resource that begins alike': [{ resource: `${NODE_URL}.evil.example/v1/mcp` }, 'invalid_target'],
  'another resource of this host': [{ resource: `${NODE_URL}/v1/other` }, 'invalid_target'],
  'a resource with a query': [{ resource: `${NODE_URL}/v1/mcp?x=1` }, 'invalid_target'],
  'a resource that is no address': [{ resource: 'memory' }, 'invalid_target'],
};

describe('a hostile authorization request (I14)', () => {
  let node: OAuthNode;
  let key: string;

  before(async () => {
    node = await startOAuthNode();
    await serveDocument(node.network);
    key = await node.addKey({ entityUri: 'user:alice' });
  });
  after(() => node.stop());

  const expectPage = (reply: TestReply, status: number): void => {
    expect(reply.status).to.equal(status);
    expect(reply.headers).to.not.have.property('location');
    expect(reply.headers['content-type']).to.match(/^text\/html/);
  };

  for (const [attack, changes] of Object.entries(SHOWN_TO_THE_PERSON)) {
    it(`redirects to no address: ${attack}`, async () => {
      const reply = await authorize(node, askFor(node.clientId, changes));
      expectPage(reply, 400);
      expect(reply.text).to.not.include('<script');
    });
  }

  for (const [attack, [changes, error]] of Object.entries(TOLD_TO_THE_CLIENT)) {
    it(`gets error ${error} as a link to the client, without a redirect: ${attack}`, async () => {
      const reply = await authorize(node, askFor(node.clientId, changes));
      expectPage(reply, 400);
      const told = { error, state: 'state-of-the-client', iss: NODE_URL };
      expect(Object.fromEntries(linkedAnswerOf(reply))).to.include(told);
    });
  }

  it('is refused when a parameter comes twice', async () => {
    const reply = await authorize(node, `${askFor(node.clientId)}&redirect_uri=https://evil.example/`);
    expect(reply.status).to.equal(400);
    expect(reply.headers).to.not.have.property('location');
  });

  it('gets pages that run no script and cannot be shown in a frame', async () => {
    const first = await authorize(node, askFor(node.clientId));
    for (const page of [first, await signIn(node, askFor(node.clientId), key)]) {
      const { 'content-security-policy': policy = '', ...headers } = page.headers;
      expect(policy).to.include("default-src 'none'").and.include("frame-ancestors 'none'");
      expect(policy).to.not.include('unsafe').and.not.include('script-src');
      expect(headers).to.include({ 'x-frame-options': 'DENY', 'cache-control': 'no-store' });
      expect(page.text).to.not.match(/<script| on\w+=/);
    }
  });

  it('cannot put markup into the page by the name of the client', async () => {
    const name = '<img src=x onerror=alert(1)>"\'';
    const { body } = await register(node, { client_name: name });
    const page = await authorize(node, askFor(body.client_id));
    expect(page.text).to.not.include('<img');
    expect(page.text).to.include('nobody has verified it').and.include('assistant.example');
  });

  for (const [from, headers] of Object.entries({
    'another origin': { Origin: 'https://evil.example' },
    'a hidden origin': { Origin: 'null' },
    'another site, as the browser says': { 'Sec-Fetch-Site': 'cross-site' },
    'a neighbour, as the browser says': { 'Sec-Fetch-Site': 'same-site' },
  })) {
    it(`cannot send a form from ${from}`, async () => {
      const page = await signIn(node, askFor(node.clientId), key);
      const fields = { request: askFor(node.clientId), key };
      expectPage(await postForm(node, '/oauth/sign-in', fields, headers), 403);
      const consent = { ticket: fieldOf(page, 'ticket'), decision: 'allow', permission: 'read', scope: 'local' };
      const cookie = { Cookie: cookieOf(page) };
      expectPage(await postForm(node, '/oauth/consent', consent, { ...cookie, ...headers }), 403);
    });
  }

  it('cannot be confirmed in another browser', async () => {
    const mine = await signIn(node, askFor(node.clientId), key);
    const other = await signIn(node, askFor(node.clientId), key);
    const fields = { ticket: fieldOf(mine, 'ticket'), decision: 'allow', permission: 'read', scope: 'local' };
    for (const cookie of [undefined, cookieOf(other), '__Host-consent=']) {
      const headers = { ...FROM_OWN_PAGE, ...(cookie !== undefined && { Cookie: cookie }) };
      expectPage(await postForm(node, '/oauth/consent', fields, headers), 400);
    }
  });

  it('cannot be confirmed twice, late, or without a signed-in person', async () => {
    const page = await signIn(node, askFor(node.clientId), key);
    expect((await decide(node, page)).status).to.equal(303);
    expectPage(await decide(node, page), 400);
    const late = await signIn(node, askFor(node.clientId), key);
    await node.clock.advance(600_000);
    expectPage(await decide(node, late), 400);
  });

  it('gets a cookie that scripts, other sites and plain http cannot read', async () => {
    const page = await signIn(node, askFor(node.clientId), key);
    expect(page.headers['set-cookie']).to.match(/^__Host-consent=.*; Path=\/; .*HttpOnly; SameSite=Strict; Secure$/);
  });

  it('cannot guess keys: a wrong key does not sign in, and is delayed like any refused key', async () => {
    const fields = { request: askFor(node.clientId), key: 'x'.repeat(40) };
    const reply = await postForm(node, '/oauth/sign-in', fields, FROM_OWN_PAGE);
    expectPage(reply, 401);
    expect(reply.text).to.not.include('x'.repeat(40));
  });

  it('gets no more rights than the person has by a changed form', async () => {
    const reader = await node.addKey({ entityUri: 'user:reader', permissions: ['read'], scopes: ['local'] });
    const page = await signIn(node, askFor(node.clientId), reader);
    expect(page.text).to.not.include('value="write"').and.not.include('value="company"');
    const choice = { permission: ['read', 'write'], scope: ['local', 'company'] };
    const code = answerOf(await decide(node, page, choice)).get('code') ?? '';
    const { body } = await redeem(node, node.clientId, code);
    expect(body.scope).to.equal('read');
    const me = await node.request('GET', '/v1/me', { key: body.access_token });
    expect(me.body).to.deep.include({ permissions: ['read'], allowed_scopes: ['local'] });
  });

  it('gets no admin permission, even from an administrator', async () => {
    const admin = await node.addKey({ entityUri: 'user:admin', permissions: ['read', 'write', 'admin'] });
    const page = await signIn(node, askFor(node.clientId, { scope: 'read write admin' }), admin);
    expect(page.text).to.not.include('value="admin"');
    const refused = await decide(node, page, { permission: ['read', 'admin'] });
    expect(refused.status).to.equal(400);
  });

  it('tells the client nothing except that the person refused', async () => {
    const reply = await decide(node, await signIn(node, askFor(node.clientId), key), { decision: 'deny' });
    const answer = Object.fromEntries(answerOf(reply));
    expect(answer).to.include({ error: 'access_denied', iss: NODE_URL });
    expect(answer).to.not.have.property('code');
  });

  for (const [attack, path, fields, error] of [
    ['no grant type', 'token', {}, 'invalid_request'],
    ['a password', 'token', { grant_type: 'password', username: 'a', password: 'b' }, 'unsupported_grant_type'],
    ['no person', 'token', { grant_type: 'client_credentials' }, 'unsupported_grant_type'],
    ['no code', 'token', { grant_type: 'authorization_code' }, 'invalid_request'],
    ['no token to revoke', 'revoke', { client_id: 'x' }, 'invalid_request'],
  ] as const) {
    it(`gets no token with ${attack}`, async () => {
      const { status, body } = await postForm(node, `/oauth/${path}`, fields);
      expect([status, body.error]).to.deep.equal([400, error]);
    });
  }

  it('cannot be followed by a token request in JSON', async () => {
    const { status } = await node.request('POST', '/oauth/token', { body: { grant_type: 'refresh_token' } });
    expect(status).to.equal(415);
  });
});

describe('the OAuth test kit', () => {
  it('computes the challenge of RFC 7636', () => {
    expect(challengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).to.equal(
      'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    );
    expect(form({ a: ['1', '2'] })).to.equal('a=1&a=2');
  });
});
