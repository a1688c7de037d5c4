import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { defineOwnPlugin, NODE_VERSION } from '../../../kernel/internal-api.ts';
import { NO_BODY } from '../../../kernel/plugin-api.ts';
import type { ApiDocument } from '../../../plugins/openapi/api-document.ts';
import { curlExample } from '../../../plugins/openapi/curl-example.ts';
import { html } from '../../../plugins/openapi/html-text.ts';
import { memberRows, typeWords } from '../../../plugins/openapi/schema-words.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const HOSTILE = `<script>alert("x")</script>'&`;

/** A plugin with markup in its descriptions. */
const hostile = defineOwnPlugin({
  name: 'z-hostile',
  summary: HOSTILE,
  setup({ route }) {
    route({
      method: 'GET',
      path: '/v1/z-hostile',
      summary: HOSTILE,
      access: { permission: 'any' },
      query: {
        json: { type: 'object', properties: { q: { type: 'string', description: HOSTILE, pattern: HOSTILE } } },
      },
      headers: { 'X-Z': { summary: HOSTILE } },
      answers: { 204: { ...NO_BODY, headers: { 'X-Z': HOSTILE } } },
      example: { query: { q: HOSTILE } },
      handle: () => ({ status: 204 }),
    });
  },
});

/** Tags and attributes with which a browser does more than show text. */
const ACTIVE = /<script|<img|<iframe|<link|<form|<object|<[^>]*\s(?:on\w+|style|src)=|href="(?!#|\.?\w[\w./-]*")/i;

describe('the pages of the API reference', () => {
  let node: TestNode;
  let page: string;
  before(async () => {
    node = await startTestNode({ extra: [hostile] });
    page = (await node.request('GET', '/spec')).text;
  });
  after(() => node.stop());

  it('show every operation of the document, and every shared schema', async () => {
    const document = (await node.request('GET', '/openapi.json')).body as ApiDocument;
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    const names = Object.keys(document.components.schemas).map((name) => `schema-${name}`);
    const tags = document.tags.map(({ name }) => `plugin-${name}`);
    const missing = [...ids, ...names, ...tags].filter((id) => !page.includes(` id="${id}"`));
    expect(missing).to.deep.equal([]);
  });

  it('contain no broken links', async () => {
    const anchors = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id));
    const links = [...page.matchAll(/ href="([^"]+)"/g)].map(([, href = '']) => href);
    expect(links.filter((href) => href.startsWith('#') && !anchors.has(href.slice(1)))).to.deep.equal([]);
    for (const href of new Set(links.filter((link) => !link.startsWith('#')))) {
      expect((await node.request('GET', `/${href}`)).status, href).to.equal(200);
    }
  });

  it('run no scripts and load no resources, with any description of a plugin', async () => {
    const entrance = await node.request('GET', '/', { headers: { Accept: 'text/html' } });
    for (const text of [page, entrance.text]) expect(text).not.to.match(ACTIVE);
    expect(page).to.include('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&#39;&amp;');
    expect(html`<a title="${'"><b>'}">${['<i>', html`<b>${'&'}</b>`]}</a>`.text).to.equal(
      '<a title="&quot;&gt;&lt;b&gt;">&lt;i&gt;<b>&amp;</b></a>',
    );
  });

  it('have a content security policy that allows only their own style sheet', async () => {
    for (const target of ['/spec', '/']) {
      const { status, text, headers } = await node.request('GET', target, { headers: { Accept: 'text/html' } });
      const style = /<style>(.*?)<\/style>/s.exec(text)?.[1] ?? '';
      const hash = createHash('sha256').update(style).digest('base64');
      expect(status).to.equal(200);
      expect(headers['content-type']).to.equal('text/html; charset=utf-8');
      expect(headers['content-security-policy']).to.equal(
        `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      );
      expect(headers['referrer-policy']).to.equal('no-referrer');
    }
  });

  it('are not sent again to a browser that has the current version', async () => {
    const { headers } = await node.request('GET', '/spec');
    const again = await node.request('GET', '/spec', { headers: { 'If-None-Match': headers['etag'] ?? '' } });
    expect([again.status, again.text]).to.deep.equal([304, '']);
  });

  it('start with a page for browsers, which other clients get as JSON', async () => {
    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const accepted: readonly (readonly [accept: string | undefined, isPage: boolean])[] = [
      [undefined, false],
      ['*/*', false],
      ['application/json', false],
      ['text/html;q=0, */*', false],
      [browser, true],
      ['application/json, text/html;q=0.1', true],
    ];
    for (const [accept, isPage] of accepted) {
      const reply = await node.request('GET', '/', accept === undefined ? {} : { headers: { Accept: accept } });
      expect(reply.headers['content-type']?.startsWith('text/html'), accept).to.equal(isPage);
      expect(reply.headers['vary'], accept).to.equal('Accept');
    }
    const { body } = await node.request('GET', '/');
    expect(body).to.include({ name: 'svc', version: NODE_VERSION });
    const links = (body as { readonly links: readonly { readonly href: string }[] }).links.map(({ href }) => href);
    expect(links).to.include.members(['spec', 'openapi.json', '.well-known/svc', 'healthz']);
    for (const href of links) expect((await node.request('GET', `/${href}`)).status, href).to.equal(200);
    expect(links.filter((href) => href.startsWith('console'))).to.deep.equal(['console/']);
  });
});

describe('the shell command for an example', () => {
  const document = { servers: [{ url: 'http://localhost:8765' }] };

  it('contains path and query, and quotes every special character', () => {
    const command = curlExample(document, 'post', '/v1/facts/{id}', {
      operationId: 'x',
      tags: ['x'],
      summary: 'x',
      security: [{ key: [] }],
      parameters: [
        { name: 'id', in: 'path', schema: {}, example: "a/b'c" },
        { name: 'q', in: 'query', schema: {}, example: '$(id) &' },
        { name: 'unused', in: 'query', schema: {} },
        { name: 'Svc-Session', in: 'header', schema: {}, example: "it's" },
      ],
      requestBody: { required: true, content: { 'application/json': { schema: {}, example: { v: "it's $HOME" } } } },
      responses: {},
    });
    expect(command).to.equal(
      [
        `curl -X POST 'http://localhost:8765/v1/facts/a%2Fb'\\''c?q=%24(id)%20%26'`,
        `  -H "Authorization: Bearer $SVC_API_KEY"`,
        `  -H 'Svc-Session: it'\\''s'`,
        `  -H 'Content-Type: application/json'`,
        `  -d '{"v":"it'\\''s $HOME"}'`,
      ].join(' \\\n'),
    );
  });

  it('uses the variable of a peer token for routes of peers', () => {
    const operation = {
      operationId: 'x',
      tags: ['x'],
      summary: 'x',
      security: [{ peerToken: [] }],
      responses: {},
    } as const;
    expect(
      curlExample({ servers: [{ url: 'http://localhost:8765' }] }, 'get', '/v1/federation/facts', operation),
    ).to.equal('curl http://localhost:8765/v1/federation/facts \\\n  -H "Authorization: Bearer $PEER_TOKEN"');
  });
});

describe('a schema that is described in words', () => {
  const words = (schema: Readonly<Record<string, unknown>>): string =>
    typeWords(schema)
      .map((piece) => (typeof piece === 'string' ? piece : 'code' in piece ? piece.code : piece.schema))
      .join('');

  it('describes the allowed values', () => {
    const cases: readonly (readonly [Readonly<Record<string, unknown>>, string])[] = [
      [{}, 'any value'],
      [{ type: 'string' }, 'text'],
      [{ type: 'string', minLength: 1 }, 'text, not empty'],
      [{ type: ['string', 'null'], maxLength: 9 }, 'text of 0 to 9 characters or null'],
      [{ type: 'string', format: 'date-time' }, 'instant'],
      [{ type: 'integer', minimum: 1, maximum: 3 }, 'whole number from 1 to 3'],
      [{ type: 'array', items: { $ref: '#/components/schemas/Fact' } }, 'list of Fact'],
      [{ anyOf: [{ type: 'object' }, { type: 'null' }] }, 'object or null'],
      [{ enum: ['a', null] }, '"a", null'],
      [{ const: true }, 'true'],
    ];
    for (const [schema, text] of cases) expect(words(schema)).to.equal(text);
  });

  it('lists the members of nested objects by their paths', () => {
    const inner = { type: 'object', properties: { seq: { type: 'integer' } }, required: ['seq'] };
    const rows = memberRows({
      type: 'object',
      properties: { entries: { type: 'array', items: inner }, head: { anyOf: [inner, { type: 'null' }] } },
      required: ['head'],
    });
    expect(rows.map(({ name, isRequired }) => [name, isRequired])).to.deep.equal([
      ['entries', false],
      ['entries[].seq', true],
      ['head', true],
      ['head.seq', true],
    ]);
  });
});
