import { expect } from 'chai';
import { forEachLayout } from '../../kit/for-each-layout.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import type { TestReply } from '../../kit/test-request.ts';

const PLUGINS = ['audit', 'keys', 'facts', 'conflicts', 'fact-chain', 'source-trust', 'recall', 'search'];

forEachLayout('the form of a recall', () => {
  let node: TestNode;
  let key: string;
  // One node for all cases, because a refused request changes nothing, and a recall finds the same fact each time.
  before(async () => {
    node = await startTestNode({ plugins: PLUGINS });
    key = await node.addKey();
    const value = { type: 'text', v: 'a quiet fact' };
    const body = { entity: 'user:a', relation: 'memory:note', value, source: 'agent:s' };
    const said = await node.request('POST', '/v1/facts', { key, body });
    expect(said.status, said.text).to.equal(201);
  });
  after(() => node.stop());

  const recall = (members: object): Promise<TestReply> =>
    node.request('POST', '/v1/recall', { key, body: { token_budget: 4_000, ...members } });

  for (const [what, members, status, code] of [
    ['neither query nor entity', {}, 422, 'validation'],
    ['an empty query', { query: '' }, 422, 'validation'],
    ['a query that is too long', { query: 'a'.repeat(16 * 1024 + 1) }, 422, 'validation'],
    ['a depth beyond 2', { query: 'a', depth: 3 }, 400, 'recall_depth_exceeded'],
    ['a negative depth', { query: 'a', depth: -1 }, 400, 'recall_depth_exceeded'],
    ['no budget', { query: 'a', token_budget: undefined }, 422, 'invalid_token_budget'],
    ['a budget of 0', { query: 'a', token_budget: 0 }, 422, 'invalid_token_budget'],
    ['a budget in text', { query: 'a', token_budget: '10' }, 422, 'invalid_token_budget'],
    ['a budget beyond measure', { query: 'a', token_budget: 1e308 }, 422, 'invalid_token_budget'],
    ['a lambda beyond 1', { query: 'a', lambda_mmr: 1.1 }, 422, 'validation'],
    ['weights that do not add up', { query: 'a', weights: { lexical: 0.5 } }, 400, 'invalid_weights'],
    ['a scope in capitals', { query: 'a', scope: 'LOCAL' }, 422, 'validation'],
    ['a word that is no scope', { query: 'a', scope: 'marketing' }, 422, 'validation'],
    ['an address that is no garden', { query: 'a', scope: 'https://example.org/garden/herbs' }, 422, 'validation'],
    ['a garden slug that can be none', { query: 'a', scope: 'garden:no good' }, 422, 'validation'],
    ['a garden that nobody has', { query: 'a', scope: 'garden:herbs' }, 403, 'authorization'],
    ['a garden URI that nobody has', { query: 'a', scope: 'svc://host/garden/herbs' }, 403, 'authorization'],
    [
      'a garden id that nobody has',
      { query: 'a', scope: '0b6e1c1e-1111-4111-8111-111111111111' },
      403,
      'authorization',
    ],
    ['another time while nothing knows the past', { query: 'a', as_of: '2026-01-01T00:00:00Z' }, 400, 'validation'],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const reply = await recall(members);
      expect(reply.status, reply.text).to.equal(status);
      expect(reply.body.code).to.equal(code);
    });
  }

  it('refuses a request without a budget, with an example of a valid one', async () => {
    const { hint } = (await recall({ query: 'a', token_budget: undefined })).body as unknown as { hint: string };
    const shown = JSON.parse(hint.slice(hint.indexOf('{'))) as Record<string, unknown>;
    expect((await node.request('POST', '/v1/recall', { key, body: shown })).status).to.equal(200);
  });

  for (const weights of ['{"lexical":1,"lexical":1}', '{"lexical":1', '[]', '{"lexical":1e400}']) {
    it(`refuses ${weights} as weights in a GET request`, async () => {
      const path = `/v1/recall?query=a&token_budget=100&weights=${encodeURIComponent(weights)}`;
      const reply = await node.request('GET', path, { key });
      expect(reply.status, reply.text).to.equal(400);
      expect(reply.body.code).to.equal('invalid_weights');
    });
  }

  for (const query of ['"', 'a OR b', 'NEAR(', '*', 'col:x', '(((', "'; DROP TABLE facts;--", '   ', '🦊', '%_\\']) {
    it(`treats ${JSON.stringify(query)} as plain words`, async () => {
      expect((await recall({ query })).status).to.equal(200);
    });
  }
});
