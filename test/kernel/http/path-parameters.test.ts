import { expect } from 'chai';
import { schema } from '../../../kernel/plugin-api.ts';
import { bearing, serveRoutes, type TestRoute, TOKENS } from '../../kit/serve-routes.ts';

const show = (path: string, names: readonly string[]): TestRoute => ({
  method: 'GET',
  path,
  summary: 'shows its parameters',
  access: { permission: 'any' },
  params: schema<Record<string, string>>({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string', maxLength: 4096 }])),
  }),
  handle: ({ params, path: sent }) => ({ status: 200, body: { path, params, sent } }),
});

const { ask } = serveRoutes([
  show('/v1/cards/*entity_uri', ['entity_uri']),
  show('/v1/conflicts', []),
  { ...show('/v1/mcp', []), slashAtEnd: true },
  { ...show('/v1/conflicts/*id/resolve', ['id']), method: 'POST' },
  show('/v1/facts/*id', ['id']),
  show('/v1/facts/*id/provenance', ['id']),
  { ...show('/v1/facts/batch', []), method: 'POST' },
  show('/v1/keys/expiring', []),
  show('/v1/keys/:id', ['id']),
  show('/v1/keys/:id/uses/:use', ['id', 'use']),
]);

const get = (target: string, method = 'GET') => ask(method, target, { headers: bearing(TOKENS.reader) });

describe('a path parameter that takes the rest of the path', () => {
  const tails: Readonly<Record<string, string>> = {
    'svc://h/user/alice': 'svc://h/user/alice',
    'svc%3A%2F%2Fh%2Fuser%2Falice': 'svc://h/user/alice',
    'svc:%2F/h//x': 'svc://h//x',
    '..': '..',
    '../../etc/passwd': '../../etc/passwd',
    '..%2f..%2fetc%2fpasswd': '../../etc/passwd',
    'a/./b/': 'a/./b/',
    '%252e': '%2e',
    'a+b': 'a+b',
    'user:zo%C3%AB': 'user:zoë',
    'file:///etc': 'file:///etc',
    '/': '/',
    '%20': ' ',
    "a;b,c@d!$&'()*=~": "a;b,c@d!$&'()*=~",
  };
  for (const [tail, entity] of Object.entries(tails)) {
    it(`reads ${tail} unchanged`, async () => {
      const answer = await get(`/v1/cards/${tail}`);
      expect([answer.status, answer.json.params]).to.deep.equal([200, { entity_uri: entity }]);
      expect(answer.json.sent).to.equal(`/v1/cards/${tail}`);
    });
  }

  for (const tail of ['%', '%zz', '%E0%A4%A', '%00', 'a%00b', '%C0%AF', '%ED%A0%80', '%FF', 'zoë']) {
    it(`refuses ${tail} with 400`, async () => {
      const answer = await get(`/v1/cards/${tail}`);
      expect([answer.status, answer.json.code]).to.deep.equal([400, 'validation']);
      expect(answer.json.errors).to.deep.equal([
        { path: 'path.entity_uri', message: 'is not valid percent-encoded UTF-8 text, or holds the character U+0000' },
      ]);
    });
  }

  it('has at least one character', async () => {
    expect((await get('/v1/cards/')).status).to.equal(404);
    expect((await get('/v1/cards')).status).to.equal(404);
  });

  it('is refused by its schema with 400', async () => {
    const answer = await get(`/v1/cards/${'a'.repeat(4097)}`);
    expect([answer.status, answer.json.errors[0].path]).to.deep.equal([400, 'path.entity_uri']);
  });

  it('ends before literal segments that follow it in the route', async () => {
    const resolve = await get('/v1/conflicts/svc:conflict:1/resolve', 'POST');
    expect(resolve.json.params).to.deep.equal({ id: 'svc:conflict:1' });
    expect((await get('/v1/conflicts/a/resolve/resolve', 'POST')).json.params).to.deep.equal({ id: 'a/resolve' });
    expect((await get('/v1/conflicts/resolve', 'POST')).status).to.equal(404);
    expect((await get('/v1/conflicts/a/resolve', 'GET')).status).to.equal(405);
    const provenance = await get('/v1/facts/sha256:ab/provenance');
    expect([provenance.json.path, provenance.json.params.id]).to.deep.equal(['/v1/facts/*id/provenance', 'sha256:ab']);
    expect((await get('/v1/facts/provenance')).json.params.id).to.equal('provenance');
    expect((await get('/v1/facts/a/provenance/')).json.params.id).to.equal('a/provenance/');
    expect((await get('/v1/facts/a%2Fprovenance')).json.params.id).to.equal('a/provenance');
  });
});

describe('the path of a request', () => {
  it('matches the most specific route of its method', async () => {
    expect((await get('/v1/keys/expiring')).json.path).to.equal('/v1/keys/expiring');
    expect((await get('/v1/keys/Expiring')).json.path).to.equal('/v1/keys/:id');
    expect((await get('/v1/facts/batch')).json.path).to.equal('/v1/facts/*id');
    expect((await get('/v1/facts/batch', 'POST')).json.path).to.equal('/v1/facts/batch');
  });

  it('offers the methods of every matching route', async () => {
    const answer = await get('/v1/facts/batch', 'PATCH');
    expect([answer.status, answer.headers['allow']]).to.deep.equal([405, 'GET, POST']);
  });

  it('matches no route if its letter case, slashes or segments differ', async () => {
    for (const target of [
      '/v1/Keys/a',
      '/v1/keys/a/',
      '/v1//keys/a',
      '/v1/keys//a',
      '/v1/keys/',
      '/v1/./keys/a',
      '/v1/x/../keys/a',
    ]) {
      expect((await get(target)).status, target).to.equal(404);
    }
  });

  it('accepts a trailing slash if its route sets slashAtEnd', async () => {
    expect((await get('/v1/mcp/')).json.path).to.equal('/v1/mcp');
    expect((await get('/v1/mcp/', 'POST')).status).to.equal(405);
    for (const target of ['/v1/mcp//', '/v1/conflicts/', '/v1/keys/expiring/']) {
      expect((await get(target)).status, target).to.equal(404);
    }
  });

  it('may contain encoded slashes in its segments', async () => {
    expect((await get('/v1/keys/a%2Fb/uses/%2e%2e')).json.params).to.deep.equal({ id: 'a/b', use: '..' });
  });
});
