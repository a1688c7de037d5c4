import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { PLUGIN_CATALOG } from '../../../config/plugin-catalog.ts';
import { NodeDescription } from '../../../kernel/plugin-api.ts';
import type { ApiDocument, ApiOperation } from '../../../plugins/openapi/api-document.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';

const nodes: TestNode[] = [];
const start = async (options: TestNodeOptions = {}): Promise<TestNode> => {
  const node = await startTestNode(options);
  nodes.push(node);
  return node;
};
after(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});

const documentOf = async (node: TestNode): Promise<ApiDocument> => {
  const reply = await node.request('GET', '/openapi.json');
  expect(reply.status, reply.text).to.equal(200);
  return reply.body as ApiDocument;
};

const operationsOf = ({ paths }: ApiDocument): [name: string, operation: ApiOperation][] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, ApiOperation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );

const problemsOf = async (document: ApiDocument): Promise<unknown> => {
  const { valid, errors } = await new Validator().validate(
    structuredClone(document) as unknown as Record<string, unknown>,
  );
  return valid ? undefined : errors;
};

/** Returns every `$ref` of the document without a target. */
const danglingIn = (document: ApiDocument): string[] => {
  const text = JSON.stringify(document);
  const references = new Set([...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, place = '']) => place));
  const find = (place: string): unknown =>
    place.split('/').reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], document);
  return [...references].filter((place) => find(place) === undefined);
};

describe('the API description', () => {
  let node: TestNode;
  let document: ApiDocument;
  before(async () => {
    node = await start();
    document = await documentOf(node);
  });

  it('is valid OpenAPI 3.1 with all plugins, with few plugins, and under another name of the service', async () => {
    const few = await documentOf(await start({ plugins: ['openapi', 'facts'], url: 'http://localhost:8801' }));
    const named = await documentOf(await start({ env: { SVC_SERVICE_NAME: 'memo' }, url: 'http://localhost:8802' }));
    for (const each of [document, few, named]) {
      expect(await problemsOf(each)).to.equal(undefined);
      expect(danglingIn(each)).to.deep.equal([]);
    }
    expect(Object.keys(few.paths)).to.include('/v1/facts').and.not.to.include('/v1/gardens');
    expect(few.components.schemas).not.to.have.property('Garden');
    expect(Object.keys(named.paths)).to.include('/.well-known/memo').and.not.to.include('/.well-known/svc');
    expect(JSON.stringify(named)).to.include('Memo-Session').and.not.to.include('Svc-Session');
  });

  it('contains every route of the node, and no other', async () => {
    const { routes } = await node.kernel.get(NodeDescription).read();
    const expected = routes.map(({ method, path }) => `${method} ${path.replaceAll(/[:*](\w+)/g, '{$1}')}`);
    expect(operationsOf(document).map(([name]) => name)).to.have.members(expected);
  });

  it('leaves out a disabled plugin', async () => {
    const without = await start({
      plugins: Object.keys(PLUGIN_CATALOG).filter((name) => name !== 'lint'),
      url: 'http://localhost:8803',
    });
    const lacking = await documentOf(without);
    expect(JSON.stringify(lacking)).not.to.include('/v1/lint');
    expect(lacking.tags.map(({ name }) => name)).not.to.include('lint');
  });

  it('is the same for every caller and on two equal nodes', async () => {
    const key = await node.addKey({ permissions: ['read'] });
    const inside = await node.request('GET', '/v1/openapi.json', { key });
    expect(inside.status).to.equal(200);
    expect(inside.headers['cache-control']).to.equal('no-store');
    const outside = await node.request('GET', '/openapi.json', { key });
    expect(inside.text)
      .to.equal(outside.text)
      .and.to.equal((await node.request('GET', '/openapi.json')).text);
    expect((await node.request('GET', '/v1/openapi.json')).status).to.equal(401);
    const other = await start({ url: node.url });
    expect((await other.request('GET', '/openapi.json')).text).to.equal(outside.text);
  });

  it('is not sent again to a client that has the current version', async () => {
    const first = await node.request('GET', '/openapi.json');
    const tag = first.headers['etag'] ?? '';
    expect(tag).to.match(/^"[0-9a-f]{32}"$/);
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const again = await node.request('GET', '/openapi.json', { headers: { 'If-None-Match': known } });
      expect([again.status, again.text, again.headers['etag']], known).to.deep.equal([304, '', tag]);
    }
    const other = await node.request('GET', '/openapi.json', { headers: { 'If-None-Match': '"other"' } });
    expect(other.status).to.equal(200);
    expect((await node.request('HEAD', '/openapi.json')).status).to.equal(200);
  });

  it('names each operation uniquely, and each parameter of its path', () => {
    const operations = operationsOf(document);
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).to.equal(ids.length);
    for (const [name, { parameters = [] }] of operations) {
      const inPath = parameters.filter((parameter) => parameter.in === 'path');
      const asked = [...name.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
      expect(
        inPath.map((parameter) => parameter.name),
        name,
      ).to.deep.equal(asked);
      expect(
        inPath.every(({ required }) => required === true),
        name,
      ).to.equal(true);
    }
  });

  it('shows the required permission and credential of each operation', () => {
    const of = (path: string, method: string): ApiOperation => document.paths[path]?.[method] as ApiOperation;
    expect(of('/healthz', 'get').security).to.deep.equal([]);
    expect(of('/v1/facts', 'post').security).to.deep.equal([{ key: [] }]);
    expect(of('/v1/facts', 'post')['x-permissions']).to.deep.equal(['write']);
    expect(of('/v1/me', 'get')).not.to.have.property('x-permissions');
    expect(of('/v1/federation/facts', 'get').security).to.deep.equal([{ peerToken: [] }]);
    expect(of('/v1/federation/tombstones', 'get').security).to.deep.equal([{ peerToken: [], 'x-svc-capability': [] }]);
    expect(document.components.securitySchemes['x-svc-capability']).to.include({
      in: 'header',
      name: 'X-Svc-Capability',
    });
  });

  it('describes headers, bodies other than JSON, and problems with their codes', () => {
    const assert = document.paths['/v1/facts']?.['post'] as ApiOperation;
    const headers = (assert.parameters ?? []).filter((parameter) => parameter.in === 'header').map(({ name }) => name);
    expect(headers).to.have.members(['Svc-Session', 'Idempotency-Key']);
    expect(assert.responses['default']).to.deep.equal({ $ref: '#/components/responses/Problem' });
    const stream = document.paths['/v1/subscriptions/{id}/stream']?.['get'] as ApiOperation;
    expect(stream.responses['200']).to.have.nested.property('content.text/event-stream');
    const batch = document.paths['/v1/facts/batch']?.['post'] as ApiOperation;
    expect(Object.keys(batch.requestBody?.content ?? {})).to.deep.equal(['application/json', 'application/x-ndjson']);
    const codes = document.components.responses['Problem']?.['x-error-codes']?.map(({ code }) => code) ?? [];
    expect(codes).to.include.members(['lookup', 'validation', 'invalid_weights']).and.not.to.include('bad_parameter');
  });

  it('forbids further members in bodies where the node refuses them', () => {
    const body = document.paths['/v1/gardens']?.['post']?.requestBody?.content['application/json']?.schema;
    expect(body).to.have.property('additionalProperties', false);
  });
});
