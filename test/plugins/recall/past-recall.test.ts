import { expect } from 'chai';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachLayout } from '../../kit/for-each-layout.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import type { TestReply } from '../../kit/test-request.ts';

const PLUGINS = ['audit', 'keys', 'facts', 'conflicts', 'recall', 'search', 'graph', 'cards', 'time-travel'];

interface Scored {
  readonly fact: { readonly id: string; readonly value: { readonly v: string } };
  readonly score: number;
  readonly from_card: boolean;
  readonly score_breakdown: { readonly access: number };
}

const scores = (facts: readonly Scored[]) => facts.map(({ fact, score }) => [fact.id, score]);

forEachLayout('a recall as of a past moment', () => {
  let node: TestNode;
  let key: string;
  beforeEach(async () => {
    node = await startTestNode({ plugins: PLUGINS, settings: { facts: { sessionGuard: 'enforce' } } });
    key = await node.addKey({ permissions: ['read', 'write', 'audit.read'] });
  });
  afterEach(() => node.stop());

  const say = async (entity: string, v: string, members = {}) => {
    const body = { entity, relation: 'memory:note', value: { type: 'text', v }, source: 'agent:s', ...members };
    const reply = await node.request('POST', '/v1/facts', { key, body });
    expect(reply.status, reply.text).to.equal(201);
    await node.clock.advance(1_000);
    return reply.body as { id: string; hlc: string };
  };
  const now = (): string => new Date(node.clock.nowMs()).toISOString();
  const recall = (members: object, headers: Record<string, string> = {}): Promise<TestReply> =>
    node.request('POST', '/v1/recall', { key, body: { token_budget: 4_000, ...members }, headers });
  const found = async (members: object): Promise<Scored[]> => {
    const reply = await recall(members);
    expect(reply.status, reply.text).to.equal(200);
    return reply.body.facts;
  };
  const said = async (members: object): Promise<string[]> => (await found(members)).map(({ fact }) => fact.value.v);

  it('finds only the facts that were live then; the moment is an instant or a stamp', async () => {
    const first = await say('user:ann', 'grey cats');
    const moment = now();
    await node.clock.advance(1_000);
    await say('user:ann', 'grey cats', { confidence: 0 });
    const last = await say('user:bob', 'black cats');
    expect(await said({ query: 'cats' })).to.deep.equal(['black cats']);
    expect(await said({ query: 'cats', as_of: moment })).to.deep.equal(['grey cats']);
    expect(await said({ query: 'cats', as_of: first.hlc })).to.deep.equal(['grey cats']);
    expect(await said({ query: 'cats', as_of: last.hlc })).to.deep.equal(['black cats']);
    expect(await said({ query: 'cats', as_of: '2000-01-01T00:00:00Z' })).to.deep.equal([]);
    const byQuery = await node.request('GET', `/v1/recall?token_budget=4000&query=cats&as_of=${moment}`, { key });
    expect(byQuery.body.facts.map(({ fact }: Scored) => fact.value.v)).to.deep.equal(['grey cats']);
    expect(byQuery.headers['x-total-count']).to.equal('1');
  });

  it('returns the scores of that moment, after any later facts and recalls', async () => {
    for (const v of ['cats and boats', 'a boat', 'the harbour'])
      await say('user:ann', v, { relation: `memory:${v[0]}` });
    // Vectors are computed beside the assertions, and so left out.
    const question = { query: 'cats boat', weights: { lexical: 0.7, graph: 0.2, recency: 0.1 } };
    const before = scores(await found(question));
    const moment = now();
    await node.clock.advance(1_000);
    for (let at = 0; at < 8; at += 1) await say(`user:u${at}`, 'cats cats boat harbour');
    for (let again = 0; again < 3; again += 1) await recall({ query: 'harbour' });
    await node.clock.advance(11 * 60_000);
    await comesTrue(async () => (await found({ query: 'harbour' })).some((one) => one.score_breakdown.access > 0));
    expect(scores(await found({ ...question, as_of: moment }))).to.deep.equal(before);
  });

  it('does not count as use of its facts, but writes its audit entry', async () => {
    await say('user:ann', 'grey cats');
    const moment = now();
    for (let again = 0; again < 3; again += 1) await recall({ query: 'cats', as_of: moment });
    await node.clock.advance(11 * 60_000);
    await say('user:bob', 'bees');
    const [cats] = await found({ query: 'cats' });
    expect(cats?.score_breakdown.access).to.equal(0);
    const log = await node.request('GET', '/v1/audit?event_type=fact_read', { key });
    expect(log.body.total).to.equal(4);
  });

  it('never uses a card', async () => {
    await say('user:ann', 'grey cats', { scope: 'company' });
    const card = await node.request('GET', '/v1/cards/user:ann?scope=company', { key });
    expect(card.status).to.equal(200);
    const moment = now();
    await node.clock.advance(1_000);
    const [present] = await found({ entity: 'user:ann' });
    expect(present?.from_card).to.equal(true);
    const [past] = await found({ entity: 'user:ann', as_of: moment });
    expect([past?.from_card, past?.fact.value.v]).to.deep.equal([false, 'grey cats']);
    expect((await recall({ entity: 'user:ann', force_refresh: true, as_of: moment })).body.degraded).to.deep.equal([]);
  });

  it('counts as a read of the session for the session guard', async () => {
    await say('user:ann', 'grey cats', { scope: 'company' });
    const session = { 'Svc-Session': 'one' };
    expect((await recall({ query: 'cats', as_of: now() }, session)).body.facts).to.have.length(1);
    const body = { entity: 'user:x', relation: 'memory:y', value: { type: 'string', v: 'z' }, source: 'agent:s' };
    const written = { ...body, scope: 'company' };
    const reply = await node.request('POST', '/v1/facts', { key, body: written, headers: session });
    expect([reply.status, reply.body.code]).to.deep.equal([403, 'feedback_loop_provenance_required']);
  });

  it('is refused for an invalid or future moment, in both request forms', async () => {
    const later = new Date(node.clock.nowMs() + 60_000).toISOString();
    for (const [as_of, code] of [
      ['yesterday', 'as_of_invalid_timestamp'],
      ['', 'as_of_invalid_timestamp'],
      [later, 'as_of_future'],
    ] as const) {
      const reply = await recall({ query: 'a', as_of });
      expect([reply.status, reply.body.code], as_of).to.deep.equal([400, code]);
      const target = `/v1/recall?query=a&token_budget=10&as_of=${encodeURIComponent(as_of)}`;
      const other = await node.request('GET', target, { key });
      expect([other.status, other.body.code], as_of).to.deep.equal([400, code]);
    }
    for (const as_of of [12, true, {}, []]) {
      expect((await recall({ query: 'a', as_of })).body.code).to.equal('as_of_invalid_timestamp');
    }
    expect((await recall({ query: 'a', as_of: null })).status).to.equal(200);
  });
});
