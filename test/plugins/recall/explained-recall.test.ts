import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

interface Place {
  readonly rank: number;
  readonly score: number;
}

interface Explained {
  readonly fact: { readonly id: string };
  readonly why?: {
    readonly found_by: { readonly lexical?: Place; readonly semantic?: Place; readonly graph?: Place };
    readonly rank: number;
    readonly packed: number;
  };
}

interface WhyNot {
  readonly id: string;
  readonly stage: string;
  readonly by?: string;
  readonly found_by?: { readonly lexical?: Place };
  readonly rank?: number;
}

interface Reply {
  readonly facts: readonly Explained[];
  readonly why_not?: readonly WhyNot[];
  readonly tokens_used: number;
  readonly token_budget: number;
}

const PLUGINS = ['keys', 'facts', 'conflicts', 'recall', 'search', 'gardens', 'tombstones', 'node-info', 'cards'];

forEachStore('a recall with explanations', () => {
  let node: TestNode;
  let key: string;
  beforeEach(async () => {
    node = await startTestNode({ plugins: PLUGINS, env: { SVC_TOMBSTONES_ENABLED: 'true' } });
    key = await node.addKey({ entityUri: 'user:test' });
  });
  afterEach(() => node.stop());

  const say = async (entity: string, v: string, members: object = {}): Promise<string> => {
    const body = { entity, relation: 'memory:said', value: { type: 'text', v }, scope: 'company', ...members };
    const reply = await node.request('POST', '/v1/facts', { key, body: { source: 'user:test', ...body } });
    expect(reply.status, reply.text).to.equal(201);
    return reply.body.id;
  };
  const recall = async (members: object, caller = key): Promise<Reply> => {
    const reply = await node.request('POST', '/v1/recall', { key: caller, body: { token_budget: 2_000, ...members } });
    expect(reply.status, reply.text).to.equal(200);
    return reply.body;
  };
  const whyNot = async (id: string, members: object): Promise<WhyNot | undefined> => {
    const asked = { query: 'when does the ferry leave', ...members, why_not: [id] };
    return (await recall(asked)).why_not?.[0];
  };
  const sayMany = async (count: number): Promise<void> => {
    for (let at = 0; at < count; at += 1) await say(`ferry:${at}`, `the ferry ${at} leaves pier ${at * 7} at dawn`);
  };

  it('states for each fact its rank in every stage, overall, and in packing', async () => {
    const best = await say('ferry:1', 'the ferry leaves at dawn');
    await say('ferry:2', 'a ferry of the north line carries no cars in winter');
    const { facts } = await recall({ query: 'when does the ferry leave at dawn', explain: true });
    expect(facts).to.have.length(2);
    const [first] = facts as [Explained];
    expect(first.fact.id).to.equal(best);
    expect(first.why).to.deep.include({ rank: 1, packed: 1 });
    expect(first.why?.found_by.lexical).to.deep.equal({ rank: 1, score: 1 });
    expect(facts.map(({ why }) => why?.rank)).to.deep.equal([1, 2]);
    expect(facts.map(({ why }) => why?.packed)).to.have.members([1, 2]);
  });

  it('explains the facts also with selected fields, and for a GET request', async () => {
    const id = await say('ferry:1', 'the ferry leaves at dawn');
    const [part] = (await recall({ query: 'ferry', explain: true, fields: 'compact' })).facts;
    expect(part?.why?.rank).to.equal(1);
    const path = `/v1/recall?query=ferry&token_budget=900&explain=true&why_not=${id},${randomUUID()}`;
    const { body } = await node.request('GET', path, { key });
    expect(body.facts[0].why.rank).to.equal(1);
    expect(body.why_not.map(({ stage }: WhyNot) => stage)).to.deep.equal(['returned', 'unknown']);
  });

  it('contains no explanation unless it was requested', async () => {
    await say('ferry:1', 'the ferry leaves at dawn');
    const reply = await recall({ query: 'ferry' });
    expect(reply).to.not.have.property('why_not');
    expect(reply.facts[0]).to.not.have.property('why');
  });

  it('names the filter that excluded a fact', async () => {
    const id = await say('ferry:1', 'the ferry leaves at dawn', { confidence: 0.4 });
    const filters: readonly [string, object][] = [
      ['scope', { scope: 'public' }],
      ['relation', { relation: 'memory:other' }],
      ['exclude_relations', { exclude_relations: ['memory:said'] }],
      ['entities', { entities: ['boat:*'] }],
      ['min_confidence', { min_confidence: 0.9 }],
    ];
    for (const [by, members] of filters) {
      expect(await whyNot(id, members)).to.deep.equal({ id, stage: 'filtered', by });
    }
  });

  it('states that a fact was left out because it is contradicted', async () => {
    const id = await say('ferry:1', 'at dawn');
    await say('ferry:1', 'at noon', { source: 'user:other' });
    expect(await whyNot(id, {})).to.deep.equal({ id, stage: 'contradicted' });
    expect(await whyNot(id, { include_contradicted: true })).to.deep.include({ stage: 'returned' });
  });

  it('states that a fact was left out because it is no longer live', async () => {
    const id = await say('ferry:1', 'the ferry leaves at dawn');
    await say('ferry:1', 'none', { confidence: 0 });
    expect(await whyNot(id, {})).to.deep.equal({ id, stage: 'not_live' });
  });

  it('states of a system fact that it is not live', async () => {
    const id = await say('ferry:1', 'the ferry leaves at dawn', { reason: 'the ferry leaves by the timetable' });
    const { body } = await node.request('GET', `/v1/facts?entity=svc:fact:${id}&relation=svc:reason`, { key });
    const reason = body.facts[0].id;
    expect(await whyNot(reason, {})).to.deep.equal({ id: reason, stage: 'not_live' });
  });

  it('states that no stage found a fact, or that only a deeper search would', async () => {
    const far = await say('mountain:1', 'granite');
    expect(await whyNot(far, { weights: { lexical: 1 } })).to.deep.equal({ id: far, stage: 'not_found' });
    const deep = await say('harbour:1', `a long note with one ferry ${'and other words '.repeat(30)}`);
    await sayMany(70);
    const said = await whyNot(deep, { weights: { lexical: 1 }, token_budget: 100 });
    expect(said).to.deep.include({ stage: 'depth' });
    expect(said?.found_by?.lexical?.rank).to.be.at.least(70);
  });

  it('names the shown fact that an omitted one repeats', async () => {
    const ids = [await say('ferry:1', 'the ferry leaves at dawn'), await say('ferry:2', 'the ferry leaves at dawn')];
    const { facts, why_not = [] } = await recall({ query: 'ferry', why_not: ids });
    const shown = facts[0]?.fact.id;
    const [copy] = why_not.filter(({ id }) => id !== shown);
    expect(copy).to.deep.include({ stage: 'repeated', by: shown });
    expect(why_not.map(({ stage }) => stage)).to.have.members(['returned', 'repeated']);
  });

  it('states whether budget, limit or variety left a fact out', async () => {
    const long = await say('ferry:long', `the ferry leaves at ${'dawn or noon or dusk '.repeat(40)}`);
    expect(await whyNot(long, { token_budget: 100 })).to.deep.include({ id: long, stage: 'budget', rank: 1 });
    const best = await say('ferry:1', 'the ferry leaves at dawn from the old pier');
    const near = await say('ferry:2', 'the ferry leaves at dawn from the old pier today');
    const other = await say('ferry:3', 'tickets of every ferry cost nine');
    const asked = { limit: 2, lambda_mmr: 0.3, token_budget: 100, why_not: [best, near, other] };
    const { why_not = [] } = await recall({ query: 'when does the ferry leave from the pier', ...asked });
    const [lost, ...others] = why_not.filter(({ stage }) => stage !== 'returned');
    expect([lost?.stage, others]).to.deep.equal(['variety', []]);
    expect([lost?.id, lost?.by]).to.have.members([best, near]);
    const alone = { limit: 1, lambda_mmr: 1, token_budget: 100, why_not: [other] };
    expect((await recall({ query: 'when does the ferry leave from the pier', ...alone })).why_not?.[0]).to.deep.include(
      {
        stage: 'limit',
      },
    );
  });

  it('states that a fact was left out because the reply would exceed the budget', async () => {
    for (let at = 0; at < 6; at += 1)
      await say(`ferry:${at}`, `ferry ${at} leaves pier ${at * 7} before ${at} o'clock`);
    const wide = await recall({ query: 'ferry' });
    const ids = wide.facts.map(({ fact }) => fact.id);
    const asked = { query: 'ferry', fields: 'compact', token_budget: 500, why_not: ids };
    const { facts, why_not = [], tokens_used, token_budget } = await recall(asked);
    expect(tokens_used).to.be.at.most(token_budget);
    const shown = new Set(facts.map(({ fact }) => fact.id));
    expect(shown.size).to.be.below(ids.length);
    for (const { id, stage } of why_not) expect(stage).to.equal(shown.has(id) ? 'returned' : 'budget');
  });

  it('states the same for a hidden, an erased and an unknown fact', async () => {
    const admin = await node.addKey({ permissions: ['read', 'write', 'admin'] });
    const make = async (path: string, caller: string, body?: object) => {
      const reply = await node.request('POST', path, { key: caller, ...(body && { body }) });
      expect(reply.status, reply.text).to.be.oneOf([200, 201, 202]);
      return reply;
    };
    const garden = await make('/v1/gardens', key, { slug: 'den', name: 'Den' });
    const hidden = await say('ferry:1', 'the ferry leaves at dawn', { garden_id: garden.body.id });
    const unread = await say('ferry:2', 'the ferry leaves at noon', { scope: 'local' });
    const erased = await say('ferry:3', 'the ferry leaves at dusk');
    const marker = await make('/v1/tombstones', admin, { entity_uri: 'ferry:3', reason: 'asked for' });
    await make(`/v1/tombstones/${marker.body.id}/erase`, admin, { confirm: 'ferry:3' });
    const stranger = await node.addKey({ entityUri: 'user:stranger', scopes: ['company'] });
    const replies = [];
    for (const id of [hidden, unread, erased, randomUUID(), 'no-such-fact']) {
      const body = { query: 'ferry', token_budget: 500, explain: true, why_not: [id] };
      const { text } = await node.request('POST', '/v1/recall', { key: stranger, body });
      replies.push(text.replace(/"recall_id":"[^"]*"/, '').replaceAll(id, 'ID'));
    }
    expect(new Set(replies).size).to.equal(1);
    expect(replies[0]).to.contain('"why_not":[{"id":"ID","stage":"unknown"}]');
    expect(await whyNot(hidden, {})).to.deep.include({ stage: 'returned' });
  });

  it('refuses to explain more than 20 facts, and texts that are no fact ids', async () => {
    const refused: readonly [string, object][] = [
      ['body.why_not', { why_not: Array.from({ length: 21 }, () => randomUUID()) }],
      ['body.why_not[0]', { why_not: ['\u0000'] }],
      ['body.why_not[1]', { why_not: ['a', 'x'.repeat(129)] }],
      ['body.why_not[0]', { why_not: [7] }],
    ];
    for (const [path, members] of refused) {
      const reply = await node.request('POST', '/v1/recall', {
        key,
        body: { query: 'x', token_budget: 9, ...members },
      });
      expect(reply.status).to.equal(422);
      expect(reply.text).to.contain(path);
    }
    const many = Array.from({ length: 21 }, () => 'a').join(',');
    const reply = await node.request('GET', `/v1/recall?query=x&token_budget=9&why_not=${many}`, { key });
    expect(reply.status).to.equal(400);
  });
});
