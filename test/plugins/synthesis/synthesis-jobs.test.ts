import { expect } from 'chai';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

forEachStore('a synthesis of many facts', () => {
  let node: TestNode;
  let key: string;
  beforeEach(async () => {
    const plugins = ['conflicts', 'facts', 'gardens', 'jobs', 'keys', 'synthesis'];
    node = await startTestNode({ plugins, env: { SVC_ASYNC_JOB_THRESHOLD: '3' } });
    key = await node.addKey({ entityUri: 'agent:s', permissions: ['read', 'write'] });
    for (const [n, scope] of (['local', 'local', 'team', 'team'] as const).entries()) await say(n, scope);
  });
  afterEach(() => node.stop());

  const say = async (n: number, scope: string, more: object = {}) => {
    const value = { type: 'number', v: n };
    const body = { entity: 'user:noor', relation: 'memory:n', value, source: 'agent:s', scope, ...more };
    expect((await node.request('POST', '/v1/facts', { key, body })).status).to.equal(201);
  };
  const begin = async (): Promise<string> => {
    const reply = await node.request('GET', '/v1/synthesis', { key });
    expect(reply.status, reply.text).to.equal(202);
    const id = reply.body.job_id;
    await comesTrue(async () => {
      await node.clock.advance(1_000);
      return (await job(id)).status === 'done';
    });
    return id;
  };
  const job = async (id: string, as = key) => (await node.request('GET', `/v1/jobs/${id}`, { key: as })).body;

  it('runs as a job, whose result has the members of the answer', async () => {
    const found = await job(await begin());
    expect(found).to.include({ job_type: 'synthesis.make', scope: 'all', fact_count: 4, contradiction_count: 2 });
    expect(found.facts.map((fact: { value: { v: number } }) => fact.value.v)).to.deep.equal([3, 2, 1, 0]);
    expect(found.summary).to.have.length(2);
    expect(found.progress).to.deep.include({ done: 4, total: 4 });
  });

  it('filters and counts its facts again for each reader', async () => {
    const id = await begin();
    const permissions = ['read', 'admin'];
    const narrow = await node.addKey({ entityUri: 'agent:narrow', permissions, scopes: ['local'] });
    const found = await job(id, narrow);
    expect(found).to.include({ fact_count: 2, contradiction_count: 1 });
    expect(found.facts.map((fact: { scope: string }) => fact.scope)).to.deep.equal(['local', 'local']);
    expect(JSON.stringify(found)).not.to.contain('team');
  });

  it('hides its progress from its creator who has left a counted garden (I13)', async () => {
    const admin = await node.addKey({ entityUri: 'agent:gardener', permissions: ['read', 'write', 'admin'] });
    await node.request('POST', '/v1/gardens', { key: admin, body: { slug: 'herbs', name: 'Herbs', scope: 'team' } });
    const members = '/v1/gardens/herbs/members';
    await node.request('POST', members, { key: admin, body: { entity_uri: 'agent:s', role: 'writer' } });
    await say(7, 'team', { garden_id: 'herbs' });
    const id = await begin();
    expect((await job(id)).progress).to.deep.include({ done: 5, total: 5 });
    await node.request('DELETE', `${members}/agent:s`, { key: admin });
    expect(await job(id)).not.to.have.property('progress');
  });

  it('leaves out facts that have ended since', async () => {
    const id = await begin();
    await say(9, 'team', { confidence: 0 });
    expect((await job(id)).facts.map((fact: { scope: string }) => fact.scope)).to.deep.equal(['local', 'local']);
  });

  it('runs at once if the caller sees few of the facts', async () => {
    const narrow = await node.addKey({ entityUri: 'agent:narrow', scopes: ['local'] });
    const reply = await node.request('GET', '/v1/synthesis', { key: narrow });
    expect([reply.status, reply.body.fact_count]).to.deep.equal([200, 2]);
  });
});
