import { expect } from 'chai';
import { defineOwnPlugin, spellQuestion } from '../../../kernel/internal-api.ts';
import { LocalRequests, type Route, schema } from '../../../kernel/plugin-api.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { thrownError } from '../../kit/thrown-error.ts';

type Asking = Route<undefined, undefined, { readonly route: string; readonly params?: Record<string, string> }>;

const OPEN = { 200: { json: { type: 'object', additionalProperties: true } } } as const;

const READ_HEADERS = ['Svc-Session', 'X-Svc-Capability', 'Cookie', 'Content-Length'] as const;

/** A plugin that calls a route of its own node, and returns the reply. */
const askingPlugin = defineOwnPlugin({
  name: 'asking',
  requires: { routes: LocalRequests },
  setup({ use, route }) {
    const body = schema<{ readonly route: string }>({
      type: 'object',
      required: ['route'],
      properties: { route: { type: 'string' }, params: { type: 'object' }, body: { type: 'object' } },
    });
    const asking: Asking = {
      method: 'POST',
      path: '/v1/asking',
      summary: 'asks another route',
      access: { permission: 'any' },
      body,
      answers: OPEN,
      handle: async (request) => {
        if (!use.routes.serves(request.body.route)) return { status: 200, body: { served: false } };
        const { status, text, header } = await use.routes.send(request, request.body);
        return { status: 200, body: { status, told: JSON.parse(text), requestId: header('X-Request-Id') } };
      },
    };
    route(asking);
    route({
      method: 'GET',
      path: '/v1/headers',
      summary: 'shows what it was sent',
      access: { permission: 'any' },
      headers: Object.fromEntries(READ_HEADERS.map((name) => [name, { summary: 'shown' }])),
      answers: OPEN,
      handle: ({ header, caller, path }) => ({
        status: 200,
        body: {
          path,
          entity: caller.entityUri,
          session: header('svc-session'),
          capability: header('x-svc-capability'),
          cookie: header('cookie'),
          length: header('content-length'),
        },
      }),
    });
  },
});

describe('requests that a plugin sends to routes of its own node', () => {
  let node: TestNode;
  before(async () => {
    node = await startTestNode({ extra: [askingPlugin] });
  });
  after(() => node.stop());

  const ask = async (key: string, question: object, headers = {}) =>
    (await node.request('POST', '/v1/asking', { key, body: question, headers })).body;

  it('have the caller, the request id and the service headers, and no other headers', async () => {
    const key = await node.addKey({ entityUri: 'agent:noor' });
    const headers = { 'Svc-Session': 's1', 'X-Svc-Capability': 'c', Cookie: 'x=1', 'X-Request-Id': 'outer-1' };
    const { status, told, requestId } = await ask(key, { route: 'GET /v1/headers' }, headers);
    expect(status).to.equal(200);
    expect(requestId).to.equal('outer-1');
    expect(told).to.deep.equal({ path: '/v1/headers', entity: 'agent:noor', session: 's1', capability: 'c' });
  });

  it('pass the same checks as a request over the network', async () => {
    const reader = await node.addKey({ permissions: ['read'] });
    const body = { entity: 'user:x', relation: 'memory:x', value: { type: 'string', v: 'x' }, source: 'agent:x' };
    const forbidden = await ask(reader, { route: 'POST /v1/facts', body });
    expect(forbidden).to.include({ status: 403 });
    expect(forbidden.told.code).to.equal('authorization');
    const writer = await node.addKey();
    expect((await ask(writer, { route: 'POST /v1/facts', body })).status).to.equal(201);
    const unknown = await ask(writer, { route: 'POST /v1/facts', body: { ...body, extra: 1 } });
    expect(unknown.told.errors[0].path).to.equal('body.extra');
    const missing = await ask(writer, { route: 'GET /v1/facts/:id', params: { id: 'none' } });
    expect(missing.told).to.include({ code: 'lookup', instance: '/v1/facts/none' });
  });

  it('reach the named route, with any parameters', async () => {
    const key = await node.addKey();
    for (const id of ['batch', '../me', 'x/provenance', 'x?limit=1', '%2e%2e', 'ä b']) {
      const { told } = await ask(key, { route: 'GET /v1/facts/:id', params: { id } });
      expect(told.code, id).to.equal('lookup');
    }
    expect(await ask(key, { route: 'GET /v1/nothing' })).to.deep.equal({ served: false });
    expect(await ask(key, { route: 'HEAD /v1/facts' })).to.deep.equal({ served: false });
  });

  it('cannot be nested', async () => {
    const key = await node.addKey();
    const inner = { route: 'GET /v1/me' };
    const { status } = await ask(key, { route: 'POST /v1/asking', body: inner });
    expect(status).to.equal(500);
    expect(node.logLines.some(({ message }) => message === 'request failed')).to.equal(true);
  });
});

describe('the address of a local request', () => {
  it('encodes every part', () => {
    const question = { route: 'GET /v1/cards/*entity_uri', params: { entity_uri: 'svc://h/a?b' } };
    expect(
      spellQuestion({ ...question, query: { a: 'x&y', b: undefined, c: null, d: [1, 2].map(String), e: false } }),
    ).to.deep.equal({
      method: 'GET',
      path: '/v1/cards/svc%3A%2F%2Fh%2Fa%3Fb',
      query: 'a=x%26y&d=1&d=2&e=false',
      pathParameters: { entity_uri: 'svc%3A%2F%2Fh%2Fa%3Fb' },
    });
  });

  it('keeps an empty list, which the route refuses', () => {
    expect(spellQuestion({ route: 'GET /v1/facts', query: { entities: [] } }).query).to.equal('entities=');
  });

  it('refuses a parameter that is missing or empty', () => {
    for (const params of [{}, { id: '' }]) {
      expect(thrownError(() => spellQuestion({ route: 'GET /v1/facts/:id', params }))).to.include({
        code: 'validation',
      });
    }
  });
});
