import { expect } from 'chai';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../../kit/start-test-node.ts';

interface Scored {
  readonly fact: { readonly entity: string };
  readonly score_breakdown: { readonly timed: number };
}

const DAY_MS = 24 * 60 * 60 * 1000;

forEachStore('a recall whose query names a time', () => {
  let node: TestNode;
  let key: string;
  beforeEach(async () => {
    node = await startTestNode({ plugins: ['keys', 'facts', 'conflicts', 'recall', 'search', 'time-travel'] });
    key = await node.addKey();
  });
  afterEach(() => node.stop());

  const say = async (entity: string, timestamp: string, members: object = {}): Promise<void> => {
    const value = { type: 'text', v: `the choir of ${entity.slice(6)} sang in the harbour` };
    const body = { entity, relation: 'memory:said', value, source: 'user:test', scope: 'company', timestamp };
    const reply = await node.request('POST', '/v1/facts', { key, body: { ...body, ...members } });
    expect(reply.status, reply.text).to.equal(201);
  };
  const recall = async (query: string, members: object = {}): Promise<readonly (readonly [string, number])[]> => {
    const body = { query, token_budget: 2_000, ...members };
    const reply = await node.request('POST', '/v1/recall', { key, body });
    expect(reply.status, reply.text).to.equal(200);
    return reply.body.facts.map(({ fact, score_breakdown }: Scored) => [fact.entity, score_breakdown.timed]);
  };
  const daysAgo = (days: number): string => new Date(node.clock.nowMs() - days * DAY_MS).toISOString();

  it('raises the scores of facts of that time, and lowers no other score', async () => {
    await say('choir:elm', '2021-05-03T12:00:00Z');
    await say('choir:oak', '2019-08-03T12:00:00Z');
    const found = await recall('which choir sang in May 2021?');
    expect(found[0]).to.deep.equal(['choir:elm', 1.5]);
    expect(found[1]?.[0]).to.equal('choir:oak');
    expect(found[1]?.[1]).to.be.closeTo(1, 1e-6);
    expect((await recall('which choir sang in August 2019?'))[0]).to.deep.equal(['choir:oak', 1.5]);
  });

  it('counts relative times from now, and compares them with valid_from, or else with the timestamp', async () => {
    await say('choir:elm', daysAgo(14));
    await say('choir:oak', daysAgo(300), { valid_from: daysAgo(40) });
    const timed = async (query: string) => Object.fromEntries(await recall(query));
    expect((await timed('which choir sang two weeks ago?'))['choir:elm']).to.equal(1.5);
    expect((await timed('which choir sang 40 days ago?'))['choir:oak']).to.equal(1.5);
    await node.clock.advance(14 * DAY_MS);
    expect((await timed('which choir sang 4 weeks ago?'))['choir:elm']).to.equal(1.5);
    expect((await timed('which choir sang two weeks ago?'))['choir:elm']).to.be.below(1.3);
  });

  it('leaves scores unchanged if the request ignores times, or if the query names none', async () => {
    await say('choir:elm', '2021-05-03T12:00:00Z');
    expect(await recall('which choir sang in May 2021?', { time: 'ignore' })).to.deep.equal([['choir:elm', 1]]);
    expect(await recall('which choir sang?')).to.deep.equal([['choir:elm', 1]]);
    const refused = await node.request('POST', '/v1/recall', {
      key,
      body: { query: 'x', token_budget: 9, time: 'never' },
    });
    expect(refused.status).to.equal(422);
    expect(refused.text).to.contain('body.time');
  });
});
