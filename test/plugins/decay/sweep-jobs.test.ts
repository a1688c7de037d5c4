import { expect } from 'chai';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { type DecayNode, startDecayNode } from './decay-node.ts';

const FACTS = 5;

forEachStore('a decay sweep over many facts', () => {
  let node: DecayNode;
  beforeEach(async () => {
    node = await startDecayNode({ env: { SVC_ASYNC_JOB_THRESHOLD: '3' } });
    for (let n = 0; n < FACTS; n += 1) await node.say({ confidence: 0.1 });
  });
  afterEach(() => node.stop());

  const begin = async (body: object = { min_confidence: 0.5 }, key = node.key) => {
    const reply = await node.post('/v1/decay/sweep', body, key);
    expect(reply.status, reply.text).to.equal(202);
    expect(reply.body).to.include({ status: 'pending' });
    return reply.body.job_id as string;
  };
  const read = (id: string, key = node.key) => node.request('GET', `/v1/decay/jobs/${id}`, { key });
  const end = (id: string) =>
    comesTrue(async () => {
      await node.clock.advance(1_000);
      return (await read(id)).body.status === 'done';
    });

  it('runs as a job, whose result its creator can read', async () => {
    const id = await begin();
    await end(id);
    const { body } = await read(id);
    expect(body).to.include({ job_type: 'decay.sweep', scope: 'all', scanned: FACTS, decayed: FACTS, dry_run: false });
    expect(body).not.to.have.property('of');
    expect(await node.shown()).to.deep.equal([]);
    expect(await node.ttls()).to.have.length(FACTS);
    expect((await node.request('GET', `/v1/jobs/${id}`, { key: node.key })).body).to.deep.equal(body);
  });

  it('shows its counts only to readers of all counted scopes', async () => {
    const id = await begin();
    await end(id);
    const stranger = await node.addKey({ entityUri: 'agent:stranger' });
    expect((await read(id, stranger)).status).to.equal(404);
    expect((await read(id, node.admin)).body).to.include({ decayed: FACTS });
    const permissions = ['read', 'admin'];
    const narrow = await node.addKey({ entityUri: 'agent:narrow', permissions, scopes: ['local'] });
    const { body } = await read(id, narrow);
    expect(body.status).to.equal('done');
    expect(body).not.to.have.any.keys('scanned', 'decayed', 'progress');
    const { jobs } = (await node.request('GET', '/v1/jobs', { key: narrow })).body;
    expect(jobs[0]).to.include({ job_id: id, status: 'done' }).and.not.to.have.property('progress');
  });

  it('shows counts of gardens only to readers of these gardens', async () => {
    await node.post('/v1/gardens', { slug: 'herbs', name: 'Herbs' }, node.admin);
    await node.say({ confidence: 0.1, garden_id: 'herbs' }, node.admin);
    const id = await begin({ min_confidence: 0.5 }, node.admin);
    await comesTrue(async () => {
      await node.clock.advance(1_000);
      return (await read(id, node.admin)).body.status === 'done';
    });
    expect((await read(id, node.admin)).body).to.include({ scanned: FACTS + 1, decayed: FACTS + 1 });
    const other = await node.addKey({ entityUri: 'agent:second', permissions: ['read', 'write', 'admin'] });
    const members = '/v1/gardens/herbs/members';
    await node.post(members, { entity_uri: 'agent:second', role: 'admin' }, node.admin);
    const left = await node.request('DELETE', `${members}/agent:operator`, { key: other });
    expect(left.status, left.text).to.be.below(300);
    const plain = await node.addKey({ entityUri: 'agent:operator' });
    expect((await node.request('GET', '/v1/gardens/herbs', { key: plain })).status).to.equal(404);
    const shown = (await read(id, plain)).body;
    expect(shown.status).to.equal('done');
    expect(shown).not.to.have.any.keys('scanned', 'decayed', 'progress');
  });

  it('shows its progress to its creator while the creator reads all counted gardens (I13)', async () => {
    await node.post('/v1/gardens', { slug: 'herbs', name: 'Herbs' }, node.admin);
    const member = { entity_uri: 'agent:writer', role: 'writer' };
    const joined = await node.post('/v1/gardens/herbs/members', member, node.admin);
    expect(joined.status, joined.text).to.be.below(300);
    await node.say({ confidence: 0.1, garden_id: 'herbs' });
    const id = await begin();
    await end(id);
    expect((await read(id)).body.progress).to.include({ done: FACTS + 1, total: FACTS + 1 });
    const path = '/v1/gardens/herbs/members/agent:writer';
    const left = await node.request('DELETE', path, { key: node.admin });
    expect(left.status, left.text).to.be.below(300);
    expect((await read(id)).body).not.to.have.any.keys('scanned', 'decayed', 'progress');
    const { jobs } = (await node.request('GET', '/v1/jobs', { key: node.key })).body;
    expect(jobs[0]).to.include({ job_id: id, status: 'done' }).and.not.to.have.property('progress');
    expect((await read(id, node.admin)).body.progress).to.include({ done: FACTS + 1 });
  });

  it('counts no facts of a garden that its creator has joined since the request (I13)', async () => {
    await node.post('/v1/gardens', { slug: 'herbs', name: 'Herbs' }, node.admin);
    await node.say({ confidence: 0.1, garden_id: 'herbs' }, node.admin);
    const id = await begin();
    const member = { entity_uri: 'agent:writer', role: 'writer' };
    await node.post('/v1/gardens/herbs/members', member, node.admin);
    await end(id);
    expect((await read(id)).body).to.include({ scanned: FACTS, decayed: FACTS });
  });

  it('can be resumed only by a caller who has its scopes', async () => {
    const id = await begin();
    expect((await node.request('DELETE', `/v1/jobs/${id}`, { key: node.key })).status).to.equal(204);
    const resume = (key: string) => node.request('POST', `/v1/jobs/${id}/resume`, { key });
    const narrow = await node.addKey({ entityUri: 'agent:writer', scopes: ['local'] });
    const refused = await resume(narrow);
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'authorization']);
    expect((await resume(node.key)).status).to.equal(202);
    await end(id);
    expect(await node.shown()).to.deep.equal([]);
  });

  it('puts the waiting sweeps of one caller into one job, which ends each fact once', async () => {
    const ids = await Promise.all(Array.from({ length: 100 }, () => begin()));
    for (const id of new Set(ids)) await end(id);
    expect(new Set(ids).size).to.be.at.most(4);
    expect(await node.ttls()).to.have.length(FACTS);
  });

  it('runs at once for a dry run, and if the caller sees few of the facts', async () => {
    expect(await node.sweep({ min_confidence: 0.5, dry_run: true })).to.include({ scanned: FACTS, decayed: FACTS });
    const local = await node.addKey({ entityUri: 'agent:local', scopes: ['local'] });
    expect(await node.sweep({ ttl_seconds: 0 }, local)).to.include({ scanned: 0, decayed: 0 });
  });
});
