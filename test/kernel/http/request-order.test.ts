import { expect } from 'chai';
import { httpAdmit } from '../../../kernel/http/request-hooks.ts';
import { routeProblems } from '../../../kernel/http/route-table.ts';
import type { HttpRequestInfo } from '../../../kernel/internal-api.ts';
import { type Principal, ServiceError, schema } from '../../../kernel/plugin-api.ts';
import { bearing, sendingJson, serveRoutes, type TestRoute, TOKENS } from '../../kit/serve-routes.ts';

const note: TestRoute = {
  method: 'POST',
  path: '/v1/notes',
  summary: 'keeps a note',
  access: { permission: 'write' },
  dimension: 'fact_write',
  body: schema<{ text: string }>({
    type: 'object',
    required: ['text'],
    properties: { text: { type: 'string', minLength: 1 }, tags: { type: 'array', default: [] } },
  }),
  handle: ({ body }) => ({ status: 201, body }),
};

const WRITER: Principal = {
  kind: 'key',
  entityUri: 'agent:writer',
  permissions: new Set(['write']),
  allowedScopes: new Set(['public']),
  tenantId: 'default',
  keyId: 'k',
  oidcSub: null,
};

const route = (method: TestRoute['method'], path: string): TestRoute => ({
  method,
  path,
  summary: 'answers',
  access: { permission: 'any' },
  handle: () => ({ status: 200, body: {} }),
});

describe('the checks of a request, such as credential, path and body', () => {
  it('run in a fixed order: each failure hides the later ones', async () => {
    const { ask, hooks } = serveRoutes([note]);
    let isFull = true;
    hooks.register('limits', httpAdmit, () => {
      if (isFull) throw new ServiceError('quota_exceeded', 'too many', { headers: { 'Retry-After': '7' } });
    });
    const broken = { 'Content-Type': 'text/plain' };
    const long = 'x'.repeat(2_000);
    expect((await ask('POST', '/v1/notes', { headers: broken, body: long })).status).to.equal(401);
    const limited = await ask('POST', '/v1/notes', { headers: { ...broken, ...bearing(TOKENS.reader) }, body: long });
    expect([limited.status, limited.headers['retry-after']]).to.deep.equal([429, '7']);
    isFull = false;
    const asReader = { ...broken, ...bearing(TOKENS.reader) };
    expect((await ask('POST', '/v1/notes', { headers: asReader, body: long })).status).to.equal(403);
    const asWriter = { ...broken, ...bearing(TOKENS.writer) };
    expect((await ask('POST', '/v1/notes', { headers: asWriter, body: long })).status).to.equal(415);
    const headers = sendingJson(TOKENS.writer);
    expect((await ask('POST', '/v1/notes', { headers, body: long })).status).to.equal(413);
    expect((await ask('POST', '/v1/notes', { headers, body: '{"text":' })).status).to.equal(400);
    expect((await ask('POST', '/v1/notes', { headers, body: { text: '' } })).status).to.equal(422);
    const kept = await ask('POST', '/v1/notes', { headers, body: { text: 'a', tags: [1] } });
    expect([kept.status, kept.json]).to.deep.equal([201, { text: 'a', tags: [1] }]);
  });

  it('check the credential again after a slow body has arrived', async () => {
    let isRevoked = false;
    const served = serveRoutes([note], {
      authorizer: {
        authenticate: () => {
          if (isRevoked) throw new ServiceError('authentication', 'the key was revoked');
          return WRITER;
        },
      },
    });
    const sendFor = async (tookMs: number): Promise<number | undefined> => {
      isRevoked = false;
      const headers: Readonly<Record<string, string>> = {
        'content-type': 'application/json',
        authorization: 'Bearer k',
      };
      const reply = await served.serveOptions.endpoints[0]?.handle({
        method: 'POST',
        path: '/v1/notes',
        query: '',
        pathParameters: {},
        header: (name) => headers[name],
        headerCount: (name) => (headers[name] === undefined ? 0 : 1),
        async body() {
          isRevoked = true;
          await served.clock.advance(tookMs);
          return Buffer.from('{"text":"a"}');
        },
        remoteAddress: '127.0.0.1',
        signal: new AbortController().signal,
      });
      return reply?.status;
    };
    expect(await sendFor(0)).to.equal(201);
    expect(await sendFor(1_000)).to.equal(401);
  });

  it('fill in the default values of the schema', async () => {
    const { ask } = serveRoutes([note]);
    const kept = await ask('POST', '/v1/notes', { headers: sendingJson(TOKENS.writer), body: { text: 'a' } });
    expect(kept.json).to.deep.equal({ text: 'a', tags: [] });
  });

  it('pass caller and route to http:admit, and add its headers to the answer, also to a refusal', async () => {
    const { ask, hooks } = serveRoutes([note]);
    const seen: unknown[] = [];
    hooks.register('limits', httpAdmit, (input) => {
      const { caller, dimension, route: pattern } = input as HttpRequestInfo & { caller: { entityUri: string } };
      seen.push([caller.entityUri, dimension, pattern]);
      return { 'RateLimit-Remaining': '3' };
    });
    const kept = await ask('POST', '/v1/notes', { headers: sendingJson(TOKENS.writer), body: { text: 'a' } });
    const refused = await ask('POST', '/v1/notes', { headers: sendingJson(TOKENS.reader), body: { text: 'a' } });
    expect([kept.status, kept.headers['ratelimit-remaining']]).to.deep.equal([201, '3']);
    expect([refused.status, refused.headers['ratelimit-remaining']]).to.deep.equal([403, '3']);
    await ask('POST', '/v1/unknown', { headers: bearing(TOKENS.writer) });
    await ask('GET', '/v1/notes', { headers: bearing(TOKENS.writer) });
    expect(seen).to.deep.equal([
      ['agent:writer', 'fact_write', '/v1/notes'],
      ['agent:reader', 'fact_write', '/v1/notes'],
    ]);
  });
});

describe('methods of a path', () => {
  it('are listed and sorted in a 405 reply', async () => {
    const { ask } = serveRoutes([route('POST', '/v1/things'), route('GET', '/v1/things')]);
    const answer = await ask('DELETE', '/v1/things', { headers: bearing(TOKENS.reader) });
    expect([answer.status, answer.json.code, answer.headers['allow']]).to.deep.equal([
      405,
      'method_not_allowed',
      'GET, POST',
    ]);
  });

  it('cannot be overridden by a header, and HEAD, OPTIONS and TRACE have no special meaning', async () => {
    const { ask } = serveRoutes([route('GET', '/v1/things')]);
    const headers = { ...bearing(TOKENS.reader), 'X-HTTP-Method-Override': 'GET' };
    for (const method of ['HEAD', 'OPTIONS', 'TRACE', 'POST', 'get']) {
      expect((await ask(method, '/v1/things', { headers })).status, method).to.equal(405);
    }
  });

  it('include HEAD on open documents', async () => {
    const { ask } = serveRoutes([{ ...route('GET', '/healthz'), access: 'open' }]);
    expect((await ask('HEAD', '/healthz')).status).to.equal(200);
    expect((await ask('POST', '/healthz')).headers['allow']).to.equal('GET, HEAD');
  });
});

describe('a set of routes', () => {
  const problems = (...routes: readonly (readonly [plugin: string, route: TestRoute])[]) =>
    routeProblems(routes.map(([plugin, owned]) => ({ plugin, route: { answers: {}, ...owned } })));

  it('may not contain two that answer the same request, with any parameter names', () => {
    expect(problems(['a', route('GET', '/v1/x/:id')], ['b', route('GET', '/v1/x/:key')])).to.deep.equal([
      'GET /v1/x/:key is registered by "a" and by "b"',
    ]);
    expect(problems(['a', route('GET', '/v1/x')], ['a', route('GET', '/v1/x')])).to.have.length(1);
    expect(
      problems(
        ['a', route('GET', '/v1/x/:id')],
        ['b', route('DELETE', '/v1/x/:id')],
        ['c', route('GET', '/v1/x/*id')],
        ['d', route('GET', '/v1/x/*id/y')],
        ['e', route('GET', '/v1/x/fixed')],
        ['f', route('GET', '/')],
      ),
    ).to.deep.equal([]);
  });

  const bad = [
    'v1/x',
    '/v1//x',
    '/v1/x/',
    '/v1/*a/:b',
    '/v1/*a/*b',
    '/v1/:a/:a',
    '/v1/a b',
    '/v1/:A',
    '/v1/%41',
    '/v1/:',
  ];
  for (const path of bad) {
    it(`may not contain the path "${path}"`, () => {
      const [problem] = problems(['a', route('GET', path)]);
      expect(problem).to.contain('plugin "a"');
      expect(() => serveRoutes([route('GET', path)])).to.throw(/path/);
    });
  }

  it('is refused as a whole when two routes are alike', () => {
    expect(() => serveRoutes([route('GET', '/v1/x'), route('GET', '/v1/x')])).to.throw('registered by');
  });
});
