import { expect } from 'chai';
import { type Reply, schema } from '../../../kernel/plugin-api.ts';
import { othersGoFirst } from '../../../ports/others-first.ts';
import { createGate } from '../../kit/create-gate.ts';
import { exchangeRaw, openRaw, parseReplies } from '../../kit/raw-socket.ts';
import { type KoaNode, serveKoa } from '../../kit/serve-koa.ts';
import { type TestRoute, TOKENS } from '../../kit/serve-routes.ts';

const AUTH = `Host: h\r\nAuthorization: Bearer ${TOKENS.writer}\r\n`;
const CLOSE = 'Connection: close\r\n';

const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\n${AUTH}${headers}\r\n`;
const post = (headers: string, body = ''): string =>
  `POST /v1/things HTTP/1.1\r\n${AUTH}Content-Type: application/json\r\n${headers}\r\n${body}`;

describe('connections of the koa transport', () => {
  let node: KoaNode;
  afterEach(() => node.listener.close(0));

  const route = (handle: TestRoute['handle'], more: Partial<TestRoute> = {}): TestRoute => ({
    method: 'GET',
    path: '/v1/things',
    summary: 'things',
    access: { permission: 'any' },
    handle,
    ...more,
  });
  const echo = route(({ body }) => ({ status: 201, body }), {
    method: 'POST',
    body: schema<object>({ type: 'object' }),
  });
  const pieces = (text: AsyncIterable<string>): Reply => ({ status: 200, text, contentType: 'text/plain' });

  it('carry several requests, answered in order', async () => {
    node = await serveKoa([echo, route(() => ({ status: 200, body: { a: 1 } }))]);
    const text =
      get('/v1/things') + post('Content-Length: 7\r\n', '{"b":1}') + get('/v1/other') + get('/healthz', CLOSE);
    const replies = parseReplies(await exchangeRaw(node.url, text));
    expect(replies.map(({ status, headers }) => `${status} ${headers['connection']}`)).to.deep.equal([
      '200 keep-alive',
      '201 keep-alive',
      '404 keep-alive',
      '404 close',
    ]);
    expect(replies[1]?.body).to.equal('{"b":1}');
  });

  it('pass on both values of a header that was sent twice', async () => {
    node = await serveKoa([route(() => ({ status: 200, body: {} }))]);
    const twice = get('/v1/things', `${CLOSE}authorization: Bearer ${TOKENS.writer}\r\n`);
    const [reply] = parseReplies(await exchangeRaw(node.url, twice));
    expect([reply?.status, reply?.headers['www-authenticate']]).to.deep.equal([401, 'Bearer']);
  });

  it('accept HTTP/1.0, and close after its answer', async () => {
    node = await serveKoa([route(() => ({ status: 200, body: {} }))]);
    const answer = await exchangeRaw(
      node.url,
      `GET /v1/things HTTP/1.0\r\nAuthorization: Bearer ${TOKENS.writer}\r\n\r\n`,
    );
    expect(parseReplies(answer)[0]?.status).to.equal(200);
  });

  it('accept chunked bodies', async () => {
    node = await serveKoa([echo]);
    const text = post(`${CLOSE}Transfer-Encoding: Chunked\r\n`, '3\r\n{"a\r\n4;x=y\r\n":1}\r\n0\r\nTrailer: x\r\n\r\n');
    expect(parseReplies(await exchangeRaw(node.url, text))[0]).to.include({ status: 201, body: '{"a":1}' });
  });

  it('reply "100 Continue" only once the request is acceptable', async () => {
    node = await serveKoa([echo]);
    const connection = await openRaw(node.url);
    connection.socket.write(post(`${CLOSE}Expect: 100-continue\r\nContent-Length: 2\r\n`));
    await connection.until('HTTP/1.1 100 Continue\r\n\r\n');
    connection.socket.write('{}');
    expect(parseReplies(await connection.closed()).map(({ status }) => status)).to.deep.equal([100, 201]);
  });

  it('close when a request with "Expect: 100-continue" is refused', async () => {
    node = await serveKoa([echo]);
    const waiting = 'Expect: 100-continue\r\n';
    const tooLarge = await exchangeRaw(node.url, post(`${waiting}Content-Length: 2000\r\n`));
    expect(parseReplies(tooLarge).map(({ status }) => status)).to.deep.equal([413]);
    const nobody = `POST /v1/things HTTP/1.1\r\nHost: h\r\n${waiting}Content-Length: 2\r\n\r\n`;
    expect(parseReplies(await exchangeRaw(node.url, nobody)).map(({ status }) => status)).to.deep.equal([401]);
  });

  it('deliver the refusal of a too large body while the client still sends it, and close', async () => {
    node = await serveKoa([echo]);
    for (const headers of ['Content-Length: 3000000\r\n', 'Transfer-Encoding: chunked\r\n']) {
      const connection = await openRaw(node.url);
      const chunk = headers.startsWith('C') ? 'x'.repeat(65_536) : `10000\r\n${'x'.repeat(65_536)}\r\n`;
      connection.socket.write(post(headers));
      for (let sent = 0; sent < 20; sent += 1) connection.socket.write(chunk);
      await connection.until('"code":"too_large"');
      connection.socket.end();
      const [reply] = parseReplies(await connection.closed());
      expect([reply?.status, reply?.headers['connection']]).to.deep.equal([413, 'close']);
    }
    expect(node.reported).to.deep.equal([]);
  });

  it('stay open after a small unread body of a refused request', async () => {
    node = await serveKoa([route(() => ({ status: 200, body: {} }))]);
    const text = `${get('/v1/things', 'Content-Length: 5\r\n')}12345${get('/v1/things', CLOSE)}`;
    expect(parseReplies(await exchangeRaw(node.url, text)).map(({ status }) => status)).to.deep.equal([415, 200]);
  });

  it('close when the headers or the body of a request arrive too slowly', async () => {
    node = await serveKoa([echo], { sockets: { headersTimeoutMs: 30, requestTimeoutMs: 60, checkIntervalMs: 10 } });
    for (const text of ['', 'GET / HTTP/1.1\r\nHost', post('Content-Length: 9\r\n', '{')]) {
      const [reply] = parseReplies(await exchangeRaw(node.url, text));
      expect(reply?.status, text).to.equal(408);
      expect(reply?.headers['content-type']).to.equal('application/problem+json');
    }
  });

  it('close when a client does not read its answer', async () => {
    const gone = createGate();
    async function* endless(): AsyncGenerator<string> {
      try {
        for (;;) yield 'x'.repeat(65_536);
      } finally {
        gone.open();
      }
    }
    node = await serveKoa([route(() => pieces(endless()))], { sockets: { stallMs: 50 } });
    const connection = await openRaw(node.url);
    connection.socket.pause();
    connection.socket.write(get('/v1/things'));
    await gone.passed;
    connection.socket.destroy();
  });

  it('stream the output of a handler, and notify the handler when the client disconnects', async () => {
    const aborted = createGate<'aborted'>();
    const ended = createGate();
    async function* ticks(): AsyncGenerator<string> {
      try {
        yield 'tick\n';
        if ((await aborted.passed) === 'aborted') return;
        yield 'tock\n';
      } finally {
        ended.open();
      }
    }
    node = await serveKoa([
      route(({ signal }) => {
        signal.addEventListener('abort', () => aborted.open('aborted'));
        return pieces(ticks());
      }),
    ]);
    const connection = await openRaw(node.url);
    connection.socket.write(get('/v1/things'));
    await connection.until('tick');
    connection.socket.destroy();
    await ended.passed;
    expect(node.reported).to.deep.equal([]);
  });

  it('break off visibly when a stream fails in the middle', async () => {
    async function* failing(): AsyncGenerator<string> {
      yield 'a beginning';
      throw new Error('a secret');
    }
    node = await serveKoa([route(() => pieces(failing()))]);
    const answer = await exchangeRaw(node.url, get('/v1/things'));
    expect(answer).to.contain('a beginning').and.not.to.contain('secret');
    expect(answer.endsWith('0\r\n\r\n')).to.equal(false);
    expect(node.reported).to.have.length(1);
  });

  it('send a problem document in place of a reply that cannot be sent', async () => {
    node = await serveKoa([route(() => ({ status: 200, body: {}, headers: { 'X-Bad': 'a\r\nInjected: yes' } }))]);
    const answer = await exchangeRaw(node.url, get('/v1/things'));
    expect(answer).not.to.contain('Injected');
    expect(parseReplies(answer)[0]?.status).to.equal(500);
    expect(JSON.parse(parseReplies(answer)[0]?.body ?? '').code).to.equal('internal');
    expect(node.reported).to.have.length(1);
  });

  describe('when the server closes', () => {
    it('close at once when idle, and otherwise after the current answer', async () => {
      const started = createGate();
      const finish = createGate();
      node = await serveKoa([
        route(async () => {
          started.open();
          await finish.passed;
          return { status: 200, body: { done: true } };
        }),
      ]);
      const silent = await openRaw(node.url);
      const idle = await openRaw(node.url);
      idle.socket.write(get('/'));
      await idle.until('lookup');
      const busy = await openRaw(node.url);
      busy.socket.write(get('/v1/things'));
      await started.passed;
      const closing = node.listener.close(60_000);
      await silent.closed();
      await idle.closed();
      finish.open();
      const [reply] = parseReplies(await busy.closed());
      expect([reply?.status, reply?.headers['connection'], reply?.body]).to.deep.equal([200, 'close', '{"done":true}']);
      await closing;
      await node.listener.close(0);
    });

    it('are cut after a time limit, and the handler is notified', async () => {
      const started = createGate();
      const told = createGate();
      node = await serveKoa([
        route(async ({ signal }) => {
          signal.addEventListener('abort', () => told.open());
          started.open();
          await told.passed;
          return { status: 200, body: {} };
        }),
      ]);
      const busy = await openRaw(node.url);
      busy.socket.write(get('/v1/things'));
      await started.passed;
      await node.listener.close(20);
      await told.passed;
      expect(await busy.closed()).to.equal('');
    });
  });

  it('fail with a reason when the port is in use', async () => {
    node = await serveKoa([]);
    const error = await serveKoa([], { port: Number(new URL(node.url).port) }).catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'unavailable' }).and.to.have.property('hint').that.contains('another program');
  });

  it('are accepted together, before running work goes on', async () => {
    node = await serveKoa([route(() => ({ status: 200, body: {} }))]);
    const replies = Array.from({ length: 40 }, () => exchangeRaw(node.url, get('/v1/things', CLOSE)));
    let isAnswered = false;
    const all = Promise.all(replies).finally(() => {
      isAnswered = true;
    });
    let pieces = 0;
    for (; !isAnswered; pieces += 1) await othersGoFirst();
    expect((await all).every((reply) => reply.startsWith('HTTP/1.1 200'))).to.equal(true);
    expect(pieces).to.be.lessThan(20);
  });
});
