import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { type LintedNode, type ListedFinding, startLintedNode } from './linted-node.ts';

const FIRST_LOOK_MS = 1_000;
/** Facts between two checkpoints of a job, and enough facts for a checkpoint long before the end. */
const CHECKPOINT = 5_000;
const MANY = 9_000;
/** Entities with two contradictory facts. */
const PAIRS = 60;
const BATCH = 500;

const sayMany = async ({ node, key }: LintedNode, count: number): Promise<void> => {
  const own = { relation: 'memory:role', source: 'agent:a', scope: 'company', value: { type: 'string', v: 'one' } };
  const bodies = Array.from({ length: count - PAIRS }, (_, n) => ({ ...own, entity: `user:${n}` }));
  const step = Math.floor(bodies.length / PAIRS);
  const rivals = Array.from({ length: PAIRS }, (_, n) => ({
    ...own,
    entity: `user:${n * step}`,
    value: { type: 'string', v: 'two' },
  }));
  const all = [...bodies, ...rivals];
  for (let at = 0; at < all.length; at += BATCH) {
    const reply = await node.request('POST', '/v1/facts/batch', { key, body: all.slice(at, at + BATCH) });
    expect(reply.status).to.equal(200);
  }
};

forEachStore('Lint of many facts', () => {
  let at: LintedNode;
  beforeEach(async () => {
    at = await startLintedNode({ env: { SVC_ASYNC_JOB_THRESHOLD: '3' } });
    await at.node.clock.advance(FIRST_LOOK_MS);
  });
  afterEach(() => at.node.stop());

  const job = (id: string, key = at.key, path = '/v1/lint/jobs') => at.node.request('GET', `${path}/${id}`, { key });
  const done = async (id: string) => {
    await comesTrue(async () => {
      await at.node.clock.advance(FIRST_LOOK_MS);
      return (await job(id)).body.status === 'done';
    });
    return (await job(id)).body;
  };
  /** Asserts one fact more than the threshold, with findings for each check. */
  const sayAll = async (): Promise<void> => {
    await at.say({});
    await at.say({ value: { type: 'string', v: 'two' } });
    await at.say({ entity: 'user:b', valid_until: at.inHours(-1) });
    await at.say({ entity: 'user:c', relation: 'role', value: { type: 'ref', v: 'user:none' } });
  };

  it('runs as a job above the threshold, and at once below it or with a filter', async () => {
    await sayAll();
    const accepted = await at.lint();
    expect(accepted.status).to.equal(202);
    expect(accepted.body).to.deep.include({ status: 'pending' });
    const report = await done(accepted.body.job_id);
    expect(report).to.deep.include({ job_type: 'lint.run', scope: 'company', fact_count: 4 });
    expect(report.findings.map(({ check }: ListedFinding) => check)).to.deep.equal([
      'contradiction',
      'stale',
      'orphan',
      'broken_ref',
      'namespacing',
    ]);
    expect(report.progress).to.include({ done: 4, total: 4 });
    expect((await job(accepted.body.job_id, at.key, '/v1/jobs')).body).to.deep.equal(report);
    expect((await at.lint({ scope: 'company', entity: 'user:a' })).status).to.equal(200);
    expect((await at.lint({ scope: 'team' })).status).to.equal(200);
  });

  it('counts only visible facts when it decides whether to run as a job', async () => {
    const other = await at.node.addKey({ entityUri: 'agent:team', scopes: ['team'] });
    await sayAll();
    expect((await at.lint({ scope: 'all' }, other)).status).to.equal(200);
  });

  it('is one job for simultaneous equal requests, and another job for another caller', async () => {
    await sayAll();
    const replies = await Promise.all(Array.from({ length: 100 }, () => at.lint()));
    expect(new Set(replies.map(({ body }) => body.job_id))).to.have.lengthOf(1);
    const other = await at.node.addKey({ entityUri: 'agent:b' });
    expect((await at.lint(undefined, other)).body.job_id).to.not.equal(replies[0]?.body.job_id);
    expect((await job(replies[0]?.body.job_id, other)).status).to.equal(404);
    await done(replies[0]?.body.job_id);
  });

  it('resumes from a checkpoint after a crash, and reports each finding once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lint-'));
    const random = createSeededRandom(7);
    const first = await startLintedNode({ folder, random, env: { SVC_ASYNC_JOB_THRESHOLD: '3' } });
    let second: LintedNode | undefined;
    try {
      await sayMany(first, MANY);
      const id = (await first.lint({ scope: 'company', checks: ['stale', 'contradiction'] })).body.job_id;
      const shown = () => first.node.request('GET', `/v1/jobs/${id}`, { key: first.key });
      await comesTrue(async () => {
        await first.node.clock.advance(FIRST_LOOK_MS);
        return Number((await shown()).body.progress?.done) > CHECKPOINT;
      });
      expect((await shown()).body.status).to.equal('running');
      await first.node.stop();
      second = await startLintedNode({
        folder,
        random,
        clock: first.node.clock,
        env: { SVC_ASYNC_JOB_THRESHOLD: '3' },
      });
      const again = second;
      // A restarted run would count this fact, which precedes all others.
      await again.say({ entity: 'user:!' });
      let report: Record<string, unknown> = {};
      await comesTrue(async () => {
        await again.node.clock.advance(FIRST_LOOK_MS);
        report = (await again.node.request('GET', `/v1/jobs/${id}`, { key: first.key })).body;
        return report['status'] === 'done';
      });
      expect(report).to.deep.include({ fact_count: MANY });
      const findings = report['findings'] as readonly ListedFinding[];
      expect(findings.filter(({ check }) => check === 'contradiction')).to.have.lengthOf(PAIRS);
      expect(new Set(findings.map(({ entity }) => entity)).size).to.equal(PAIRS);
    } finally {
      await first.node.stop();
      await second?.node.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('shows each reader only findings about visible facts', async () => {
    await sayAll();
    await at.say({ entity: 'user:t', relation: 'role', scope: 'team' });
    const { job_id: id } = (await at.lint({ scope: 'all' })).body;
    await done(id);
    const narrow = await at.node.addKey({
      entityUri: 'agent:narrow',
      permissions: ['read', 'admin'],
      scopes: ['team'],
    });
    const shown = (await job(id, narrow)).body;
    expect(shown.findings.map(({ entity }: ListedFinding) => entity)).to.deep.equal(['user:t']);
    expect(shown).to.not.have.any.keys('fact_count', 'progress');
    expect((await job(id, at.admin)).body)
      .to.deep.include({ fact_count: 5 })
      .and.to.have.property('progress');
  });

  it('hides its counts from readers with fewer gardens than the creator, such as the same agent without admin', async () => {
    await sayAll();
    const permissions = ['read', 'write', 'admin'];
    const asAdmin = await at.node.addKey({ entityUri: 'agent:a', permissions });
    const { job_id: id } = (await at.lint({ scope: 'all' }, asAdmin)).body;
    await comesTrue(async () => {
      await at.node.clock.advance(FIRST_LOOK_MS);
      return (await job(id, asAdmin)).body.status === 'done';
    });
    expect((await job(id, asAdmin)).body).to.include({ fact_count: 4 });
    const plain = (await job(id)).body;
    expect(plain).to.not.have.any.keys('fact_count', 'progress');
    expect(plain.findings).to.have.lengthOf(5);
  });

  it('hides its counts from its creator who has left a counted garden (I13)', async () => {
    await sayAll();
    const members = '/v1/gardens/herbs/members';
    const { node, admin } = at;
    await node.request('POST', '/v1/gardens', { key: admin, body: { slug: 'herbs', name: 'Herbs' } });
    await node.request('POST', members, { key: admin, body: { entity_uri: 'agent:a', role: 'writer' } });
    await at.say({ entity: 'user:h', garden_id: 'herbs' });
    const { job_id: id } = (await at.lint({ scope: 'all' })).body;
    expect(await done(id))
      .to.include({ fact_count: 5 })
      .and.to.have.property('progress');
    await node.request('DELETE', `${members}/agent:a`, { key: admin });
    expect((await job(id)).body).to.not.have.any.keys('fact_count', 'progress');
  });

  it('accepts requests and names of any length', async () => {
    const longest = await at.node.addKey({ entityUri: `agent:${'"'.repeat(2_000)}` });
    await sayAll();
    const checks = Array.from({ length: 100 }, () => 'contradiction');
    expect((await at.lint({ scope: 'company', checks }, longest)).status).to.equal(202);
  });
});
