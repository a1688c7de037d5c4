import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createHttpEmbedder, type HttpEmbedderSettings } from '../../../adapters/embedder/http-embedder.ts';
import { sendRequest } from '../../../adapters/koa/send-request.ts';
import type { Clock, Embedder } from '../../../ports/ports.ts';
import { describeEmbedder } from '../../contract/embedder-contract.ts';
import { rejection } from '../../kit/rejection.ts';

interface Seen {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly model: string; readonly input: readonly string[]; readonly dimensions?: number };
}

interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * Serves an endpoint that returns the length and first letter of each text, in reverse order, unless `answer` overrides
 * it.
 */
const serveEmbeddings = async () => {
  const seen: Seen[] = [];
  const state: { answer: (at: number, request: Seen) => Reply | 'stall' } = { answer: () => ({}) };
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Seen['body'];
      const entry = { url: request.url, headers: request.headers, body };
      const reply = state.answer(seen.push(entry) - 1, entry);
      if (reply === 'stall') return;
      const data = body.input.map((text, index) => ({ index, embedding: [text.length, text.charCodeAt(0) || 1, 3] }));
      response.writeHead(reply.status ?? 200, { 'Content-Type': 'application/json', ...reply.headers });
      response.end(
        typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? { data: data.reverse() }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.address() as AddressInfo;
  return {
    seen,
    state,
    url: `http://127.0.0.1:${port}/v1`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

describe('the http embedder', () => {
  let endpoint: Awaited<ReturnType<typeof serveEmbeddings>>;
  let waits: number[];
  beforeEach(async () => {
    endpoint = await serveEmbeddings();
    waits = [];
  });
  afterEach(() => endpoint.stop());

  /** A clock that records each wait and ends it at once. */
  const clock: Clock = {
    nowMs: () => Date.parse('2026-03-02T09:00:00Z'),
    monotonicMs: () => 0,
    schedule: (delayMs, task) => {
      waits.push(delayMs);
      queueMicrotask(task);
      return () => undefined;
    },
  };
  const create = (more: Partial<HttpEmbedderSettings> = {}): Embedder =>
    createHttpEmbedder(
      {
        url: endpoint.url,
        model: 'tiny',
        dimensions: 3,
        sendDimensions: false,
        batchSize: 2,
        timeoutMs: 5_000,
        attempts: 3,
        documentPrefix: '',
        queryPrefix: '',
        similarityFloor: 0.4,
        ...more,
      },
      { transport: { send: sendRequest }, clock, fraction: () => 0 },
    );
  const failure = (more?: Partial<HttpEmbedderSettings>) => rejection(create(more).embed(['a text'], 'document'));
  const expectVector = (vector: Float32Array | undefined, text: string): void => {
    const components = [text.length, text.charCodeAt(0), 3];
    const length = Math.hypot(...components);
    components.forEach((component, at) => {
      expect(vector?.[at]).to.be.closeTo(component / length, 1e-6);
    });
  };

  it('returns unit vectors in the order of the texts, over several requests', async () => {
    const texts = ['bc', 'a', 'defg', 'h', 'ijk'];
    const vectors = await create().embed(texts, 'document');
    for (const [at, text] of texts.entries()) expectVector(vectors[at], text);
    expect(endpoint.seen.map(({ url, body }) => [url, body.input])).to.deep.equal([
      ['/v1/embeddings', ['bc', 'a']],
      ['/v1/embeddings', ['defg', 'h']],
      ['/v1/embeddings', ['ijk']],
    ]);
  });

  it('sends the prefixes, dimensions and key that the model requires', async () => {
    const settings = { documentPrefix: 'd: ', queryPrefix: 'q: ', apiKey: 'secret-1', sendDimensions: true };
    const embedder = create({ ...settings, url: `${endpoint.url}/` });
    expectVector((await embedder.embed(['x'], 'document'))[0], 'd: x');
    expectVector((await embedder.embed(['x'], 'query'))[0], 'q: x');
    await create().embed(['x'], 'query');
    expect(
      endpoint.seen.map(({ headers, body }) => [headers.authorization, body.model, body.dimensions]),
    ).to.deep.equal([
      ['Bearer secret-1', 'tiny', 3],
      ['Bearer secret-1', 'tiny', 3],
      [undefined, 'tiny', undefined],
    ]);
  });

  it('gets another id when a setting changes its document vectors, and the id holds no secret', () => {
    const ids = [{}, { model: 'other' }, { dimensions: 4 }, { documentPrefix: 'd: ' }].map((more) => create(more).id);
    expect(new Set(ids).size).to.equal(ids.length);
    expect(create({ queryPrefix: 'q: ', apiKey: 'secret-1', url: 'http://elsewhere/v1' }).id).to.equal(ids[0]);
  });

  it('retries with growing delays when the endpoint is busy or failing', async () => {
    endpoint.state.answer = (at) => (at < 2 ? { status: [503, 429][at] as number, body: 'busy' } : {});
    expectVector((await create().embed(['a text'], 'document'))[0], 'a text');
    expect(waits).to.deep.equal([250, 500]);
  });

  it('waits as long as Retry-After says, in seconds or until a date, up to a limit', async () => {
    const asked = ['7', 'Mon, 02 Mar 2026 09:00:20 GMT', '3600'];
    endpoint.state.answer = (at) => ({ status: 429, headers: { 'Retry-After': asked[at] as string } });
    expect((await failure({ attempts: 9 })).message)
      .to.include('answered 429')
      .and.include('try again later');
    expect([waits, endpoint.seen.length]).to.deep.equal([[7_000, 20_000], 3]);
  });

  it('gives up after its attempts, and sooner for a query', async () => {
    endpoint.state.answer = () => ({ status: 500 });
    expect(await failure()).to.include({ code: 'unavailable' });
    expect(endpoint.seen).to.have.length(3);
    await rejection(create().embed(['a'], 'query'));
    expect(endpoint.seen).to.have.length(5);
  });

  it('does not retry errors that every attempt would get', async () => {
    const hints: Readonly<Record<number, string>> = {
      400: 'SVC_EMBED_MODEL',
      401: 'SVC_EMBED_API_KEY',
      404: 'SVC_EMBED_URL',
      422: 'SVC_EMBED_SEND_DIMENSIONS',
    };
    for (const [status, hint] of Object.entries(hints)) {
      endpoint.state.answer = () => ({ status: Number(status), body: { error: 'a text of secret-1' } });
      const error = await failure({ apiKey: 'secret-1' });
      expect(error).to.include({ code: 'unavailable' });
      expect(error.message).to.include(hint).and.not.include('secret-1');
    }
    expect(endpoint.seen).to.have.length(4);
  });

  it('is unavailable when the endpoint does not answer, or not in time', async () => {
    endpoint.state.answer = () => 'stall';
    const slow = await failure({ timeoutMs: 50, attempts: 2 });
    expect([slow['code'], slow.message.includes('took too long'), endpoint.seen.length]).to.deep.equal([
      'unavailable',
      true,
      2,
    ]);
    await endpoint.stop();
    expect(await failure({ attempts: 1 })).to.include({ code: 'unavailable' });
    endpoint = await serveEmbeddings();
  });

  it('rejects malformed replies of the endpoint', async () => {
    const one = (embedding: unknown, index: unknown = 0) => ({ data: [{ index, embedding }] });
    const answers: readonly (readonly [body: unknown, says: string])[] = [
      ['no json', 'not JSON'],
      [{}, 'no list'],
      [{ data: [] }, '0 vectors for 1 texts'],
      [one([1, 2]), '2 dimensions, not 3'],
      [one([1, 2, null]), 'not made of numbers'],
      ['{"data":[{"index":0,"embedding":[1,2,1e999]}]}', 'not finite'],
      [one([0, 0, 0]), 'without direction'],
      [one('AACAPw=='), 'in place of a vector'],
      [one([1, 2, 3], 1), 'which vector belongs'],
      [{ data: [null] }, 'in place of a vector'],
    ];
    for (const [body, says] of answers) {
      endpoint.state.answer = () => ({ body });
      const error = await failure();
      expect([error['code'], error.message.includes(says)], says).to.deep.equal(['unavailable', true]);
    }
    expect(endpoint.seen).to.have.length(answers.length);
  });
});

describeEmbedder('the http embedder', async () => {
  const endpoint = await serveEmbeddings();
  const clock: Clock = { nowMs: () => 0, monotonicMs: () => 0, schedule: () => () => undefined };
  return {
    embedder: createHttpEmbedder(
      {
        url: endpoint.url,
        model: 'tiny',
        dimensions: 3,
        sendDimensions: false,
        batchSize: 32,
        timeoutMs: 5_000,
        attempts: 1,
        documentPrefix: '',
        queryPrefix: '',
        similarityFloor: 0.4,
      },
      { transport: { send: sendRequest }, clock, fraction: () => 0 },
    ),
    stop: endpoint.stop,
  };
});
