import { expect } from 'chai';
import fc from 'fast-check';
import { strongestFirst } from '../../../plugins/synthesis/survey-facts.ts';
import { sampleFact, sampleId, stamp } from '../../kit/fact-samples.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import type { TestReply } from '../../kit/test-request.ts';

const PLUGINS = ['conflicts', 'decay', 'facts', 'gardens', 'jobs', 'keys', 'synthesis'] as const;

forEachStore('a synthesis', () => {
  let node: TestNode;
  let key: string;
  beforeEach(async () => {
    node = await startTestNode({ plugins: PLUGINS });
    key = await node.addKey();
  });
  afterEach(() => node.stop());

  const say = async (v: unknown, members: object = {}, as = key): Promise<TestReply['body']> => {
    const type = typeof v === 'number' ? 'number' : typeof v === 'boolean' ? 'boolean' : 'string';
    const fact = {
      entity: 'user:noor',
      relation: 'memory:role',
      value: { type, v },
      source: 'agent:s',
      scope: 'company',
    };
    const { status, body } = await node.request('POST', '/v1/facts', { key: as, body: { ...fact, ...members } });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body;
  };
  const read = async (query = '', as = key): Promise<TestReply['body']> => {
    const { status, body } = await node.request('GET', `/v1/synthesis${query}`, { key: as });
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const values = (body: TestReply['body']): unknown[] =>
    body.facts.map((fact: { value: { v: unknown } }) => fact.value.v);

  it('lists the strongest facts first, with the winner and the strongest rival of each triple', async () => {
    const old = await say(41, { confidence: 0.8, timestamp: '2020-01-01T00:00:00Z' });
    const won = await say(42, { confidence: 0.9 });
    const body = await read('?scope=company');
    expect(body).to.deep.equal({
      scope: 'company',
      fact_count: 2,
      facts: [
        {
          id: won.id,
          entity: 'user:noor',
          relation: 'memory:role',
          value: { type: 'number', v: 42 },
          confidence: 0.9,
          timestamp: won.timestamp,
          valid_until: null,
          is_expired: false,
          age_seconds: 0,
          contradicted: true,
          source: 'agent:s',
        },
        {
          id: old.id,
          entity: 'user:noor',
          relation: 'memory:role',
          value: { type: 'number', v: 41 },
          confidence: 0.8,
          timestamp: '2020-01-01T00:00:00Z',
          valid_until: null,
          is_expired: false,
          age_seconds: Math.floor((node.clock.nowMs() - Date.parse('2020-01-01T00:00:00Z')) / 1000),
          contradicted: true,
          source: 'agent:s',
        },
      ],
      summary: [
        {
          entity: 'user:noor',
          relation: 'memory:role',
          value: { type: 'number', v: 42 },
          confidence: 0.9,
          hlc: won.hlc,
          contradicted: true,
          alt_value: { type: 'number', v: 41 },
          alt_confidence: 0.8,
        },
      ],
      contradiction_count: 1,
      filtered_count: 0,
      mean_confidence: 0.85,
      freshest_timestamp: won.timestamp,
      oldest_timestamp: '2020-01-01T00:00:00Z',
      expired_fact_count: 0,
      synthesized_at: body.synthesized_at,
    });
  });

  it('returns the same answer by POST and by the path of the scope', async () => {
    await say('one');
    await say('two', { scope: 'team' });
    const expected = await read('?scope=company&limit=5&include_expired=true');
    const body = { scope: 'company', limit: 5, include_expired: true, entity: null };
    expect((await node.request('POST', '/v1/synthesis', { key, body })).body).to.deep.equal(expected);
    const path = '/v1/scopes/company/synthesize?limit=5&include_expired=1';
    expect((await node.request('GET', path, { key })).body).to.deep.equal(expected);
    const everything = (await node.request('POST', '/v1/synthesis', { key })).body;
    expect(everything).to.deep.equal(await read());
    expect(everything).to.include({ scope: 'all', fact_count: 2 });
    expect(everything.facts.map((fact: { scope: string }) => fact.scope).sort()).to.deep.equal(['company', 'team']);
  });

  it('is empty without any facts', async () => {
    expect(await read('?entity=user:nobody')).to.deep.include({
      fact_count: 0,
      facts: [],
      summary: [],
      contradiction_count: 0,
      mean_confidence: null,
      freshest_timestamp: null,
      oldest_timestamp: null,
    });
  });

  it('leaves out retractions, retracted facts, and facts of the node itself', async () => {
    await say('gone', { relation: 'memory:gone' });
    await say('retracted', { relation: 'memory:gone', confidence: 0 });
    await say('one');
    await say('two');
    const body = await read('?include_expired=true');
    expect(body).to.include({ fact_count: 2, contradiction_count: 1, expired_fact_count: 0 });
    expect(values(body)).to.deep.equal(['two', 'one']);
  });

  it('counts facts below the minimum confidence, and still names a contradicting one', async () => {
    await say('sure', { confidence: 0.9 });
    await say('unsure', { confidence: 0.2 });
    const body = await read('?min_confidence=0.5');
    expect(body).to.include({ fact_count: 1, filtered_count: 1, contradiction_count: 1, mean_confidence: 0.9 });
    expect(body.summary[0]).to.deep.include({ alt_value: { type: 'string', v: 'unsure' }, alt_confidence: 0.2 });
  });

  it('names the strongest contradicting fact beyond its limit, even behind many facts with the winning value', async () => {
    for (let n = 0; n < 70; n += 1) await say('crowd', { confidence: 0.9, source: `agent:${n}` });
    await say('weakest', { confidence: 0.1 });
    await say('rival', { confidence: 0.3 });
    const body = await read('?limit=1');
    expect(body).to.include({ fact_count: 72, contradiction_count: 1 });
    expect(body.facts).to.have.length(1);
    expect(body.summary[0].alt_value).to.deep.equal({ type: 'string', v: 'rival' });
  });

  it('names the strongest contradicting fact among thousands beyond its limit', async () => {
    const drafts = Array.from({ length: 1_200 }, (_, n) => ({ v: `rival ${n}`, confidence: n === 600 ? 0.3 : 0.1 }));
    for (let n = 0; n < 70; n += 1) drafts.push({ v: 'crowd', confidence: 0.9 });
    const places = { entity: 'user:noor', relation: 'memory:role', scope: 'company' };
    const facts = drafts.map(({ v, confidence }, n) => {
      return { ...places, value: { type: 'string', v }, confidence, source: `agent:${n}` };
    });
    for (const some of [facts.slice(0, 600), facts.slice(600)]) {
      const { body } = await node.request('POST', '/v1/facts/batch', { key, body: some });
      expect(body.rejected, JSON.stringify(body).slice(0, 500)).to.equal(0);
    }
    const { summary } = await read('?limit=1');
    expect(summary[0]).to.deep.include({ alt_value: { type: 'string', v: 'rival 600' }, alt_confidence: 0.3 });
  });

  it('shows expired facts only on request, and no decayed facts', async () => {
    await say('short', { relation: 'memory:short', valid_until: '2020-01-01T00:00:00Z' });
    await say('long');
    expect(await read()).to.include({ fact_count: 1, expired_fact_count: 0 });
    const body = await read('?include_expired=true');
    expect(body).to.include({ fact_count: 2, expired_fact_count: 1 });
    const short = body.facts.find((fact: { relation: string }) => fact.relation === 'memory:short');
    expect(short).to.deep.include({ is_expired: true, contradicted: false, valid_until: '2020-01-01T00:00:00Z' });
    expect(body.summary).to.have.length(1);
    await node.request('POST', '/v1/decay/sweep?ttl_seconds=0', { key });
    expect(await read()).to.include({ fact_count: 0 });
  });

  it('separates scopes and gardens, and shows a garden only to its members', async () => {
    const garden = { slug: 'herbs', name: 'Herbs', scope: 'company' };
    const owner = await node.addKey({ entityUri: 'agent:gardener' });
    expect((await node.request('POST', '/v1/gardens', { key: owner, body: garden })).status).to.equal(201);
    await say('outside', { confidence: 0.5 });
    await say('inside', { garden_id: 'herbs' }, owner);
    const seen = await read('?scope=company', owner);
    expect(seen).to.include({ fact_count: 2, contradiction_count: 0 });
    expect(seen.summary.map((entry: { garden_id?: string }) => entry.garden_id)).to.deep.equal([
      'svc://localhost:8765/garden/herbs',
      undefined,
    ]);
    const other = await read('?scope=company');
    expect(values(other)).to.deep.equal(['outside']);
    expect(other).to.include({ fact_count: 1, mean_confidence: 0.5 });
  });

  it('keeps the type of each value, and marks instructions', async () => {
    const teacher = await node.addKey({ entityUri: 'agent:t', permissions: ['read', 'write', 'instruction:write'] });
    for (const [at, v] of [true, 1e21, 'text'].entries()) await say(v, { relation: `memory:r${at}` });
    const value = { type: 'string', v: 'do this', interpret_as: 'instruction' };
    await say('', { relation: 'memory:task', value }, teacher);
    const found = (await read()).summary.map((entry: { value: unknown }) => entry.value);
    expect(found).to.deep.include.members([
      { type: 'boolean', v: true },
      { type: 'number', v: 1e21 },
      { type: 'string', v: 'text' },
      { type: 'string', v: 'do this', interpret_as: 'instruction' },
    ]);
  });

  it('is cut before its body exceeds 8 MiB, and marked as cut', async () => {
    for (let n = 0; n < 12; n += 1) {
      await say('', { relation: `memory:r${n}`, value: { type: 'text', v: 'x'.repeat(1_000_000) } });
    }
    const { text, body } = await node.request('GET', '/v1/synthesis', { key });
    expect(text.length).to.be.below(8 * 1024 * 1024);
    expect(body).to.include({ truncated: true, fact_count: 12 });
    expect(body.facts.length).to.be.within(1, 11);
  });

  it('rejects invalid parameters', async () => {
    const status = async (target: string, options: object = {}, method = 'GET') =>
      (await node.request(method, target, { key, ...options })).status;
    expect(await status('/v1/synthesis?scope=galaxy')).to.equal(400);
    expect(await status('/v1/scopes/galaxy/synthesize')).to.equal(400);
    expect(await status('/v1/synthesis', { body: { scope: 'galaxy' } }, 'POST')).to.equal(422);
    expect(await status('/v1/synthesis?limit=0')).to.equal(400);
    expect(await status('/v1/synthesis?limit=1001')).to.equal(400);
    const narrow = await node.addKey({ entityUri: 'agent:narrow', scopes: ['local'] });
    expect(await status('/v1/synthesis?scope=company', { key: narrow })).to.equal(403);
    expect(await status('/v1/scopes/company/synthesize', { key: narrow })).to.equal(403);
    const writer = await node.addKey({ entityUri: 'agent:writer', permissions: ['write'] });
    expect(await status('/v1/synthesis', { key: writer })).to.equal(403);
  });

  it('names the same winners as the default query', async () => {
    const said = fc.record({
      relation: fc.constantFrom('memory:a', 'memory:b'),
      v: fc.constantFrom('x', 'y', 'z'),
      confidence: fc.constantFrom(0, 0.3, 0.9, 1),
    });
    let number = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(said, { maxLength: 8 }), async (all) => {
        number += 1;
        const entity = `user:${number}`;
        for (const { v, ...members } of all) await say(v, { entity, ...members });
        const body = await read(`?entity=${entity}`);
        const { body: page } = await node.request('GET', `/v1/facts?entity=${entity}`, { key });
        type Shown = { relation: string; value: { v: string }; confidence: number; contradicted: boolean };
        const live = (page.facts as Shown[]).filter(({ confidence }) => confidence > 0);
        const winners = new Map(live.map((fact) => [fact.relation, [fact.value.v, fact.contradicted]]));
        const summed = new Map((body.summary as Shown[]).map((one) => [one.relation, [one.value.v, one.contradicted]]));
        expect(Object.fromEntries(summed)).to.deep.equal(Object.fromEntries(winners));
        expect(body.contradiction_count).to.equal([...winners.values()].filter(([, isSo]) => isSo).length);
      }),
      { numRuns: Math.ceil(RUNS / 10) },
    );
  });
});

describe('equally strong facts of a synthesis', () => {
  it('come in the order of their ids, as in a conflict', () => {
    const tied = [3, 1, 2].map((n) => sampleFact(n, { hlc: stamp(0) }));
    expect(tied.sort(strongestFirst).map(({ id }) => id)).to.deep.equal([1, 2, 3].map(sampleId));
  });
});
