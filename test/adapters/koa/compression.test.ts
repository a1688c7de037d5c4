import { request as httpRequest } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { acceptedCoding } from '../../../adapters/koa/accepted-coding.ts';
import { type KoaNode, serveKoa } from '../../kit/serve-koa.ts';
import type { TestRoute } from '../../kit/serve-routes.ts';

const LONG = JSON.stringify({ text: 'the harbour and its boats, '.repeat(400) });
const SHORT = JSON.stringify({ text: 'a harbour' });

interface Got {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

describe('replies of the Koa transport', () => {
  let node: KoaNode;
  afterEach(() => node.listener.close(0));

  const route = (path: string, more: Partial<TestRoute>): TestRoute =>
    ({
      method: 'GET',
      path,
      summary: 'a reply',
      access: 'open',
      answers: { 200: { text: ['application/json', 'text/event-stream', 'image/png', 'application/x-ndjson'] } },
      ...more,
    }) as TestRoute;
  const serve = async (options: Parameters<typeof serveKoa>[1] = {}) => {
    const reply = (members: object) => () => ({ status: 200, ...members });
    async function* events() {
      yield LONG;
    }
    node = await serveKoa(
      [
        route('/long', { handle: reply({ text: LONG }) }),
        route('/short', { handle: reply({ text: SHORT }) }),
        route('/secret', { handle: reply({ text: LONG }), holdsSecret: true }),
        route('/events', { handle: () => ({ status: 200, text: events(), contentType: 'text/event-stream' }) }),
        route('/picture', { handle: reply({ bytes: Buffer.from(LONG), contentType: 'image/png' }) }),
        route('/tagged', {
          handle: reply({ bytes: Buffer.from(LONG), contentType: 'application/json', headers: { ETag: '"a"' } }),
        }),
        route('/known', {
          answers: { 304: {} },
          handle: () => ({ status: 304, headers: { ETag: '"a"', Vary: 'Accept' } }),
        }),
      ],
      options,
    );
  };
  const get = (path: string, accepted?: string, method = 'GET', headers: Record<string, string> = {}): Promise<Got> =>
    new Promise((resolve, reject) => {
      const all = { ...headers, ...(accepted !== undefined && { 'Accept-Encoding': accepted }) };
      const sent = httpRequest(`${node.url}${path}`, { method, headers: all }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () =>
          resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) }),
        );
        response.on('error', reject);
      });
      sent.on('error', reject);
      sent.end();
    });

  it('are compressed by Accept-Encoding, and carry the Vary header', async () => {
    await serve();
    const plain = await get('/long');
    expect(plain.headers).to.include({ vary: 'Accept-Encoding' }).and.not.have.property('content-encoding');
    expect(plain.body.toString()).to.equal(LONG);
    for (const [accepted, coding, open] of [
      ['gzip', 'gzip', gunzipSync],
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['*', 'br', brotliDecompressSync],
    ] as const) {
      const { headers, body } = await get('/long', accepted);
      expect(headers).to.include({ 'content-encoding': coding, vary: 'Accept-Encoding' });
      expect(headers['content-length']).to.equal(String(body.length));
      expect(body.length).to.be.below(LONG.length / 5);
      expect(open(body).toString()).to.equal(LONG);
    }
  });

  it('stay uncompressed when they are small, streamed, or hold a secret', async () => {
    await serve();
    for (const path of ['/short', '/secret', '/events', '/picture']) {
      const { headers, body } = await get(path, 'br, gzip');
      expect(headers, path).not.to.have.any.keys('content-encoding', 'vary');
      expect(body.toString(), path).to.equal(path === '/short' ? SHORT : LONG);
    }
  });

  it('have the headers of GET for HEAD, and no body', async () => {
    await serve();
    const whole = await get('/long', 'br');
    const head = await get('/long', 'br', 'HEAD');
    expect(head.body).to.have.length(0);
    for (const name of ['content-encoding', 'content-length', 'vary']) {
      expect(head.headers[name], name).to.equal(whole.headers[name]);
    }
  });

  it('have a weak ETag when they are compressed', async () => {
    await serve();
    expect((await get('/tagged')).headers['etag']).to.equal('"a"');
    for (let time = 0; time < 2; time += 1) {
      const { headers, body } = await get('/tagged', 'gzip');
      expect(headers['etag']).to.equal('W/"a"');
      expect(gunzipSync(body).toString()).to.equal(LONG);
    }
    const known = await get('/known', 'gzip');
    expect([known.status, known.headers['vary'], known.body.length]).to.deep.equal([304, 'Accept, Accept-Encoding', 0]);
  });

  it('keep their CORS headers', async () => {
    await serve({ corsAllowedOrigins: ['https://app.example'] });
    const { headers } = await get('/long', 'gzip', 'GET', { Origin: 'https://app.example' });
    expect(headers['vary']).to.equal('Origin, Accept-Encoding');
  });

  it('are sent uncompressed while many are being compressed, and all arrive', async () => {
    await serve();
    const all = await Promise.all(Array.from({ length: 40 }, () => get('/long', 'gzip')));
    for (const { headers, body } of all) {
      const text = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
      expect(text.toString()).to.equal(LONG);
    }
  });

  it('are never compressed when the setting is off', async () => {
    await serve({ compression: false });
    expect((await get('/long', 'gzip')).headers).not.to.have.any.keys('content-encoding', 'vary');
  });

  it('honour the quality values of Accept-Encoding', async () => {
    await serve();
    const cases: readonly (readonly [string | undefined, string | undefined])[] = [
      [undefined, undefined],
      ['', undefined],
      ['identity', undefined],
      ['deflate, zstd', undefined],
      ['gzip;q=0', undefined],
      ['br;q=0, gzip', 'gzip'],
      ['br;q=0.2, gzip;q=0.8', 'gzip'],
      ['GZIP ; q=0.5 , *;q=0', 'gzip'],
      ['*;q=0', undefined],
      ['gzip;q=0.5, identity', undefined],
      ['gzip;q=2', undefined],
      ['x-gzip', 'gzip'],
      [`${'a,'.repeat(1_000)}gzip`, undefined],
    ];
    for (const [accepted, coding] of cases) expect(acceptedCoding(accepted), accepted).to.equal(coding);
  });
});
