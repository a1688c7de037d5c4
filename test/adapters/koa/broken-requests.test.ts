import { expect } from 'chai';
import { schema } from '../../../kernel/plugin-api.ts';
import { exchangeRaw, openRaw, parseReplies } from '../../kit/raw-socket.ts';
import { type KoaNode, serveKoa } from '../../kit/serve-koa.ts';
import { type TestRoute, TOKENS } from '../../kit/serve-routes.ts';

const AUTH = `Host: h\r\nAuthorization: Bearer ${TOKENS.writer}\r\n`;
const JSON_TYPE = 'Content-Type: application/json\r\n';
const CHUNKED_BODY = '2\r\n{}\r\n0\r\n\r\n';
const SECOND = `GET /v1/second HTTP/1.1\r\n${AUTH}\r\n`;

describe('a request that is not HTTP', () => {
  let node: KoaNode;
  let ran: string[];

  const noting = (method: TestRoute['method'], path: string): TestRoute => ({
    method,
    path,
    summary: 'notes that it ran',
    access: { permission: 'any' },
    ...(method === 'POST' && { body: schema<object>({ type: 'object' }) }),
    handle: () => {
      ran.push(`${method} ${path}`);
      return { status: 200, body: {} };
    },
  });

  beforeEach(async () => {
    ran = [];
    node = await serveKoa([
      noting('POST', '/v1/first'),
      noting('DELETE', '/v1/first'),
      noting('GET', '/v1/first'),
      noting('GET', '/v1/second'),
    ]);
  });
  afterEach(() => node.listener.close(0));

  const post = (headers: string, body: string): string =>
    `POST /v1/first HTTP/1.1\r\n${AUTH}${JSON_TYPE}${headers}\r\n${body}`;
  const remove = (headers: string, body: string): string => `DELETE /v1/first HTTP/1.1\r\n${AUTH}${headers}\r\n${body}`;
  const get = (line: string, headers = AUTH): string => `${line}\r\n${headers}\r\n`;

  const broken: Readonly<Record<string, string>> = {
    'both Content-Length and Transfer-Encoding': post(
      'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n',
      CHUNKED_BODY,
    ),
    'both, the other way round': post('Transfer-Encoding: chunked\r\nContent-Length: 5\r\n', CHUNKED_BODY),
    'both on a route without a body': remove('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', CHUNKED_BODY),
    'two lengths': post('Content-Length: 2\r\nContent-Length: 3\r\n', '{}'),
    'two equal lengths': post('Content-Length: 2\r\nContent-Length: 2\r\n', '{}'),
    'a list of lengths': post('Content-Length: 2, 2\r\n', '{}'),
    'a signed length': post('Content-Length: +2\r\n', '{}'),
    'a negative length': post('Content-Length: -2\r\n', '{}'),
    'a hexadecimal length': post('Content-Length: 0x2\r\n', '{}'),
    'an unknown coding': post('Transfer-Encoding: xchunked\r\n', CHUNKED_BODY),
    'an unknown coding on a route without a body': remove('Transfer-Encoding: xchunked\r\n', CHUNKED_BODY),
    'the identity coding': remove('Transfer-Encoding: identity\r\n', CHUNKED_BODY),
    'a coding after chunked': post('Transfer-Encoding: chunked, identity\r\n', CHUNKED_BODY),
    'a coding before chunked': post('Transfer-Encoding: gzip, chunked\r\n', CHUNKED_BODY),
    'chunked twice': post('Transfer-Encoding: chunked, chunked\r\n', CHUNKED_BODY),
    'chunked in two headers': post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', CHUNKED_BODY),
    'chunked with a vertical tab': post('Transfer-Encoding: \u000bchunked\r\n', CHUNKED_BODY),
    'chunked in quotes': post('Transfer-Encoding: "chunked"\r\n', CHUNKED_BODY),
    'chunked in HTTP/1.0': `POST /v1/first HTTP/1.0\r\n${AUTH}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n${CHUNKED_BODY}`,
    'a space before a colon': post('Transfer-Encoding : chunked\r\n', CHUNKED_BODY),
    'a broken chunk size': post('Transfer-Encoding: chunked\r\n', 'zz\r\n{}\r\n0\r\n\r\n'),
    'a chunk longer than it says': post('Transfer-Encoding: chunked\r\n', '1\r\n{}\r\n0\r\n\r\n'),
    'bare line feeds': get('GET /v1/first HTTP/1.1', AUTH).replaceAll('\r\n', '\n'),
    'a bare line feed in the headers': get('GET /v1/first HTTP/1.1', `Host: h\nX: y\r\n`),
    'a bare carriage return': get('GET /v1/first HTTP/1.1', `Host: h\rX: y\r\n`),
    'a folded header': get('GET /v1/first HTTP/1.1', 'Host: h\r\nAuthorization: Bearer\r\n writer-token\r\n'),
    'a NUL in a header': get('GET /v1/first HTTP/1.1', `${AUTH}X: a\0b\r\n`),
    'no host': get('GET /v1/first HTTP/1.1', `Authorization: Bearer ${TOKENS.writer}\r\n`),
    'two hosts': get('GET /v1/first HTTP/1.1', `${AUTH}Host: other\r\n`),
    'an absolute target': get('GET http://h/v1/first HTTP/1.1'),
    'a target without a slash': get('GET v1/first HTTP/1.1'),
    'a star for a target': get('OPTIONS * HTTP/1.1'),
    'raw bytes in the path': get('GET /v1/zo\u00c3\u00ab HTTP/1.1'),
    'an unknown method': get('FETCH /v1/first HTTP/1.1'),
    CONNECT: get('CONNECT h:80 HTTP/1.1'),
    'another protocol': get('GET /v1/first HTTP/2.0'),
    'no protocol at all': 'hello\r\n\r\n',
    'a TLS greeting': '\u0016\u0003\u0001\u0002\0\u0001',
  };
  for (const [name, text] of Object.entries(broken)) {
    it(`gets status 400 and a closed connection for ${name}`, async () => {
      const replies = parseReplies(await exchangeRaw(node.url, text + SECOND));
      expect(replies).to.have.length(1);
      expect(replies[0]?.status).to.equal(400);
      expect(replies[0]?.headers).to.include({ connection: 'close', 'content-type': 'application/problem+json' });
      const problem = JSON.parse(replies[0]?.body ?? '');
      expect(problem).to.include({ status: 400, code: 'validation', request_id: replies[0]?.headers['x-request-id'] });
      expect(ran).to.deep.equal([]);
      expect(node.reported).to.deep.equal([]);
    });
  }

  it('gets status 431 when request line and headers exceed 32 KiB', async () => {
    const many = get('GET /v1/first HTTP/1.1', AUTH + `X: ${'a'.repeat(1_020)}\r\n`.repeat(100));
    const long = get(`GET /v1/first?${'a'.repeat(33_000)} HTTP/1.1`);
    for (const text of [many, long]) {
      const [reply] = parseReplies(await exchangeRaw(node.url, text));
      expect(reply?.status).to.equal(431);
      expect(JSON.parse(reply?.body ?? '').code).to.equal('headers_too_large');
    }
    expect(ran).to.deep.equal([]);
  });

  it('may have headers of up to 32 KiB', async () => {
    const text = get('GET /v1/first HTTP/1.1', `${AUTH}Connection: close\r\nX: ${'a'.repeat(31 * 1024)}\r\n`);
    expect(parseReplies(await exchangeRaw(node.url, text))[0]?.status).to.equal(200);
  });

  it('does not replace the answer of a valid request before it', async () => {
    const answer = await exchangeRaw(node.url, `${post('Content-Length: 2\r\n', '{}')}garbage\r\n\r\n`);
    expect(parseReplies(answer).map(({ status, headers }) => [status, headers['connection']])).to.deep.equal([
      [200, 'close'],
    ]);
    expect(ran).to.deep.equal(['POST /v1/first']);
  });

  it('leaves no log entry when its connection breaks', async () => {
    for (const part of [
      '',
      'GET /v1',
      get('GET /v1/first HTTP/1.1').slice(0, -2),
      post('Content-Length: 9\r\n', '{'),
    ]) {
      const { socket } = await openRaw(node.url);
      await new Promise<void>((resolve) => socket.write(part, () => resolve()));
      socket.resetAndDestroy();
    }
    const halves = await openRaw(node.url);
    halves.socket.end(post('Content-Length: 9\r\n', '{'));
    expect(parseReplies(await halves.closed())[0]?.status).to.equal(400);
    expect(ran).to.deep.equal([]);
    expect(node.reported).to.deep.equal([]);
  });
});
