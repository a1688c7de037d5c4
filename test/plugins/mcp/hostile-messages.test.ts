import { expect } from 'chai';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { call, connectClient, type Loose, post } from './mcp-kit.ts';

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const nested = (depth: number): unknown => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);

describe('hostile MCP messages', () => {
  let node: TestNode;
  let key: string;
  before(async () => {
    node = await startTestNode();
    key = await node.addKey();
  });
  after(() => node.stop());

  it('are refused by the node before the SDK reads them', async () => {
    const refused: readonly (readonly [status: number, body: unknown])[] = [
      [400, '{"jsonrpc":"2.0"'],
      [400, '{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"tools/list"}'],
      [400, `{"jsonrpc":"2.0","id":1,"method":"x","params":${'{"a":'.repeat(100)}1${'}'.repeat(100)}}`],
      [422, []],
      [422, [list, list]],
      [422, Array.from({ length: 5_000 }, () => list)],
      [413, Array.from({ length: 10_000 }, () => list)],
      [413, { ...list, params: { _meta: Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [at, 0])) } }],
      [422, { ...list, jsonrpc: '1.0' }],
      [422, { ...list, id: {} }],
      [422, { ...list, id: 1.5 }],
      [422, { ...list, params: [] }],
      [422, { ...list, id: null }],
      [422, { ...list, method: 7 }],
      [422, { ...list, method: 'm'.repeat(257) }],
      [422, { ...list, extra: true }],
      [422, { jsonrpc: '2.0', id: 1, result: {} }],
      [413, { ...list, params: { text: 'x'.repeat(2 * 1024 * 1024) } }],
      [415, undefined],
    ];
    for (const [status, body] of refused) {
      const reply =
        status === 415
          ? await post(node, key, JSON.stringify(list), { 'Content-Type': 'text/plain' })
          : await post(node, key, body);
      expect(reply.status, JSON.stringify(body)?.slice(0, 80)).to.equal(status);
      expect(reply.headers['content-type']).to.equal('application/problem+json');
    }
  });

  it('get protocol errors below 500 if only the SDK can detect their faults', async () => {
    const message = (method: string, params?: object, headers?: object) =>
      post(node, key, { jsonrpc: '2.0', id: 1, method, ...(params && { params }) }, headers);
    const replies = [
      await message('no/such/method'),
      await message('__proto__'),
      await message('tools/call'),
      await message('tools/call', { name: 'no-such-tool' }),
      await message('tools/call', { name: 'constructor', arguments: {} }),
      await message('tools/call', { name: ['recall'] }),
      await message('resources/read', { uri: 'not a uri' }),
      await message('resources/read', { uri: `memory://card/${'a'.repeat(20_000)}` }),
      await message('resources/read', { uri: 'file:///etc/passwd' }),
      await message('prompts/get', { name: '__proto__' }),
      await message('completion/complete', { ref: { type: 'ref/x' }, argument: {} }),
      await message('tools/list', {}, { 'MCP-Protocol-Version': '1999-01-01' }),
      await message('tools/list', {}, { 'MCP-Protocol-Version': '2026-07-28' }),
      await message('tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } }),
      await message('tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': 5 } }),
      await message('subscriptions/listen', { notifications: {} }),
    ];
    for (const [at, { status, body, text }] of replies.entries()) {
      expect(status, text).to.be.below(500);
      expect(body?.error?.code, `${at}: ${text}`).to.be.a('number');
      expect(text).not.to.match(/node_modules|\.js:\d/);
    }
  });

  it('cannot keep a stream open', async () => {
    const client = await connectClient(node, key);
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'subscriptions/listen' };
    const params = { _meta: meta, notifications: { toolsListChanged: true } };
    const reply = await post(node, key, { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }, headers);
    expect(reply.status).to.be.below(500);
    expect(reply.body.error.code).to.be.a('number');
    await client.close();
  });

  it('get status 202 and no answer if they are notifications', async () => {
    const reply = await post(node, key, { jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(reply.status).to.equal(202);
    expect(reply.text).to.equal('');
  });

  it('get errors that name only the faults of their arguments', async () => {
    const client = await connectClient(node, key);
    const wrong: readonly (readonly [string, object])[] = [
      ['recall', {}],
      ['recall', { query: 'x', token_budget: 0 }],
      ['recall', { query: 'x', nested: nested(40) }],
      ['query', { limit: 1e9 }],
      ['query', { cursor: 'forged' }],
      ['query', { entity: '' }],
      ['query', { scope: 'galaxy' }],
      ['card', { entity: '../../v1/me' }],
      ['card', { entity: '' }],
      ['neighbors', { entity: 'user:x', depth: 99 }],
      ['assert', { entity: 'user:x', relation: 'memory:x', value: { type: 'blob', v: 1 } }],
      ['assert', { entity: 'user:x', relation: 'svc:conflict:status', value: 'x' }],
      [
        'assert',
        { entity: 'user:x', relation: 'memory:x', value: { type: 'string', v: 'x', interpret_as: 'instruction' } },
      ],
      ['assert', { entity: 'user:x', relation: 'memory:x', value: 'x', derived_from: Array(101).fill('x') }],
      ['resolve', { conflict_id: '../facts' }],
      ['resolve', { conflict_id: '' }],
      ['forget', { fact_id: '' }],
    ];
    for (const [name, args] of wrong) {
      const result: Loose = await call(client, name, args);
      expect(result.isError, `${name} ${JSON.stringify(args).slice(0, 80)}`).to.equal(true);
      expect(result.structuredContent?.error?.code ?? 'arguments', name).not.to.equal('internal');
    }
    const { facts } = (await node.request('GET', '/v1/facts', { key })).body;
    expect(facts).to.deep.equal([]);
    expect(node.logLines.filter(({ level }) => level === 'error')).to.deep.equal([]);
    await client.close();
  });
});
