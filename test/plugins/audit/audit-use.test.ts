import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const PLUGINS = ['keys', 'facts', 'conflicts', 'gardens', 'recall', 'search', 'audit'] as const;

forEachStore('the use of a memory', () => {
  let node: TestNode;
  let auditor: string;
  let writer: string;
  beforeEach(async () => {
    node = await startTestNode({ plugins: PLUGINS });
    auditor = await node.addKey({ entityUri: 'agent:auditor', permissions: ['read', 'audit.read'] });
    writer = await node.addKey({ entityUri: 'agent:writer' });
  });
  afterEach(() => node.stop());

  const say = async (v: string, members: object = {}, key = writer): Promise<string> => {
    await node.clock.advance(1_000);
    const value = { type: 'text', v };
    const body = {
      entity: `user:${v.replace(' ', '-')}`,
      relation: 'memory:note',
      value,
      source: 'agent:s',
      scope: 'company',
      ...members,
    };
    const { status, text, body: fact } = await node.request('POST', '/v1/facts', { key, body });
    expect(status, text).to.equal(201);
    return fact.id;
  };
  const recall = async (key = writer) => {
    await node.clock.advance(1_000);
    return (await node.request('POST', '/v1/recall', { key, body: { query: 'oak', token_budget: 500 } })).body;
  };
  const read = async (path: string, key: string) => {
    const { status, body } = await node.request('GET', path, { key });
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };

  it('is summed up by day, agent and key: writes, recalls, tokens and bytes', async () => {
    await say('an oak');
    await say('a lime');
    await node.clock.advance(86_400_000);
    const { tokens_used: tokens } = await recall();
    const { days, counted, cursor } = await read('/v1/audit/use?entity_uri=agent:writer', auditor);
    expect([counted, cursor]).to.deep.equal([3, null]);
    const [second, first] = days;
    expect(second).to.include({ entity_uri: 'agent:writer', recalls: 1, writes: 0, tokens });
    expect(second.key_id).to.be.a('string');
    expect(second.recalled_bytes).to.be.at.least('an oak'.length);
    expect(first).to.include({ entity_uri: 'agent:writer', key_id: null, writes: 2, recalls: 0, written_bytes: 12 });
    expect(Date.parse(second.day) - Date.parse(first.day)).to.equal(86_400_000);
  });

  it('counts reads of facts by day, agent and key, for their reader and for auditors', async () => {
    const other = await node.addKey({ entityUri: 'agent:other', permissions: ['read'] });
    const id = await say('an oak');
    for (const path of ['/v1/facts', `/v1/facts/${id}`]) await read(path, writer);
    await read('/v1/facts', other);
    await node.clock.advance(86_400_000);
    await read('/v1/facts', writer);
    const readsIn = async (key: string, query = '') => {
      const { days } = await read(`/v1/audit/use${query}`, key);
      return days
        .filter(({ reads }: { reads: number }) => reads > 0)
        .map(({ entity_uri: entity, reads }: { entity_uri: string; reads: number }) => `${entity} ${reads}`);
    };
    expect(await readsIn(auditor)).to.deep.equal(['agent:writer 1', 'agent:other 1', 'agent:writer 2']);
    expect(await readsIn(other)).to.deep.equal(['agent:other 1']);
    expect(await readsIn(other, '?entity_uri=agent:writer')).to.deep.equal([]);
    expect(await readsIn(auditor, '?entity_uri=agent:writer')).to.deep.equal(['agent:writer 1', 'agent:writer 2']);
    expect(await readsIn(auditor, '?event_type=fact_write')).to.deep.equal([]);
    await read('/v1/facts', writer);
    const since = new Date(node.clock.nowMs()).toISOString();
    expect(await readsIn(auditor, `?since=${since}`)).to.deep.equal(['agent:writer 2']);
  });

  it('has its counts of reads in parts too, each once', async () => {
    await say('an oak');
    for (const name of ['a', 'b', 'c']) {
      await read('/v1/facts', await node.addKey({ entityUri: `agent:${name}`, permissions: ['read'] }));
    }
    const parts: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await read(`/v1/audit/use?limit=1${cursor && `&cursor=${encodeURIComponent(cursor)}`}`, auditor);
      for (const { entity_uri: entity, reads, writes } of page.days) parts.push(`${entity} ${reads} ${writes}`);
      cursor = page.cursor;
    }
    expect(parts.slice(0, 3)).to.deep.equal(['agent:a 1 0', 'agent:b 1 0', 'agent:c 1 0']);
    expect(parts).to.include('agent:writer 0 1');
  });

  it('comes in parts, whose sums a reader adds up', async () => {
    for (const v of ['an oak', 'a lime', 'an elm']) await say(v);
    const one = await read('/v1/audit/use?limit=2', writer);
    const two = await read(`/v1/audit/use?limit=2&cursor=${encodeURIComponent(one.cursor)}`, writer);
    expect([one.days[0].writes, two.days[0].writes, two.cursor]).to.deep.equal([2, 1, null]);
  });

  it('of others is for auditors alone, and bytes of facts for those who may see them', async () => {
    await say('an oak');
    const other = await node.addKey({ entityUri: 'agent:other', permissions: ['read'] });
    expect((await read('/v1/audit/use', other)).days).to.deep.equal([]);
    expect((await read('/v1/audit/use', writer)).days).to.have.length(1);
    const narrow = { entityUri: 'agent:narrow', permissions: ['read', 'audit.read'], scopes: ['public'] as const };
    const [seen] = (await read('/v1/audit/use?entity_uri=agent:writer', await node.addKey(narrow))).days;
    expect([seen.writes, seen.written_bytes]).to.deep.equal([1, 0]);
  });

  it('says in an entry of a recall how many facts it returned and which were the best', async () => {
    const id = await say('an oak');
    const { facts, tokens_used: tokens } = await recall();
    const { entries } = await read('/v1/audit?event_type=fact_read', writer);
    expect(entries[0].recall).to.deep.equal({ facts: facts.length, tokens, fact_ids: [id] });
    expect((await read('/v1/audit?event_type=fact_write', writer)).entries[0].recall).to.equal(null);
  });
});
