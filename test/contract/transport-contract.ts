import { expect } from 'chai';
import {
  type Endpoint,
  type InboundReply,
  type InboundRequest,
  type OutboundReply,
  type OutboundRequest,
  ServiceError,
  type Transport,
} from '../../ports/ports.ts';
import { createGate } from '../kit/create-gate.ts';

/** Two transports that can reach each other; `stop` releases their resources. */
export interface TransportPair {
  readonly server: Transport;
  readonly client: Transport;
  stop?(): Promise<void>;
}

type Handle = Endpoint['handle'];

const OK: OutboundReply = { status: 200, headers: {}, body: 'ok' };

/** The contract of every transport. Each case gets a fresh pair. */
export const describeTransport = (name: string, create: () => Promise<TransportPair>): void => {
  describe(`transport: ${name}`, () => {
    let pair: TransportPair;
    let closers: (() => Promise<void>)[];
    let seen: InboundRequest[];

    beforeEach(async () => {
      pair = await create();
      closers = [];
      seen = [];
    });
    afterEach(async () => {
      for (const close of closers) await close();
      await pair.stop?.();
    });

    /** Serves endpoints that record their requests, and returns a caller for them. */
    const serve = async (handles: Readonly<Record<string, Handle>>) => {
      const endpoints = Object.entries(handles).map(([key, handle]): Endpoint => {
        const [method = '', path = ''] = key.split(' ');
        const noteAndHandle: Handle = (request) => {
          seen.push(request);
          return handle(request);
        };
        return { method, path, handle: noteAndHandle };
      });
      const listener = await pair.server.serve({
        endpoints,
        unmatched: async (_request, allowed) => ({
          status: 404,
          headers: { Allow: [...allowed].sort().join(', ') },
          body: 'unmatched',
        }),
      });
      closers.push(() => listener.close(0));
      const send = (method: string, target: string, more: Partial<OutboundRequest> = {}): Promise<InboundReply> =>
        pair.client.send({
          method,
          url: listener.url + target,
          headers: {},
          timeoutMs: 5_000,
          maxResponseBytes: 1_000_000,
          allowPrivate: true,
          ...more,
        });
      return { send, listener };
    };

    const textOf = ({ body }: InboundReply): string => Buffer.from(body).toString();

    describe('inbound', () => {
      it('passes on method, path, query, headers and address unchanged', async () => {
        const { send } = await serve({
          'GET /v1/a/*tail': async ({ remoteAddress, signal }) => {
            expect(remoteAddress).not.to.equal('');
            expect(signal.aborted).to.equal(false);
            return OK;
          },
        });
        const reply = await send('GET', '/v1/a/x%2Fy?b=%20c&b=d', { headers: { 'X-One': 'A b', 'x-two': '' } });
        expect(reply.status).to.equal(200);
        const [request] = seen as [InboundRequest];
        expect([request.method, request.path, request.query]).to.deep.equal(['GET', '/v1/a/x%2Fy', 'b=%20c&b=d']);
        expect([request.header('x-one'), request.header('x-two'), request.header('x-three')]).to.deep.equal([
          'A b',
          '',
          undefined,
        ]);
        expect([request.headerCount('x-one'), request.headerCount('x-three')]).to.deep.equal([1, 0]);
      });

      it('passes on parameters unchanged', async () => {
        const { send } = await serve({ 'GET /v1/:a/b/*rest/end': async () => OK, 'GET /v1/:a': async () => OK });
        await send('GET', '/v1/x%2Fy/b/%2e%2e//%zz/end');
        await send('GET', '/v1/%E0%A4%A');
        expect(seen.map(({ pathParameters }) => pathParameters)).to.deep.equal([
          { a: 'x%2Fy', rest: '%2e%2e//%zz' },
          { a: '%E0%A4%A' },
        ]);
      });

      it('prefers the endpoint with the more specific path', async () => {
        const reply = (body: string) => async () => ({ ...OK, body });
        const { send } = await serve({
          'GET /v1/x/*all': reply('tail'),
          'GET /v1/x/*all/end': reply('tail with an end'),
          'GET /v1/x/:one': reply('segment'),
          'GET /v1/x/fixed': reply('literal'),
          'POST /v1/x/posted': reply('other method'),
        });
        const answers: string[] = [];
        for (const rest of ['fixed', 'other', 'a/b', 'a/end', 'a/b/end', 'fixed/', 'posted', '/']) {
          answers.push(textOf(await send('GET', `/v1/x/${rest}`)));
        }
        expect(answers).to.deep.equal([
          'literal',
          'segment',
          'tail',
          'tail with an end',
          'tail with an end',
          'tail',
          'segment',
          'tail',
        ]);
      });

      it('passes a request without endpoint to `unmatched`, with the methods of the path', async () => {
        const { send } = await serve({
          'GET /v1/x': async () => OK,
          'PUT /v1/x': async () => OK,
          'DELETE /v1/:any': async () => OK,
        });
        const allowed = async (method: string, target: string) => (await send(method, target)).header('Allow');
        expect(await allowed('POST', '/v1/x')).to.equal('DELETE, GET, PUT');
        expect(await allowed('POST', '/v1/y')).to.equal('DELETE');
        for (const target of ['/', '/v1', '/v1/x/', '/v1//x', '/V1/x', '/v1/x/y']) {
          expect(await allowed('GET', target), target).to.equal('');
        }
        expect(seen).to.deep.equal([]);
      });

      it('serves HEAD only if an endpoint declares it', async () => {
        const { send } = await serve({ 'GET /a': async () => OK, 'GET /b': async () => OK, 'HEAD /b': async () => OK });
        expect((await send('HEAD', '/a')).status).to.equal(404);
        expect((await send('HEAD', '/b')).status).to.equal(200);
      });

      it('passes on a whole body up to the limit, and an absent one as empty', async () => {
        const bodies: unknown[] = [];
        const { send } = await serve({
          'POST /a': async (request) => {
            const body = await request.body(10).catch((error: unknown) => error);
            bodies.push(body instanceof ServiceError ? body.code : Buffer.from(body as Uint8Array).toString());
            return OK;
          },
        });
        await send('POST', '/a', { body: 'ten bytes!' });
        await send('POST', '/a', { body: Uint8Array.of(0x61, 0x62) });
        await send('POST', '/a');
        await send('POST', '/a', { body: 'eleven byte' });
        expect(bodies).to.deep.equal(['ten bytes!', 'ab', '', 'too_large']);
      });

      it('does not abort the signal while the client is connected, after the body too', async () => {
        const { send } = await serve({
          'POST /a': async (request) => {
            await request.body(100);
            return { ...OK, body: String(request.signal.aborted) };
          },
        });
        expect(textOf(await send('POST', '/a', { body: 'x' }))).to.equal('false');
      });
    });

    describe('outbound', () => {
      it('returns any status, with headers and body', async () => {
        const { send } = await serve({
          'GET /text': async () => ({ status: 201, headers: { 'X-Mixed-Case': 'v' }, body: 'é' }),
          'GET /bytes': async () => ({ status: 418, headers: {}, body: Uint8Array.of(0, 255) }),
          'GET /none': async () => ({ status: 204, headers: {} }),
          'GET /stream': async () => ({ status: 200, headers: {}, body: pieces('a', 'b', 'c') }),
          'GET /away': async () => ({ status: 302, headers: { Location: '/text' }, body: '' }),
        });
        const text = await send('GET', '/text');
        expect([text.status, textOf(text)]).to.deep.equal([201, 'é']);
        expect([text.header('x-mixed-case'), text.header('X-MIXED-CASE'), text.header('x')]).to.deep.equal([
          'v',
          'v',
          undefined,
        ]);
        const bytes = await send('GET', '/bytes');
        expect([bytes.status, [...bytes.body]]).to.deep.equal([418, [0, 255]]);
        expect([...(await send('GET', '/none')).body]).to.deep.equal([]);
        expect(textOf(await send('GET', '/stream'))).to.equal('abc');
        expect((await send('GET', '/away')).status).to.equal(302);
      });

      it('returns a stream of bytes unchanged', async () => {
        const { send } = await serve({ 'GET /a': async () => ({ ...OK, body: pieces(Uint8Array.of(0, 255), 'é') }) });
        expect([...(await send('GET', '/a')).body]).to.deep.equal([0, 255, 0xc3, 0xa9]);
      });

      it('reads a stream only as fast as the client does, and ends it when the client disconnects', async () => {
        let taken = 0;
        const { passed: ended, open: end } = createGate();
        async function* endless(): AsyncIterable<Uint8Array> {
          try {
            for (;;) {
              taken += 1;
              yield new Uint8Array(64 * 1024);
            }
          } finally {
            end();
          }
        }
        const { send } = await serve({ 'GET /a': async () => ({ ...OK, body: endless() }) });
        const reply = await send('GET', '/a', { maxResponseBytes: 100_000, excess: 'cut' });
        expect(reply.body).to.have.length(100_000);
        await ended;
        expect(taken).to.be.below(1_000);
      });

      it('answers HEAD with the headers only, and reads no stream for it', async () => {
        let [taken, ended] = [0, 0];
        const stream: AsyncIterable<string> = {
          [Symbol.asyncIterator]: () => ({
            next: async () => {
              taken += 1;
              return { done: true, value: undefined };
            },
            return: async () => {
              ended += 1;
              return { done: true, value: undefined };
            },
          }),
        };
        const headers = { 'Content-Type': 'image/png' };
        const { send } = await serve({
          'HEAD /bytes': async () => ({ status: 200, headers, body: Uint8Array.of(1, 2, 3) }),
          'HEAD /stream': async () => ({ status: 200, headers, body: stream }),
        });
        for (const target of ['/bytes', '/stream']) {
          const reply = await send('HEAD', target);
          expect([reply.status, reply.header('content-type'), reply.body.length]).to.deep.equal([200, 'image/png', 0]);
        }
        expect([taken, ended]).to.deep.equal([0, 1]);
      });

      it('reports "unavailable" for a body larger than the limit of the caller', async () => {
        const { send } = await serve({ 'GET /big': async () => ({ ...OK, body: 'x'.repeat(101) }) });
        expect(await codeOf(send('GET', '/big', { maxResponseBytes: 100 }))).to.equal('unavailable');
        expect((await send('GET', '/big', { maxResponseBytes: 101 })).status).to.equal(200);
      });

      it('reports "unavailable" when no server listens', async () => {
        const { send, listener } = await serve({ 'GET /a': async () => OK });
        expect((await send('GET', '/a')).status).to.equal(200);
        await listener.close(1_000);
        await listener.close(1_000);
        expect(await codeOf(send('GET', '/a'))).to.equal('unavailable');
      });
    });

    it('shows no detail of a failed endpoint', async () => {
      const { send } = await serve({
        'GET /fails': async () => {
          throw new Error('a secret');
        },
        'GET /throws': () => {
          throw new Error('a secret');
        },
        'GET /a': async () => OK,
      });
      for (const target of ['/fails', '/throws']) {
        const reply = await send('GET', target);
        expect(reply.status, target).to.equal(500);
        expect(textOf(reply), target).not.to.contain('secret');
      }
      expect((await send('GET', '/a')).status).to.equal(200);
    });
  });
};

async function* pieces(...parts: readonly (string | Uint8Array)[]): AsyncIterable<string | Uint8Array> {
  yield* parts;
}

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'an answer',
    (error: unknown) => (error instanceof ServiceError ? error.code : error),
  );
