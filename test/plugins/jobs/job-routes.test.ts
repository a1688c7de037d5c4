import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { type JobHandler, JobQueue, type JobRequest } from '../../../plugins/jobs/jobs-api.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { createGate } from '../../kit/create-gate.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { placeTestStore } from '../../kit/test-store.ts';

const TYPE = 'test.report';

/** A plugin that does its work in jobs. */
const reporter = (handler: JobHandler) =>
  defineOwnPlugin({
    name: 'reporter',
    requires: { jobs: JobQueue },
    setup: ({ use }) => use.jobs.handle(TYPE, handler),
  });

const request = (members: Partial<JobRequest> = {}): JobRequest => ({
  type: TYPE,
  tenantId: 'default',
  creator: 'agent:creator',
  scope: 'company',
  estimatedSeconds: 7,
  ...members,
});

/** The interval of the poll for jobs, which begins with the start of the node. */
const FIRST_LOOK_MS = 1_000;

forEachStore('GET /v1/jobs/{id}', () => {
  let node: TestNode;
  let creator: string;
  const present: JobHandler['present'] = async (result, reader) => {
    const facts = await reader.visible(result['fact_ids'] as string[]);
    return { findings: facts.map(({ id }) => id), job_id: 'must not be replaced' };
  };

  const start = async (handler: JobHandler): Promise<void> => {
    node = await startTestNode({ plugins: ['keys', 'facts', 'jobs', reporter(handler)] });
    creator = await node.addKey({ entityUri: 'agent:creator' });
    await node.clock.advance(FIRST_LOOK_MS);
  };
  afterEach(() => node.stop());

  const enqueue = (members: Partial<JobRequest> = {}) => node.kernel.get(JobQueue).enqueue(request(members));
  const get = (id: string, key = creator) => node.request('GET', `/v1/jobs/${id}`, { key });
  const ends = (id: string) => comesTrue(async () => (await get(id)).body.completed_at !== undefined);
  const aFact = async (scope: string): Promise<string> => {
    const body = { entity: 'user:a', relation: 'rel:x', value: { type: 'null' }, source: 'agent:s', scope };
    return (await node.request('POST', '/v1/facts', { key: creator, body })).body.id;
  };

  it('shows the state of a job from its creation to its end', async () => {
    const { passed: gate, open: release } = createGate();
    await start({
      run: async () => {
        await gate;
        return { fact_ids: [] };
      },
      present,
    });
    const later = await enqueue({ delayMs: 3_600_000 });
    const pending = (await get(later)).body;
    expect(pending).to.have.keys(['job_id', 'job_type', 'status', 'scope', 'estimated_s', 'created_at']);
    expect(pending).to.deep.include({
      job_id: later,
      job_type: TYPE,
      status: 'pending',
      scope: 'company',
      estimated_s: 7,
    });
    const id = await enqueue();
    await comesTrue(async () => (await get(id)).body.status === 'running');
    expect((await get(id)).body.started_at).to.match(/^\d{4}-.*Z$/);
    release();
    await ends(id);
    const { status, body } = await get(id);
    expect(status).to.equal(200);
    expect(body).to.deep.include({ job_id: id, status: 'done', findings: [] });
    expect(body).not.to.have.any.keys('fact_ids', 'error');
  });

  it('shows a job to its creator and to administrators, and replies 404 to all others', async () => {
    await start({ run: async () => ({ found: 'not presented' }) });
    const id = await enqueue();
    await ends(id);
    const admin = await node.addKey({ entityUri: 'agent:admin', permissions: ['read', 'admin'] });
    const other = await node.addKey({ entityUri: 'agent:other' });
    const writer = await node.addKey({ entityUri: 'agent:creator', permissions: ['write'] });
    const seen = await get(id, admin);
    expect(seen.status).to.equal(200);
    expect(seen.text).not.to.contain('found');
    expect((await get(id, writer)).status).to.equal(403);
    const [foreign, unknown] = [await get(id, other), await get('00000000-0000-4000-8000-000000000000', other)];
    expect([foreign.status, foreign.body.code]).to.deep.equal([404, 'lookup']);
    expect(foreign.body.detail).to.equal(unknown.body.detail);
    const elsewhere = await enqueue({ tenantId: 'other' });
    expect((await get(elsewhere, admin)).status).to.equal(404);
  });

  it('shows the part of a result that the reader may see now, or nothing if the plugin does not filter it', async () => {
    await start({ run: async ({ payload }) => payload, present });
    const factIds = [await aFact('team'), await aFact('public')];
    const id = await enqueue({ payload: { fact_ids: factIds } });
    await ends(id);
    expect((await get(id)).body.findings).to.have.members(factIds);
    const narrow = await node.addKey({ entityUri: 'agent:creator', scopes: ['public'] });
    const { body } = await get(id, narrow);
    expect(body.findings).to.deep.equal([factIds[1]]);
    expect(body.job_id).to.equal(id);
  });

  it('hides the error message of a bug', async () => {
    await start({
      run: async () => {
        throw new Error('secret detail');
      },
    });
    const id = await enqueue();
    await comesTrue(() => node.logLines.some(({ level }) => level === 'warn'));
    expect((await get(id)).text).not.to.contain('secret');
  });
});

forEachStore('jobs and restarts', (kind) => {
  it('completes a job after the process that created it has stopped', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'jobs-'));
    const place = await placeTestStore(kind, folder);
    const done: string[] = [];
    const stuck: JobHandler = {
      run: ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('stopped')));
        }),
    };
    const quick: JobHandler = {
      run: async ({ id }) => {
        done.push(id);
        return undefined;
      },
    };
    try {
      const ids: string[] = [];
      for (const [life, handler] of [stuck, quick].entries()) {
        const random = createSeededRandom(life + 1);
        const node = await startTestNode({ plugins: ['jobs', reporter(handler)], folder, random });
        if (life === 0) for (let n = 0; n < 3; n += 1) ids.push(await node.kernel.get(JobQueue).enqueue(request()));
        await node.clock.advance(FIRST_LOOK_MS);
        if (life === 1) await comesTrue(() => done.length === ids.length);
        await node.stop();
        expect(node.clock.pending, 'timers left').to.equal(0);
      }
      expect(done).to.have.members(ids);
    } finally {
      await place.remove();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('lets another process run the job if it has the handler, and signals it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'jobs-'));
    const place = await placeTestStore(kind, folder);
    const done: string[] = [];
    const handler: JobHandler = {
      run: async ({ id }) => {
        done.push(id);
        return undefined;
      },
    };
    const asker = await startTestNode({ plugins: ['jobs'], folder });
    const worker = await startTestNode({ plugins: ['jobs', reporter(handler)], folder, random: createSeededRandom(2) });
    try {
      await worker.clock.advance(FIRST_LOOK_MS);
      await asker.clock.advance(FIRST_LOOK_MS);
      const id = await asker.kernel.get(JobQueue).enqueue(request());
      await comesTrue(() => done.includes(id));
    } finally {
      await asker.stop();
      await worker.stop();
      await place.remove();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
