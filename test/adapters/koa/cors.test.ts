import { expect } from 'chai';
import { type KoaNode, serveKoa } from '../../kit/serve-koa.ts';
import { bearing, TOKENS } from '../../kit/serve-routes.ts';

const PERMISSIVE = /^access-control-/;

describe('cross-origin requests', () => {
  let node: KoaNode;
  afterEach(() => node.listener.close(0));

  const serve = async (corsAllowedOrigins: readonly string[], corsDevLocalhost = false) => {
    const route = { method: 'GET', path: '/v1/me', summary: 'me', access: { permission: 'any' } } as const;
    node = await serveKoa([{ ...route, handle: () => ({ status: 200, body: {} }) }], {
      corsAllowedOrigins,
      corsDevLocalhost,
    });
  };
  const ask = (method: string, origin: string, headers: Record<string, string> = {}) =>
    fetch(`${node.url}/v1/me`, { method, headers: { Origin: origin, ...headers } });
  const preflight = (origin: string) =>
    ask('OPTIONS', origin, {
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'authorization',
    });
  const permissions = (answer: Response) => [...answer.headers.keys()].filter((name) => PERMISSIVE.test(name));

  it('are allowed for listed origins', async () => {
    await serve(['https://app.example']);
    const allowed = await preflight('https://app.example');
    expect(allowed.status).to.equal(204);
    expect(Object.fromEntries(allowed.headers)).to.include({
      'access-control-allow-origin': 'https://app.example',
      'access-control-allow-methods': 'GET,POST,PUT,PATCH,DELETE',
      'access-control-allow-headers': 'authorization',
    });
    const answer = await ask('GET', 'https://app.example', bearing(TOKENS.reader));
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).to.deep.equal([
      200,
      'https://app.example',
    ]);
    const refusal = await ask('GET', 'https://app.example');
    expect([refusal.status, refusal.headers.get('access-control-allow-origin')]).to.deep.equal([
      401,
      'https://app.example',
    ]);
  });

  it('are allowed for applications and browser extensions, whose origins have other schemes', async () => {
    const origins = [
      'app://obsidian.md',
      'tauri://localhost',
      'capacitor://localhost',
      'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
      'moz-extension://2f1c9d1e-9a53-4d3f-8a53-0d9f6a1b2c3d',
    ];
    await serve(origins);
    for (const origin of origins) {
      const allowed = await preflight(origin);
      expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).to.deep.equal([204, origin]);
    }
    expect(permissions(await ask('GET', 'app://other.md', bearing(TOKENS.reader)))).to.deep.equal([]);
  });

  it('are allowed for any spelling of a listed origin', async () => {
    await serve(['HTTPS://App.Example:443', 'http://app.example:80', 'https://app.example:8443']);
    for (const origin of ['https://app.example', 'http://app.example', 'https://app.example:8443']) {
      expect((await preflight(origin)).headers.get('access-control-allow-origin')).to.equal(origin);
    }
    expect(permissions(await preflight('http://app.example:8443'))).to.deep.equal([]);
  });

  it('get no CORS headers for any other origin', async () => {
    await serve(['https://app.example'], true);
    const others = [
      'http://app.example',
      'https://app.example.evil.example',
      'https://app.example:8443',
      'null',
      'https://localhost.evil.example',
      'http://localhost:80x',
      'http://127.0.0.1.evil.example',
      'http://127.0.0.2:3000',
    ];
    for (const origin of others) {
      expect(permissions(await ask('GET', origin, bearing(TOKENS.reader))), origin).to.deep.equal([]);
      const refused = await preflight(origin);
      expect([refused.status, permissions(refused)], origin).to.deep.equal([401, []]);
    }
  });

  it('are allowed for every port of this machine when that is switched on', async () => {
    await serve([], true);
    for (const origin of ['http://localhost:5173', 'https://localhost', 'http://127.0.0.1:80']) {
      const answer = await ask('GET', origin, bearing(TOKENS.reader));
      expect(answer.headers.get('access-control-allow-origin'), origin).to.equal(origin);
    }
  });

  it('get no CORS headers when no origin is allowed', async () => {
    await serve([]);
    const answer = await ask('GET', 'http://localhost:5173', bearing(TOKENS.reader));
    expect([answer.status, permissions(answer), answer.headers.get('vary')]).to.deep.equal([200, [], null]);
    const options = await ask('OPTIONS', 'http://localhost:5173', bearing(TOKENS.reader));
    expect([options.status, options.headers.get('allow')]).to.deep.equal([405, 'GET']);
  });
});
