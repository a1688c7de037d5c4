import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { expect } from 'chai';
import fc from 'fast-check';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { ServiceError, Telemetry, Transport } from '../../../kernel/plugin-api.ts';
import { readTraceContext, traceHeaders } from '../../../plugins/tracing/trace-context.ts';
import { createLoopbackNetwork } from '../../fakes/loopback-network.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { type RecordedSpans, recordSpans } from '../../kit/recorded-spans.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;

const fact = (entity: string) => ({
  entity,
  relation: 'memory:note',
  value: { type: 'string', v: 'a secret' },
  source: 'agent:a',
  confidence: 0.9,
  scope: 'company',
});

describe('spans of a node in a process with an OpenTelemetry SDK', () => {
  let recorded: RecordedSpans;
  const nodes: TestNode[] = [];
  const start = async (options: Parameters<typeof startTestNode>[0] = {}): Promise<TestNode> => {
    const node = await startTestNode(options);
    nodes.push(node);
    return node;
  };
  beforeEach(() => {
    recorded = recordSpans();
  });
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.stop();
    await recorded.end();
  });

  it('continue the trace of a request, and contain the pattern of the route but not its path', async () => {
    const node = await start();
    const key = await node.addKey();
    const headers = { traceparent: TRACEPARENT, tracestate: 'vendor=1', baggage: 'user=alice' };
    await node.request('GET', '/v1/cards/user:alice?scope=company', { key, headers });
    const [span] = recorded.named('GET /v1/cards/*entity_uri');
    expect(span?.kind).to.equal(SpanKind.SERVER);
    expect(span?.spanContext().traceId).to.equal(TRACE);
    expect(span?.parentSpanContext?.spanId).to.equal(PARENT);
    expect(span?.spanContext().traceState?.serialize()).to.equal('vendor=1');
    expect(span?.attributes).to.include({ 'http.request.method': 'GET', 'http.route': '/v1/cards/*entity_uri' });
    expect(span?.attributes['http.response.status_code']).to.be.a('number');
    const all = JSON.stringify(recorded.spans().map(({ name, attributes }) => [name, attributes]));
    expect(all).not.to.include('alice');
  });

  it('begin a new trace if the header is missing, invalid or repeated', async () => {
    const node = await start();
    const target = '/healthz';
    await node.request('GET', target);
    await node.request('GET', target, { headers: { traceparent: `00-${'0'.repeat(32)}-${PARENT}-01` } });
    await node.request('GET', target, { headers: { traceparent: `${TRACEPARENT}-more` } });
    const twice = ['traceparent', TRACEPARENT] as const;
    await node.request('GET', target, { headers: [twice, twice] });
    const spans = recorded.named('GET /healthz');
    expect(spans).to.have.length(4);
    expect(spans.filter(({ parentSpanContext }) => parentSpanContext !== undefined)).to.deep.equal([]);
    expect(new Set(spans.map((span) => span.spanContext().traceId)).size).to.equal(4);
  });

  it('link a group of appends to the requests that wait for it', async () => {
    const node = await start();
    const key = await node.addKey();
    const reply = await node.request('POST', '/v1/facts', {
      key,
      body: fact('user:a'),
      headers: { traceparent: TRACEPARENT },
    });
    expect(reply.status).to.equal(201);
    const request = recorded.named('POST /v1/facts')[0];
    const groups = recorded.named('append group');
    const linked = groups.flatMap(({ links }) => links.map((link) => link.context.spanId));
    expect(linked).to.include(request?.spanContext().spanId);
    expect(groups.every(({ parentSpanContext }) => parentSpanContext === undefined)).to.equal(true);
  });

  it('fail for a status of 500 but not for a refusal, and never contain the text of an error', async () => {
    const plugin = defineOwnPlugin({
      name: 'z-probe',
      requires: { telemetry: Telemetry },
      setup({ use, route }) {
        const fail = (path: string, error: () => Error): void =>
          route({
            method: 'GET',
            path,
            summary: 'fails',
            access: 'open',
            answers: {},
            handle: () =>
              use.telemetry.span('inner', {}, async () => {
                throw error();
              }),
          });
        fail('/broken', () => new TypeError('a secret text'));
        fail('/refused', () => new ServiceError('lookup', 'a secret text'));
      },
    });
    const node = await start({ extra: [plugin] });
    expect((await node.request('GET', '/broken')).status).to.equal(500);
    expect((await node.request('GET', '/refused')).status).to.equal(404);
    const statusOf = (name: string) => recorded.named(name).map(({ status }) => status.code);
    expect(statusOf('GET /broken')).to.deep.equal([SpanStatusCode.ERROR]);
    expect(statusOf('GET /refused')).to.deep.equal([SpanStatusCode.UNSET]);
    expect(statusOf('inner')).to.deep.equal([SpanStatusCode.ERROR, SpanStatusCode.UNSET]);
    expect(recorded.named('inner').map(({ attributes }) => attributes['error.type'])).to.deep.equal([
      'TypeError',
      'lookup',
    ]);
    const all = recorded.spans().map(({ name, attributes, events, status }) => [name, attributes, events, status]);
    expect(JSON.stringify(all)).not.to.include('a secret text');
    const line = node.logLines.find(({ message }) => message === 'request failed');
    const span = recorded.named('GET /broken')[0];
    expect(line?.fields).to.include({ trace_id: span?.spanContext().traceId, span_id: span?.spanContext().spanId });
  });

  it('continue in services that the operator configured, but never at an address from a client', async () => {
    const network = createLoopbackNetwork();
    const heard: (string | undefined)[] = [];
    await network.transport('https://elsewhere.example').serve({
      endpoints: [],
      unmatched: async (request) => {
        heard.push(request.header('traceparent'));
        return { status: 204, headers: {} };
      },
    });
    const node = await start({ network });
    const { send } = node.kernel.get(Transport);
    const call = { method: 'GET', url: 'https://elsewhere.example/x', headers: {} } as const;
    const limits = { timeoutMs: 1_000, maxResponseBytes: 100, allowPrivate: true };
    for (const purpose of ['peer', 'webhook'] as const) await send({ ...call, ...limits, purpose });
    await send({ ...call, ...limits });
    const spans = recorded.named('GET').filter(({ kind }) => kind === SpanKind.CLIENT);
    expect(spans).to.have.length(3);
    const [first] = spans;
    expect(heard).to.deep.equal([
      `00-${first?.spanContext().traceId}-${first?.spanContext().spanId}-01`,
      undefined,
      undefined,
    ]);
    expect(first?.attributes).to.include({ 'server.address': 'elsewhere.example', 'server.port': 443 });
    expect(spans[1]?.attributes).not.to.have.property('server.address');
  });

  it('end when the node stops', async () => {
    const node = await start();
    const telemetry = node.kernel.get(Telemetry);
    expect(telemetry.isTracing).to.equal(true);
    await node.stop();
    await comesTrue(() => !telemetry.isTracing);
  });
});

describe('spans of a node in a process without an SDK', () => {
  it('are not created', async () => {
    const node = await startTestNode();
    try {
      expect(node.kernel.get(Telemetry).isTracing).to.equal(false);
    } finally {
      await node.stop();
    }
  });
});

describe('the trace context in headers', () => {
  const hex = (length: number) =>
    fc
      .array(fc.integer({ min: 0, max: 15 }), { minLength: length, maxLength: length })
      .map((digits) => digits.map((digit) => digit.toString(16)).join(''))
      .filter((text) => !/^0+$/.test(text));

  it('is the same after reading and writing', () => {
    fc.assert(
      fc.property(hex(32), hex(16), fc.boolean(), (traceId, spanId, isSampled) => {
        const traceparent = `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
        const read = readTraceContext({ traceparent });
        expect(read && traceHeaders(read)).to.deep.equal({ traceparent });
      }),
      { numRuns: RUNS },
    );
  });

  it('is undefined for any other text, of any length', () => {
    for (const text of [
      '',
      'x'.repeat(100_000),
      `ff-${TRACE}-${PARENT}-01`,
      TRACEPARENT.toUpperCase(),
      `${TRACEPARENT}-`,
    ]) {
      expect(readTraceContext({ traceparent: text }), text.slice(0, 60)).to.equal(undefined);
    }
    const long = readTraceContext({ traceparent: TRACEPARENT, tracestate: `a=${'b'.repeat(600)}` });
    expect(long).not.to.have.property('traceState');
  });
});
