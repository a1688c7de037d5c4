import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { type KeyOptions, startTestNode, type TestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';
import { call, connectClient, type Loose, made, post } from './mcp-kit.ts';

const READING = ['card', 'conflicts', 'fact', 'neighbors', 'query', 'recall'];

const withNode = async (options: TestNodeOptions, work: (node: TestNode) => Promise<void>): Promise<void> => {
  const node = await startTestNode(options);
  try {
    await work(node);
  } finally {
    await node.stop();
  }
};

const toolNames = async (node: TestNode, key: KeyOptions = {}): Promise<string[]> => {
  const client = await connectClient(node, await node.addKey(key));
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name).sort();
};

forEachStore('the tools of a caller', () => {
  it('match the permissions of its key', () =>
    withNode({}, async (node) => {
      expect(await toolNames(node, { permissions: ['read'] })).to.deep.equal(READING);
      expect(await toolNames(node, { permissions: ['write'] })).to.deep.equal(['assert', 'forget', 'resolve']);
      expect(await toolNames(node, { permissions: ['federate'] })).to.deep.equal([]);
      const client = await connectClient(node, await node.addKey({ permissions: ['read'] }));
      const unlisted = await client
        .callTool({ name: 'assert', arguments: { entity: 'user:x', relation: 'memory:x', value: 1 } })
        .then(
          () => undefined,
          (error: Error) => error,
        );
      expect(unlisted).to.be.instanceOf(Error);
      expect((await made(client, 'query', { entity: 'user:x' })).total).to.equal(0);
      await client.close();
    }));

  it('never write on a node with a read-only setting for the protocol', () =>
    withNode({ settings: { mcp: { readOnly: true } } }, async (node) => {
      const admin = { permissions: ['read', 'write', 'admin'] };
      expect(await toolNames(node, admin)).to.deep.equal(READING);
      const client = await connectClient(node, await node.addKey(admin));
      expect(client.getInstructions()).to.match(/can only read/);
      expect((await client.listPrompts()).prompts.map(({ name }) => name)).not.to.include('session_end');
      await client.close();
    }));

  it('include more tools in the extended profile, and each of them works', () =>
    withNode({ settings: { mcp: { profile: 'extended' } } }, async (node) => {
      const client = await connectClient(node, await node.addKey({ entityUri: 'agent:noor' }));
      const { results } = await made(client, 'assert_many', {
        facts: [
          { entity: 'user:a', relation: 'memory:role', value: 'archivist' },
          { entity: 'user:a', relation: 'two words', value: 'refused' },
        ],
      });
      expect(results.map(({ status }: Loose) => status)).to.deep.equal([201, 422]);
      const { id } = results[0].fact;
      const asked: Readonly<Record<string, object>> = {
        refresh_card: { entity: 'user:a' },
        fact: { id },
        provenance: { id },
        history: { entity: 'user:a' },
        synthesis: { scope: 'local' },
        lint: {},
        relations: {},
        gardens: {},
        subscriptions: {},
        jobs: {},
        me: {},
      };
      for (const [name, args] of Object.entries(asked)) await made(client, name, args);
      expect((await made(client, 'fact', { id })).data.id).to.equal(id);
      expect((await made(client, 'me')).data.entity_uri).to.equal('agent:noor');
      for (const [name, args] of [
        ['garden_members', { garden: 'none' }],
        ['instructions', { agent: 'none', intent: 'x' }],
        ['job', { id: 'none' }],
      ] as const) {
        expect((await call(client, name, args)).structuredContent.error.status, name).to.be.within(403, 404);
      }
      const { tools } = await client.listTools();
      expect(tools).to.have.lengthOf(8 + Object.keys(asked).length + 4);
      await client.close();
    }));

  it('narrow facts by lists in the extended profile', () =>
    withNode({ settings: { mcp: { profile: 'extended' } } }, async (node) => {
      const client = await connectClient(node, await node.addKey({ entityUri: 'agent:noor' }));
      const mine = { entity: 'user:ada', relation: 'memory:role', value: 'archivist of maps' };
      await made(client, 'assert', mine);
      await made(client, 'assert', { ...mine, relation: 'memory:hobby', value: 'collects maps' });
      const link = { entity: 'user:ada', relation: 'rel:works-at', value: { type: 'ref', v: 'org:library' } };
      await made(client, 'assert', link);
      const factsOf = async (tool: string, args: object): Promise<readonly string[]> =>
        (await made(client, tool, args)).facts.map(({ relation }: Loose) => relation);
      for (const narrowing of [{ relations: ['memory:ro*'] }, { entities: ['user:*'], relations: ['memory:role'] }]) {
        expect(await factsOf('recall', { query: 'maps', ...narrowing })).to.deep.equal(['memory:role']);
        expect(await factsOf('query', narrowing)).to.deep.equal(['memory:role']);
      }
      expect(await factsOf('query', { sources: ['agent:other'] })).to.deep.equal([]);
      const neighborsBefore = async (before: string) =>
        (await made(client, 'neighbors', { entity: 'user:ada', before })).neighbors;
      expect(await neighborsBefore('2100-01-01T00:00:00Z')).to.have.lengthOf(1);
      expect(await neighborsBefore('2001-01-01T00:00:00Z')).to.have.lengthOf(0);
      const { card } = await made(client, 'card', { entity: 'user:ada', relations: ['memory:hobby'] });
      expect(JSON.stringify(card)).to.include('collects maps').and.not.to.include('archivist');
      for (const tool of ['recall', 'query', 'card', 'neighbors']) {
        const subject = tool === 'query' ? {} : { entity: 'user:ada' };
        const { isError, content } = await call(client, tool, { ...subject, relations: [] });
        expect([isError, JSON.stringify(content)], tool).to.satisfy(
          ([refused, text]: [boolean, string]) => refused && text.includes('relations'),
        );
      }
      await client.close();
    }));

  it('let only administrators declare that a relation holds many values, in the extended profile', () =>
    withNode({ settings: { mcp: { profile: 'extended' } } }, async (node) => {
      expect(await toolNames(node, { permissions: ['read', 'write'] })).not.to.include('hold_many');
      const client = await connectClient(node, await node.addKey({ permissions: ['read', 'write', 'admin'] }));
      const rule = { pattern: 'memory:likes', values: 'many' };
      expect(await made(client, 'hold_many', { relation: 'memory:likes' })).to.deep.include(rule);
      expect((await made(client, 'relations')).data.rules[0]).to.deep.include(rule);
      await client.close();
    }));

  it('are removed together with the plugin of their routes', async () => {
    const plugins = ['keys', 'facts', 'mcp'];
    await withNode({ plugins }, async (node) => {
      expect(await toolNames(node)).to.deep.equal(['assert', 'fact', 'forget', 'query']);
    });
  });

  it('return only facts of the key’s tenant, scopes and gardens', () =>
    withNode({ settings: { 'multi-tenant': { enabled: true } } }, async (node) => {
      const secret = { entity: 'user:secret', relation: 'memory:note', value: 'lantern' };
      const owner = await connectClient(node, await node.addKey({ entityUri: 'agent:owner' }));
      const key = await node.addKey({ entityUri: 'agent:owner', permissions: ['read', 'write'] });
      await node.request('POST', '/v1/gardens', { key, body: { slug: 'own', name: 'Own', scope: 'local' } });
      const { fact } = await made(owner, 'assert', { ...secret, garden_id: 'own' });
      await made(owner, 'assert', { ...secret, value: 'harbour', scope: 'team' });
      const others: readonly KeyOptions[] = [
        { entityUri: 'agent:stranger', scopes: ['local'] },
        { entityUri: 'agent:owner', tenantId: 'elsewhere' },
      ];
      for (const options of others) {
        const stranger = await connectClient(node, await node.addKey(options));
        expect((await made(stranger, 'query', { entity: secret.entity })).facts).to.deep.equal([]);
        expect((await made(stranger, 'recall', { query: 'lantern harbour' })).facts).to.deep.equal([]);
        expect((await made(stranger, 'forget', { entity: secret.entity })).facts).to.deep.equal([]);
        expect((await call(stranger, 'forget', { fact_id: fact.id })).structuredContent.error.code).to.equal('lookup');
        const uri = `memory://fact/${fact.id}`;
        const hidden = await stranger.readResource({ uri }).then(
          () => undefined,
          (error: Error) => error.message,
        );
        const unknown = await stranger.readResource({ uri: 'memory://fact/no-such-fact' }).then(
          () => undefined,
          (error: Error) => error.message,
        );
        expect(hidden?.replace(fact.id, 'x')).to.equal(unknown?.replace('no-such-fact', 'x')).and.not.equal(undefined);
        const completion = await stranger.complete({
          ref: { type: 'ref/resource', uri: 'memory://card/{entity}' },
          argument: { name: 'entity', value: 'user:s' },
        });
        expect(completion.completion.values).to.deep.equal([]);
        await stranger.close();
      }
      await owner.close();
    }));

  it('count against the quotas of their routes, without a quota for the message itself', () =>
    withNode({ env: { SVC_RATE_LIMITS: 'fact_write=2' } }, async (node) => {
      const client = await connectClient(node, await node.addKey());
      const assertion = { entity: 'user:q', relation: 'memory:note' };
      for (const value of [1, 2]) await made(client, 'assert', { ...assertion, value });
      const third = await call(client, 'assert', { ...assertion, value: 3 });
      expect(third.structuredContent.error).to.include({ code: 'quota_exceeded', status: 429 });
      expect(third.structuredContent.error.retry_after).to.be.at.least(1);
      for (let n = 0; n < 5; n += 1) await client.listTools();
      await client.close();
    }));

  it('appear in the audit log with the caller, and run once for each idempotency key', () =>
    withNode({}, async (node) => {
      const key = await node.addKey({ entityUri: 'agent:noor' });
      const client = await connectClient(node, key);
      const args = { entity: 'user:i', relation: 'memory:note', value: 'x' };
      const once = { idempotencyKey: 'turn 7' };
      const first = await made(client, 'assert', args, once);
      const { confirm } = await made(client, 'forget', { entity: 'user:i' });
      await made(client, 'forget', { entity: 'user:i', confirm });
      expect((await made(client, 'assert', args, once)).fact.id).to.equal(first.fact.id);
      const other = await call(client, 'assert', { ...args, value: 'y' }, once);
      expect(other.structuredContent.error.code).to.equal('idempotency_mismatch');
      expect((await made(client, 'assert', args)).fact.id).not.to.equal(first.fact.id);
      const { body } = await node.request('GET', `/v1/audit?fact_id=${first.fact.id}`, { key });
      expect(body.entries.map((entry: Loose) => entry.source ?? entry.entity_uri)).to.include('agent:noor');
      await client.close();
    }));
});

describe('the access check of the protocol', () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

  it('requires a key first, and names the identity provider if people can sign in', async () => {
    await withNode({}, async (node) => {
      for (const [key, body] of [
        [undefined, list],
        ['wrong', list],
        [undefined, 'no JSON'],
      ] as const) {
        const reply = await post(node, key, body);
        expect(reply.status).to.equal(401);
        expect(reply.headers['www-authenticate']).to.equal('Bearer');
      }
    });
    const oidc = { enabled: true, issuerUrl: 'https://id.example', clientId: 'svc' };
    await withNode({ settings: { oidc } }, async (node) => {
      const reply = await post(node, undefined, list);
      const metadata = `${node.url}/.well-known/oauth-protected-resource`;
      expect(reply.headers['www-authenticate']).to.equal(`Bearer resource_metadata="${metadata}"`);
      const { body } = await node.request('GET', '/.well-known/oauth-protected-resource');
      expect(body.resource).to.equal(node.url);
    });
  });

  it('refuses pages of foreign origins, with any key', () =>
    withNode({ env: { SVC_CORS_ALLOWED_ORIGINS: 'https://app.example' } }, async (node) => {
      const key = await node.addKey();
      const statusFor = async (headers: object): Promise<number> => (await post(node, key, list, headers)).status;
      expect(await statusFor({})).to.equal(200);
      expect(await statusFor({ Origin: node.url })).to.equal(200);
      expect(await statusFor({ Origin: 'https://app.example' })).to.equal(200);
      expect(await statusFor({ Origin: 'https://evil.example' })).to.equal(403);
      expect(await statusFor({ Origin: 'null' })).to.equal(403);
      // The domain of the page resolves to this machine.
      expect(await statusFor({ Origin: 'http://evil.example', Host: 'evil.example' })).to.equal(403);
      expect(await statusFor({ Origin: 'http://localhost:9000', Host: 'localhost:9000' })).to.equal(200);
    }));

  it('supports no sessions', () =>
    withNode({}, async (node) => {
      const key = await node.addKey();
      for (const method of ['GET', 'DELETE']) {
        const reply = await node.request(method, '/v1/mcp', { key });
        expect(reply.status).to.equal(405);
        expect(reply.headers['allow']).to.equal('POST');
      }
    }));

  it('accepts all callers if the node requires no keys', () =>
    withNode({ node: { authRequired: false }, plugins: ['facts', 'keys', 'mcp'] }, async (node) => {
      const reply = await post(node, undefined, list, { Host: 'localhost:8765' });
      expect(reply.status, reply.text).to.equal(200);
      expect(reply.body.result.tools.map(({ name }: Loose) => name)).to.include('assert');
    }));
});
