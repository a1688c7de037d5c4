import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { FactStore } from '../../../ports/ports.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachLayout } from '../../kit/for-each-layout.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import type { TestReply } from '../../kit/test-request.ts';

const PLUGINS = ['audit', 'keys', 'facts', 'conflicts', 'fact-chain', 'source-trust', 'recall', 'search'];

interface Scored {
  readonly fact: { readonly id: string; readonly entity: string; readonly value: { readonly v: string } };
  readonly score: number;
  readonly hop_distance: number;
  readonly token_estimate: number;
  readonly from_card: boolean;
  readonly score_breakdown: Readonly<Record<string, number>>;
}

forEachLayout('recall', () => {
  let node: TestNode;
  let key: string;
  beforeEach(async () => {
    node = await startTestNode({ plugins: PLUGINS });
    key = await node.addKey({ permissions: ['read', 'write', 'instruction:write', 'audit.read'] });
  });
  afterEach(() => node.stop());

  const say = async (entity: string, v: string, members = {}, headers = {}) => {
    const body = { entity, relation: 'memory:note', value: { type: 'text', v }, source: 'agent:s', ...members };
    const reply = await node.request('POST', '/v1/facts', { key, body, headers });
    expect(reply.status, reply.text).to.equal(201);
    return reply.body as { id: string };
  };
  const recall = (members: object, caller = key): Promise<TestReply> =>
    node.request('POST', '/v1/recall', { key: caller, body: { token_budget: 4_000, ...members } });
  const found = async (members: object, caller = key): Promise<string[]> => {
    const reply = await recall(members, caller);
    expect(reply.status, reply.text).to.equal(200);
    return reply.body.facts.map(({ fact }: Scored) => fact.value.v);
  };

  it('finds a fact by its words as soon as it is stored, best first, with every factor of its score', async () => {
    await say('user:ann', 'Ann keeps two grey cats');
    await say('user:bob', 'Bob sails a small boat');
    await say('user:cem', 'Cem feeds the cats of Ann when she sails');
    const reply = await recall({ query: 'Who keeps grey cats?' });
    expect(reply.headers['x-total-count']).to.equal(String(reply.body.total_scored));
    const { facts } = reply.body as { facts: Scored[] };
    expect(facts[0]?.fact.value.v).to.equal('Ann keeps two grey cats');
    expect(facts.map(({ score }) => score)).to.deep.equal(facts.map(({ score }) => score).sort((a, b) => b - a));
    const { score, score_breakdown: parts } = facts[0] as Scored;
    expect(Object.keys(parts)).to.deep.equal([
      'lexical',
      'semantic',
      'graph',
      'fused',
      'named',
      'timed',
      'recency',
      'confidence',
      'access',
      'contradiction',
      'garden_tier',
      'source_trust',
      'weighted_total',
    ]);
    expect(parts).to.include({ lexical: 1, confidence: 1, contradiction: 1, garden_tier: 1, source_trust: 1 });
    expect(parts['weighted_total']).to.equal(score);
    expect(reply.body.content).to.deep.equal(reply.body.facts);
    expect(reply.body).to.include({ truncated: false, token_budget: 4_000, chain_proof: null });
    expect(reply.body.query_hash).to.match(/^[0-9a-f]{64}$/);
  });

  it('finds nothing for nonsense, without an error', async () => {
    await say('user:ann', 'Ann keeps two grey cats');
    const { body } = await recall({ query: 'xqzzv wvvkq' });
    expect(body).to.deep.include({ facts: [], content: [], instructions: [], total_scored: 0, tokens_used: 0 });
    expect(body.truncated).to.equal(false);
  });

  it('finds facts beside a hit in the same session', async () => {
    const session = { 'Svc-Session': 's1' };
    await say('turn:1', 'Do you still have your telescope?', {}, session);
    await say('turn:2', 'No, I sold it in spring.', {}, session);
    await say('turn:3', 'The weather was fine.', {}, { 'Svc-Session': 's2' });
    const { facts } = (await recall({ query: 'telescope' })).body as { facts: Scored[] };
    expect(facts.map(({ fact, hop_distance }) => [fact.value.v, hop_distance])).to.deep.equal([
      ['Do you still have your telescope?', 0],
      ['No, I sold it in spring.', 1],
    ]);
    expect(await found({ query: 'telescope', include_neighbors: false })).to.have.length(1);
    expect(await found({ query: 'telescope', depth: 0 })).to.have.length(1);
  });

  it('leaves out retracted, expired or contradicted facts, and shows contradicted ones on request', async () => {
    await say('user:a', 'the harbour is closed', { valid_until: '2020-01-01T00:00:00Z' });
    await say('user:b', 'the harbour is open');
    await say('user:c', 'the harbour is small');
    await say('user:c', 'retracted', { confidence: 0 });
    await say('user:d', 'the harbour is blue');
    await say('user:d', 'the harbour is green', { confidence: 0.9 });
    expect(await found({ query: 'harbour' })).to.deep.equal(['the harbour is open']);
    const { facts } = (await recall({ query: 'harbour', include_contradicted: true })).body as { facts: Scored[] };
    expect(facts.map(({ fact }) => fact.value.v)).to.have.members([
      'the harbour is open',
      'the harbour is blue',
      'the harbour is green',
    ]);
    const blue = facts.find(({ fact }) => fact.value.v === 'the harbour is blue');
    expect(blue?.score_breakdown['contradiction']).to.equal(0.7);
  });

  it('narrows by scope, relation, entity and confidence', async () => {
    await say('user:a', 'tea at four', { scope: 'team' });
    await say('user:a', 'tea at five', { scope: 'local', relation: 'memory:plan' });
    await say('user:b', 'tea at six', { confidence: 0.3 });
    expect(await found({ query: 'tea', scope: 'team' })).to.deep.equal(['tea at four']);
    expect(await found({ query: 'tea', relation: 'memory:plan' })).to.deep.equal(['tea at five']);
    expect(await found({ query: 'tea', entity: 'user:b' })).to.deep.equal(['tea at six']);
    expect(await found({ query: 'tea', min_confidence: 0.5 })).to.have.length(2);
    expect((await found({ entity: 'USER:A' })).sort()).to.deep.equal(['tea at five', 'tea at four']);
  });

  it('shows no caller a fact outside the scopes of the key', async () => {
    await say('user:a', 'the vault code', { scope: 'team' });
    await say('user:b', 'the vault door', { scope: 'public' });
    const outsider = await node.addKey({ scopes: ['public'] });
    expect(await found({ query: 'vault' }, outsider)).to.deep.equal(['the vault door']);
    expect((await recall({ query: 'vault', scope: 'team' }, outsider)).status).to.equal(403);
    expect((await recall({ query: 'vault', scope: 'garden:some-garden' }, outsider)).status).to.equal(403);
  });

  it('stays within the budget, skips facts that do not fit, and reports it', async () => {
    await say('user:a', `lantern ${'very '.repeat(200)}long`);
    await say('user:b', 'lantern short');
    const { body } = await recall({ query: 'lantern', token_budget: 20 });
    expect(body.facts.map(({ fact }: Scored) => fact.entity)).to.deep.equal(['user:b']);
    expect(body.tokens_used).to.equal(body.facts[0].token_estimate).and.to.be.at.most(20);
    expect(body.truncated).to.equal(true);
    expect((await recall({ query: 'lantern', token_budget: 1 })).body).to.deep.include({ facts: [], tokens_used: 0 });
  });

  it('returns instructions separately from content', async () => {
    await say('user:a', 'be brief with lanterns');
    const value = { type: 'text', v: 'always light the lanterns', interpret_as: 'instruction' };
    await say('user:b', '', { value });
    const { body } = await recall({ query: 'lanterns' });
    expect(body.facts).to.have.length(2);
    expect(body.instructions.map(({ fact }: Scored) => fact.value.v)).to.deep.equal(['always light the lanterns']);
    expect(body.content.map(({ fact }: Scored) => fact.value.v)).to.deep.equal(['be brief with lanterns']);
    const legacy = await node.request('POST', '/v1/recall?legacy_format=true', {
      key,
      body: { query: 'lanterns', token_budget: 900 },
    });
    expect(legacy.body).to.not.have.any.keys('content', 'instructions');
  });

  it('returns the same answer to GET as to POST', async () => {
    await say('user:a', 'the red bicycle');
    await comesTrue(async () => (await found({ query: 'red bicycle', weights: { vector: 1 } })).length > 0);
    const posted = await recall({ query: 'bicycle', weights: { lexical: 0.6, graph: 0.4 }, limit: 5 });
    for (const weights of [
      `weights=${encodeURIComponent('{"lexical":0.6,"graph":0.4}')}`,
      'weights.lexical=0.6&weights.graph=0.4',
    ]) {
      const got = await node.request('GET', `/v1/recall?query=bicycle&token_budget=4000&limit=5&${weights}`, { key });
      expect(got.status, got.text).to.equal(200);
      expect({ ...got.body, recall_id: '' }).to.deep.equal({ ...posted.body, recall_id: '' });
    }
  });

  it('finds misspelt words by vectors once the fact has been embedded', async () => {
    await say('user:a', 'she studied counselling and education');
    await say('user:b', 'he repaired the old windmill');
    await comesTrue(async () => (await found({ query: 'educaton counseling', weights: { vector: 1 } })).length > 0);
    expect((await found({ query: 'educaton counseling', weights: { vector: 1 } }))[0]).to.match(/education/);
  });

  it('proves the chain of facts on request', async () => {
    await say('user:a', 'a chained fact');
    const reply = await node.request('POST', '/v1/recall', {
      key,
      body: { query: 'chained', token_budget: 100 },
      headers: { 'Svc-Verify': 'full' },
    });
    expect(reply.body.chain_proof).to.include({ tenant_id: 'default', checked_entries: 1 });
  });

  it('refuses an unknown scope in a GET request too', async () => {
    const reply = await node.request('GET', '/v1/recall?query=a&token_budget=100&scope=marketing', { key });
    expect([reply.status, reply.body.code]).to.deep.equal([400, 'validation']);
    expect(reply.body.detail).to.contain('garden:<slug>').and.to.not.contain('marketing');
  });

  it('returns a query hash that covers only the query, not the entity', async () => {
    await say('user:a', 'a fact');
    const { body } = await recall({ entity: 'user:a' });
    expect(body.query_hash).to.equal(createHash('sha256').update('').digest('hex'));
  });

  it('writes one audit entry, with the hash of the query but not the query', async () => {
    await say('user:a', 'a fact');
    const { body } = await recall({ query: 'secret question' });
    const log = await node.request('GET', '/v1/auth/audit?event_type=fact_read', { key });
    expect(log.text).to.contain(body.query_hash).and.to.not.contain('secret question');
    expect(log.text.split('"fact_read"')).to.have.length(2);
  });

  it('counts recalls of a fact outside the request, and lets the count change its score slightly', async () => {
    await say('user:a', 'an oak by the river');
    await say('user:b', 'an oak by the river too');
    for (let n = 0; n < 5; n += 1) await found({ query: 'river too', limit: 1 });
    await node.clock.advance(600_000);
    await comesTrue(async () => (await node.kernel.get(FactStore).table('recall_access')).length > 0);
    const { facts } = (await recall({ query: 'oak' })).body as { facts: Scored[] };
    expect(Math.max(...facts.map(({ score_breakdown }) => score_breakdown['access'] as number))).to.equal(1);
  });
});
