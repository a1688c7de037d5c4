import { expect } from 'chai';
import { exchangeRaw, parseReplies } from '../../kit/raw-socket.ts';
import { type KoaNode, serveKoa } from '../../kit/serve-koa.ts';
import { type TestRoute, TOKENS } from '../../kit/serve-routes.ts';

const HOST = 'Host: node.example\r\n';
const GOOD = `Authorization: Bearer ${TOKENS.writer}\r\n`;
const BAD = 'Authorization: Bearer stolen-or-stale\r\n';
const CLOSE = 'Connection: close\r\n';

describe('An ambiguous request that a proxy and the node interpret differently (I14)', () => {
  let node: KoaNode;
  let ran: string[];

  const noting = (method: TestRoute['method'], path: string): TestRoute => ({
    method,
    path,
    summary: 'notes that it ran',
    access: { permission: 'any' },
    handle: () => {
      ran.push(`${method} ${path}`);
      return { status: 200, body: {} };
    },
  });

  before(async () => {
    node = await serveKoa([noting('GET', '/v1/facts'), noting('GET', '/v1/admin'), noting('DELETE', '/v1/facts')]);
  });
  after(() => node.listener.close(0));
  beforeEach(() => {
    ran = [];
  });

  const HIDDEN = `GET /v1/admin HTTP/1.1\r\n${HOST}${GOOD}\r\n`;
  const get = (headers: string, target = '/v1/facts'): string => `GET ${target} HTTP/1.1\r\n${headers}\r\n`;

  const refusedWith = (status: number, cases: Readonly<Record<string, string>>): void => {
    for (const [what, text] of Object.entries(cases)) {
      it(`is refused with ${status}: ${what}`, async () => {
        const replies = parseReplies(await exchangeRaw(node.url, text));
        expect(replies.map((reply) => reply.status)).to.deep.equal([status]);
        expect(ran).to.deep.equal([]);
      });
    }
  };

  describe('with two different credentials', () => {
    refusedWith(401, {
      'a good key before a bad one': get(HOST + CLOSE + GOOD + BAD),
      'a bad key before a good one': get(HOST + CLOSE + BAD + GOOD),
      'the same key twice': get(HOST + CLOSE + GOOD + GOOD),
      'a good key and an empty header': get(`${HOST}${CLOSE}${GOOD}Authorization:\r\n`),
      'a good key and one in other letters': get(`${HOST}${CLOSE}${GOOD}AUTHORIZATION: Bearer x\r\n`),
      'two keys in one header': get(`${HOST}${CLOSE}Authorization: Bearer ${TOKENS.writer}, Bearer x\r\n`),
      'a key in the address': get(HOST + CLOSE, `/v1/facts?access_token=${TOKENS.writer}`),
      'a key in another header': get(`${HOST}${CLOSE}X-Authorization: Bearer ${TOKENS.writer}\r\n`),
      'a key under another scheme': get(`${HOST}${CLOSE}Authorization: Token ${TOKENS.writer}\r\n`),
    });
  });

  describe('with a host in the target that differs from the Host header', () => {
    refusedWith(400, {
      'a target of another name': get(HOST + GOOD, 'http://other.example/v1/facts'),
      'a target of the same name': get(HOST + GOOD, 'http://node.example/v1/facts'),
      'a target with a user': get(HOST + GOOD, 'http://node.example@other.example/v1/facts'),
      'a target of another protocol': get(HOST + GOOD, 'file:///etc/passwd'),
      'two Hosts': get(`${HOST}Host: other.example\r\n${GOOD}`),
      'two equal Hosts': get(HOST + HOST + GOOD),
      'no Host': get(GOOD),
    });
  });

  describe('with a body that contains another request', () => {
    const length = Buffer.byteLength(HIDDEN);
    refusedWith(400, {
      'a length and chunks': `DELETE /v1/facts HTTP/1.1\r\n${HOST}${GOOD}Content-Length: ${length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
      'chunks in a spelling of their own': `DELETE /v1/facts HTTP/1.1\r\n${HOST}${GOOD}Transfer-Encoding: Chunked, identity\r\n\r\n0\r\n\r\n${HIDDEN}`,
      'two lengths': `DELETE /v1/facts HTTP/1.1\r\n${HOST}${GOOD}Content-Length: 0\r\nContent-Length: ${length}\r\n\r\n${HIDDEN}`,
      'a header that ends in another place': `GET /v1/facts HTTP/1.1\r\n${HOST}X: y\n\n${HIDDEN}`,
    });

    it('is read as one body of its declared length, not as a second request', async () => {
      const text = `DELETE /v1/facts HTTP/1.1\r\n${HOST}${GOOD}${CLOSE}Content-Length: ${length}\r\n\r\n${HIDDEN}`;
      expect(parseReplies(await exchangeRaw(node.url, text))).to.have.length(1);
      expect(ran).not.to.include('GET /v1/admin');
    });
  });

  describe('with a path that proxy and node resolve differently', () => {
    refusedWith(404, {
      'with two dots': get(HOST + CLOSE + GOOD, '/v1/facts/../admin'),
      'with encoded dots': get(HOST + CLOSE + GOOD, '/v1/facts/%2e%2e/admin'),
      'with two slashes': get(HOST + CLOSE + GOOD, '//v1/admin'),
      'with an encoded slash': get(HOST + CLOSE + GOOD, '/v1%2Fadmin'),
      'with a backslash': get(HOST + CLOSE + GOOD, '/v1\\admin'),
      'in other letters': get(HOST + CLOSE + GOOD, '/V1/admin'),
      'with a slash at its end': get(HOST + CLOSE + GOOD, '/v1/admin/'),
    });

    it('ignores headers that would replace the path or the method', async () => {
      const headers = 'X-Original-URL: /v1/admin\r\nX-Rewrite-URL: /v1/admin\r\nX-HTTP-Method-Override: DELETE\r\n';
      await exchangeRaw(node.url, get(`${HOST}${CLOSE}${GOOD}${headers}`));
      expect(ran).to.deep.equal(['GET /v1/facts']);
    });
  });
});
