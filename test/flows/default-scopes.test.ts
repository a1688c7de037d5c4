import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { FactClient } from '../../client/client.ts';
import { MCP_PATH } from '../../plugins/mcp/mcp-route.ts';
import { SCOPES } from '../../ports/fact.ts';
import { scopeTable } from '../documents/scope-table.ts';
import { type ServedNode, startServedNode } from '../kit/start-served-node.ts';
import { made, negotiationOf } from '../plugins/mcp/mcp-kit.ts';

const RELATION = 'memory:city';
const ALL = 'all scopes of the key';
/** The scopes of a key that reads no fact of `team` or `public`. */
const SOME = ['local', 'company'];

interface ScopedFact {
  readonly scope: string;
  readonly entity: string;
}

/** A caller that names no scope. */
interface WayIn {
  assert(entity: string): Promise<ScopedFact>;
  recall(entity: string): Promise<readonly ScopedFact[]>;
}

const factsIn = (reply: { readonly facts: readonly { readonly fact: ScopedFact }[] }): readonly ScopedFact[] =>
  reply.facts.map(({ fact }) => fact);

const tripleOf = (entity: string) => ({ entity, relation: RELATION });

const WAYS: Readonly<Record<string, (at: ServedNode, key: string) => Promise<WayIn>>> = {
  HTTP: async ({ ask }, key) => ({
    assert: async (entity) => {
      const fact = { ...tripleOf(entity), value: { type: 'string', v: 'Oslo' }, source: 'agent:h' };
      return (await ask('POST', '/v1/facts', fact, key)).body;
    },
    recall: async (entity) =>
      factsIn((await ask('POST', '/v1/recall', { ...tripleOf(entity), token_budget: 2_000 }, key)).body),
  }),
  'command line': async ({ run }, key) => ({
    assert: async (entity) => JSON.parse((await run(['assert', entity, RELATION, 'Oslo', '--json'], key)).stdout),
    recall: async (entity) =>
      factsIn(JSON.parse((await run(['recall', '--entity', entity, '--relation', RELATION, '--json'], key)).stdout)),
  }),
  MCP: async ({ url }, key) => {
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: negotiationOf('2026-07-28') });
    const requestInit = { headers: { Authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}${MCP_PATH}`), { requestInit }));
    return {
      assert: async (entity) => (await made(client, 'assert', { ...tripleOf(entity), value: 'Oslo' })).fact,
      recall: async (entity) => (await made(client, 'recall', { query: 'Oslo', ...tripleOf(entity) })).facts,
    };
  },
  'TypeScript client': async ({ url }, key) => {
    const client = new FactClient({ url, key, source: 'agent:ts' });
    return {
      assert: (entity) => client.assert({ ...tripleOf(entity), value: 'Oslo' }),
      recall: async (entity) => factsIn(await client.recall(tripleOf(entity))),
    };
  },
};

describe('the default scopes of routes, commands, tools and clients', () => {
  let at: ServedNode;
  const table = scopeTable();
  const own = 'the-key-of-an-agent-without-two-scopes';
  before(async () => {
    at = await startServedNode();
    const rights = { entity_uri: 'agent:some', permissions: ['read', 'write'], allowed_scopes: SOME };
    expect((await at.ask('POST', '/v1/auth/keys', { raw_key: own, ...rights })).status).to.equal(201);
  });
  after(() => at.stop());

  const store = async (entity: string, scope: string): Promise<void> => {
    const fact = { ...tripleOf(entity), value: { type: 'string', v: 'Oslo' }, source: 'agent:s', scope };
    expect((await at.ask('POST', '/v1/facts', fact)).status).to.be.below(300);
  };

  it('are documented for every way to use a node', () => {
    expect([...table.keys()]).to.have.members([...Object.keys(WAYS), 'console', 'Python client']);
    for (const { recallsFrom } of table.values()) expect(recallsFrom).to.equal(ALL);
  });

  for (const [name, open] of Object.entries(WAYS)) {
    it(`are those of the table: ${name}`, async () => {
      const way = await open(at, at.adminKey);
      const entity = `user:${name.replace(' ', '-')}`;
      expect((await way.assert(entity)).scope).to.equal(table.get(name)?.writesTo);
      for (const scope of SCOPES) await store(entity, scope);
      expect(new Set((await way.recall(entity)).map(({ scope }) => scope))).to.deep.equal(new Set(SCOPES));
    });

    it(`show a key no fact of a scope that it lacks: ${name}`, async () => {
      const [mixed, alone] = [`user:mixed-${name.replace(' ', '-')}`, `user:alone-${name.replace(' ', '-')}`];
      for (const scope of SCOPES) await store(mixed, scope);
      for (const scope of SOME) await store(alone, scope);
      const way = await open(at, own);
      const [among, by] = [await way.recall(mixed), await way.recall(alone)];
      expect(among.map(({ scope }) => scope)).to.have.members(SOME);
      expect(among.map(({ scope }) => scope)).to.deep.equal(by.map(({ scope }) => scope));
    });
  }
});
