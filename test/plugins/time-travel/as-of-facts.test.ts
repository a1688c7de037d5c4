import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { factBody } from '../facts/fact-bodies.ts';

forEachStore('facts as of a past moment', () => {
  let node: TestNode;
  let key: string;

  beforeEach(async () => {
    node = await startTestNode({ plugins: ['facts', 'conflicts', 'time-travel'] });
    key = await node.addKey();
  });
  afterEach(() => node.stop());

  const assert = async (changes: Record<string, unknown> = {}) => {
    const { status, body } = await node.request('POST', '/v1/facts', { key, body: factBody(changes) });
    expect(status).to.equal(201);
    await node.clock.advance(1000);
    return body;
  };
  const get = (path: string) => node.request('GET', `/v1/facts${path}`, { key });
  const now = (): string => new Date(node.clock.nowMs()).toISOString();
  /** Returns the ids of the list, oldest first, and checks its total. */
  const list = async (query: string): Promise<string[]> => {
    const { status, body } = await get(`?${query}`);
    expect(status, query).to.equal(200);
    expect(body.total, query).to.equal(body.facts.length);
    return body.facts.map(({ id }: { id: string }) => id).reverse();
  };

  it('are those that had been recorded by then, regardless of their own times', async () => {
    const first = await assert({ relation: 'memory:a' });
    const moment = now();
    await node.clock.advance(1000);
    const second = await assert({ relation: 'memory:b', timestamp: '2020-01-01T00:00:00Z' });
    expect(await list('')).to.deep.equal([second.id, first.id]);
    expect(await list(`as_of=${moment}`)).to.deep.equal([first.id]);
    expect(await list(`as_of=${first.hlc}`)).to.deep.equal([first.id]);
    expect(await list(`as_of=${second.hlc}`)).to.deep.equal([second.id, first.id]);
    expect(await list('as_of=2000-01-01T00:00:00Z')).to.deep.equal([]);
  });

  it('hide a fact and its derivation if they were recorded later', async () => {
    const first = await assert({ relation: 'memory:a' });
    const moment = now();
    await node.clock.advance(1000);
    const second = await assert({ relation: 'memory:b', derived_from: [first.cid] });
    expect((await get(`/${first.id}?as_of=${moment}`)).body).to.deep.equal(first);
    expect((await get(`/${second.id}?as_of=${moment}`)).status).to.equal(404);
    expect((await get(`/${encodeURIComponent(second.cid)}?as_of=${moment}`)).status).to.equal(404);
    const before = await get(`/${second.id}/provenance?as_of=${moment}`);
    const unknown = await get('/6f1f6d5e-0000-4000-8000-000000000001/provenance');
    expect([before.status, before.body.detail]).to.deep.equal([unknown.status, unknown.body.detail]);
    const now2 = await get(`/${second.id}/provenance?as_of=${second.hlc}`);
    expect(now2.body.derived_from[0].exists).to.equal(true);
  });

  it('count as live if they were ended only later', async () => {
    const fact = await assert({ valid_until: new Date(node.clock.nowMs() + 60_000).toISOString() });
    const whileLive = now();
    await node.clock.advance(1000);
    const retraction = await assert({ confidence: 0 });
    const gone = now();
    await node.clock.advance(3_600_000);
    expect(await list('')).to.deep.equal([retraction.id]);
    expect(await list(`as_of=${whileLive}`)).to.deep.equal([fact.id]);
    expect(await list(`as_of=${gone}`)).to.deep.equal([retraction.id]);
    expect(await list(`as_of=${gone}&include_retracted=true`)).to.deep.equal([fact.id, retraction.id]);
  });

  it('appear in pages that stay the same during other writes', async () => {
    const facts: { id: string }[] = [];
    for (let at = 0; at < 5; at += 1) facts.push(await assert({ relation: `memory:r${at}` }));
    const moment = now();
    await node.clock.advance(1000);
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await get(`?as_of=${moment}&limit=2${cursor}`);
      expect(body.total).to.equal(5);
      seen.push(...body.facts.map(({ id }: { id: string }) => id));
      if (body.cursor === null) break;
      cursor = `&cursor=${encodeURIComponent(body.cursor)}`;
      await assert({ relation: `memory:new${seen.length}`, timestamp: '2020-01-01T00:00:00Z' });
      await assert({ relation: 'memory:r0', confidence: 0 });
      const other = await get(`?as_of=${now()}&limit=2${cursor}`);
      expect([other.status, other.body.code]).to.deep.equal([400, 'invalid_cursor']);
    }
    expect(seen.reverse()).to.deep.equal(facts.map(({ id }) => id));
  });

  it('recorded by one request are distinguished by their stamps, each with the winner at that stamp', async () => {
    const bodies = ['a', 'b', 'c', 'd'].map((v) => factBody({ value: { type: 'string', v }, confidence: 1 }));
    bodies.splice(3, 0, factBody({ value: { type: 'string', v: 'c' }, confidence: 0 }));
    const { body } = await node.request('POST', '/v1/facts/batch', { key, body: bodies });
    const shown = async (hlc: string) =>
      (await get(`?as_of=${hlc}`)).body.facts.map(
        ({ value, confidence, contradicted }: { value: { v: string }; confidence: number; contradicted: boolean }) =>
          `${confidence === 0 ? 'no ' : ''}${value.v}${contradicted ? '!' : ''}`,
      );
    const answers: unknown[] = [];
    for (const { fact } of body.results) answers.push(await shown(fact.hlc));
    expect(answers).to.deep.equal([['a'], ['b!'], ['c!'], ['no c'], ['d']]);
  });

  it('are refused for an invalid or future moment', async () => {
    await assert();
    const later = new Date(node.clock.nowMs() + 1000).toISOString();
    const farStamp = `${node.clock.nowMs() + 1000}.0`;
    for (const [query, code] of [
      ['as_of=yesterday', 'as_of_invalid_timestamp'],
      ['as_of=', 'as_of_invalid_timestamp'],
      ['as_of=2026-02-30T00:00:00Z', 'as_of_invalid_timestamp'],
      [`as_of=${later}`, 'as_of_future'],
      [`as_of=${farStamp}`, 'as_of_future'],
      ['valid_at=1.0', 'validation'],
    ] as const) {
      const { status, body } = await get(`?${query}`);
      expect([status, body.code], query).to.deep.equal([400, code]);
    }
    expect((await get(`/6f1f6d5e-0000-4000-8000-000000000001?as_of=${later}`)).body.code).to.equal('as_of_future');
    expect((await get('/6f1f6d5e-0000-4000-8000-000000000001?valid_at=2020-01-01T00:00:00Z')).status).to.equal(400);
  });
});
