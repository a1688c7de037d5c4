import { expect } from 'chai';
import { schema } from '../../../kernel/plugin-api.ts';
import { exchangeRaw, parseReplies } from '../../kit/raw-socket.ts';
import { type KoaNode, serveKoa } from '../../kit/serve-koa.ts';
import { bearing, type TestRoute, TOKENS } from '../../kit/serve-routes.ts';

async function* pieces() {
  yield 'data: <script>alert(1)</script>\n\n';
}

const get = (path: string, handle: TestRoute['handle'], access: TestRoute['access']): TestRoute => ({
  method: 'GET',
  path,
  summary: 'x',
  access,
  handle,
});

const ANY_KEY = { permission: 'any' } as const;
const HTML = '<!doctype html><script>alert(1)</script>';

const ROUTES: readonly TestRoute[] = [
  get('/v1/json', () => ({ status: 200, body: { text: HTML } }), ANY_KEY),
  get('/v1/csv', () => ({ status: 200, text: HTML, contentType: 'text/csv; charset=utf-8' }), ANY_KEY),
  get('/v1/stream', () => ({ status: 200, text: pieces(), contentType: 'text/event-stream' }), ANY_KEY),
  get('/v1/nothing', () => ({ status: 204 }), ANY_KEY),
  get(
    '/v1/bug',
    () => {
      throw new Error('a bug');
    },
    ANY_KEY,
  ),
  get('/v1/broken-header', () => ({ status: 200, headers: { 'X-Broken': 'a\nb' }, body: {} }), ANY_KEY),
  get('/open', () => ({ status: 200, body: {} }), 'open'),
  get('/page', () => ({ status: 200, text: HTML, contentType: 'text/html; charset=utf-8' }), 'open'),
  get(
    '/own-policy',
    () => ({
      status: 200,
      text: HTML,
      contentType: 'text/html',
      headers: { 'Content-Security-Policy': "default-src 'self'" },
    }),
    'open',
  ),
  {
    method: 'POST',
    path: '/v1/json',
    summary: 'x',
    access: ANY_KEY,
    body: schema<object>({ type: 'object' }),
    handle: () => ({ status: 200, body: {} }),
  },
];

describe('A web page loads a reply as a script, or finds it in a cache (I19)', () => {
  let node: KoaNode;

  before(async () => {
    node = await serveKoa(ROUTES, { corsAllowedOrigins: ['https://app.example'] });
  });
  after(() => node.listener.close(0));

  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${node.url}${path}`, { headers: bearing(TOKENS.reader), ...init });

  const PROTECTED: Readonly<Record<string, [status: number, path: string, init?: RequestInit]>> = {
    JSON: [200, '/v1/json'],
    CSV: [200, '/v1/csv'],
    'a stream': [200, '/v1/stream'],
    'an empty answer': [204, '/v1/nothing'],
    'an unknown path': [404, '/v1/unknown'],
    'a missing method': [405, '/v1/json', { method: 'DELETE' }],
    'a missing key': [401, '/v1/json', { headers: {} }],
    'a missing key at an unknown path': [401, '/v1/unknown', { headers: {} }],
    'a broken body': [
      400,
      '/v1/json',
      { method: 'POST', body: '{', headers: { ...bearing(TOKENS.reader), 'Content-Type': 'application/json' } },
    ],
    'another type of body': [415, '/v1/json', { method: 'POST', body: HTML }],
    'a bug': [500, '/v1/bug'],
    'an answer that could not be written': [500, '/v1/broken-header'],
  };
  for (const [what, [status, path, init]] of Object.entries(PROTECTED)) {
    it(`gets the content type and no-store for ${what}`, async () => {
      const answer = await ask(path, init);
      await answer.text();
      expect([answer.status, answer.headers.get('x-content-type-options'), answer.headers.get('cache-control')])
        .to.deep //
        .equal([status, 'nosniff', 'no-store']);
      expect(answer.headers.has('x-request-id')).to.equal(true);
      expect(answer.headers.has('content-security-policy')).to.equal(false);
    });
  }

  it('gets the content type on open routes, whose replies may be cached', async () => {
    for (const path of ['/open', '/unknown']) {
      const { headers } = await ask(path, { headers: {} });
      expect([headers.get('x-content-type-options'), headers.get('cache-control')], path).to.deep.equal([
        'nosniff',
        null,
      ]);
    }
  });

  it('gets the content type in the reply to a preflight request', async () => {
    const preflight = await ask('/v1/json', {
      method: 'OPTIONS',
      headers: { Origin: 'https://app.example', 'Access-Control-Request-Method': 'GET' },
    });
    expect([preflight.status, preflight.headers.get('x-content-type-options')]).to.deep.equal([204, 'nosniff']);
    expect(preflight.headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
  });

  const REFUSED: Readonly<Record<string, [status: number, text: string]>> = {
    'what is no HTTP': [400, 'nonsense\r\n\r\n'],
    'a proxied target': [400, 'GET http://evil.example/open HTTP/1.1\r\nHost: h\r\n\r\n'],
    'two lengths': [400, 'POST /v1/json HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    CONNECT: [400, 'CONNECT evil.example:443 HTTP/1.1\r\nHost: h\r\n\r\n'],
    'headers without end': [431, `GET /open HTTP/1.1\r\nHost: h\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`],
  };
  for (const [what, [status, text]] of Object.entries(REFUSED)) {
    it(`gets the content type and no-store when ${what} is refused`, async () => {
      const [reply] = parseReplies(await exchangeRaw(node.url, text));
      expect(reply?.status).to.equal(status);
      expect(reply?.headers).to.include({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
    });
  }

  it('gets restrictive headers on HTML pages, unless the route declares its own', async () => {
    const page = await ask('/page', { headers: {} });
    expect(Object.fromEntries(page.headers)).to.include({
      'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    const own = await ask('/own-policy', { headers: {} });
    expect([own.headers.get('content-security-policy'), own.headers.get('referrer-policy')]).to.deep.equal([
      "default-src 'self'",
      'no-referrer',
    ]);
  });
});
