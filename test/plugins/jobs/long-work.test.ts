import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { MOST_OPEN_TO_RESUME } from '../../../plugins/jobs/job-store.ts';
import { type JobHandler, JobQueue, type JobRequest, type JobRun } from '../../../plugins/jobs/jobs-api.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { createGate } from '../../kit/create-gate.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { placeTestStore, type TestStore } from '../../kit/test-store.ts';

const TYPE = 'test.long';
const LOOK_MS = 1_000;
const PAGES = 5;

const worker = (handler: JobHandler) =>
  defineOwnPlugin({
    name: 'worker',
    requires: { jobs: JobQueue },
    setup: ({ use }) => use.jobs.handle(TYPE, handler),
  });

/** Resolves when the run is interrupted. */
const untilAborted = ({ signal }: JobRun): Promise<never> =>
  new Promise((_, reject) => {
    const stop = () => reject(new Error('interrupted'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });

forEachStore('A long-running job', (kind) => {
  let folder: string;
  let place: TestStore;
  const nodes: TestNode[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'long-work-'));
    place = await placeTestStore(kind, folder);
  });
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.stop();
    await place.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (handler: JobHandler): Promise<TestNode> => {
    const random = createSeededRandom(nodes.length + 1);
    const node = await startTestNode({ plugins: ['keys', 'facts', 'jobs', worker(handler)], folder, random });
    nodes.push(node);
    await node.clock.advance(LOOK_MS);
    return node;
  };
  const enqueue = (node: TestNode, members: Partial<JobRequest> = {}) =>
    node.kernel.get(JobQueue).enqueue({ type: TYPE, tenantId: 'default', creator: 'agent:creator', ...members });
  const keyOf = (node: TestNode) => node.addKey({ entityUri: 'agent:creator' });
  const get = async (node: TestNode, key: string, id: string) =>
    (await node.request('GET', `/v1/jobs/${id}`, { key })).body;

  it('shows its progress and its speed, also after it has ended', async () => {
    let run: JobRun | undefined;
    const { passed: gate, open: release } = createGate();
    const node = await start({
      run: async (held) => {
        run = held;
        await gate;
        return {};
      },
    });
    const key = await keyOf(node);
    const id = await enqueue(node);
    await comesTrue(() => run !== undefined);
    expect(await get(node, key, id)).not.to.have.property('progress');
    await node.clock.advance(LOOK_MS);
    run?.progress({ done: 40, total: 100 });
    await comesTrue(async () => {
      await node.clock.advance(LOOK_MS);
      return (await get(node, key, id)).progress !== undefined;
    });
    const { progress } = await get(node, key, id);
    expect(progress).to.include({ done: 40, total: 100 });
    expect(progress.rate_per_s).to.be.above(0).and.at.most(40);
    run?.progress({ done: 100, total: 100 });
    release();
    await comesTrue(async () => (await get(node, key, id)).status === 'done');
    expect((await get(node, key, id)).progress).to.include({ done: 100, total: 100 });
  });

  it('logs a line every ten seconds while it makes progress', async () => {
    let run: JobRun | undefined;
    const node = await start({
      run: (held) => {
        run = held;
        return untilAborted(held);
      },
    });
    await enqueue(node);
    await comesTrue(() => run !== undefined);
    const lines = () => node.logLines.filter(({ message }) => message === 'a job goes on');
    for (const done of [3, 6]) {
      run?.progress({ done, total: null });
      await comesTrue(async () => {
        await node.clock.advance(LOOK_MS);
        return lines().some(({ fields }) => fields?.['done'] === done);
      });
    }
    expect(lines()).to.have.length(2);
  });

  it('continues from its checkpoint after its process has crashed', async () => {
    const pages: string[] = [];
    const read =
      (node: string, endsAfter: number): JobHandler['run'] =>
      async (run) => {
        for (let page = Number(run.resumedFrom?.['page'] ?? 0); page < PAGES; page += 1) {
          if (page === endsAfter) return untilAborted(run);
          await run.write(async (transaction) => {
            pages.push(`${node}${page}`);
            await run.checkpoint({ page: page + 1 }, transaction);
          });
          run.progress({ done: page + 1, total: PAGES });
        }
        return {};
      };
    const first = await start({ run: read('a', 2) });
    const id = await enqueue(first);
    await comesTrue(() => pages.length === 2);
    await first.stop();
    nodes.splice(0);
    const second = await start({ run: read('b', PAGES) });
    const key = await keyOf(second);
    await comesTrue(async () => (await get(second, key, id)).status === 'done');
    expect(pages).to.deep.equal(['a0', 'a1', 'b2', 'b3', 'b4']);
    expect((await get(second, key, id)).progress).to.include({ done: PAGES, total: PAGES });
  });

  it('stops in any process when its creator cancels it, and continues when it is resumed', async () => {
    const resumed: unknown[] = [];
    const handler: JobHandler = {
      run: async (run) => {
        resumed.push(run.resumedFrom);
        if (run.resumedFrom !== null) return {};
        await run.checkpoint({ page: 3 });
        return untilAborted(run);
      },
    };
    const busy = await start(handler);
    const id = await enqueue(busy);
    await comesTrue(async () => resumed.length === 1);
    const other = await startTestNode({ plugins: ['keys', 'facts', 'jobs'], folder, random: createSeededRandom(9) });
    nodes.push(other);
    const key = await keyOf(other);
    await comesTrue(async () => (await get(other, key, id)).status === 'running');
    const cancelled = await other.request('DELETE', `/v1/jobs/${id}`, { key });
    expect(cancelled.status).to.equal(204);
    expect(await get(other, key, id)).to.include({ status: 'failed', error: 'cancelled' });
    await comesTrue(async () => {
      await busy.clock.advance(LOOK_MS);
      return busy.logLines.some(({ message }) => message === 'a job was interrupted');
    });
    expect(await get(other, key, id)).to.include({ status: 'failed', error: 'cancelled' });
    const again = await other.request('DELETE', `/v1/jobs/${id}`, { key });
    expect([again.status, again.body.code]).to.deep.equal([409, 'conflict']);

    const back = await other.request('POST', `/v1/jobs/${id}/resume`, { key });
    expect([back.status, back.body.status]).to.deep.equal([202, 'pending']);
    await comesTrue(async () => {
      await busy.clock.advance(LOOK_MS);
      return (await get(other, key, id)).status === 'done';
    });
    expect(resumed).to.deep.equal([null, { page: 3 }]);
    expect((await other.request('POST', `/v1/jobs/${id}/resume`, { key })).status).to.equal(409);
  });

  it('never starts if it is cancelled while it waits', async () => {
    let runs = 0;
    const node = await start({
      run: async () => {
        runs += 1;
        return {};
      },
    });
    const key = await keyOf(node);
    const id = await enqueue(node, { delayMs: 60_000 });
    expect((await node.request('DELETE', `/v1/jobs/${id}`, { key })).status).to.equal(204);
    expect(await get(node, key, id)).not.to.have.property('started_at');
    for (let look = 0; look < 3; look += 1) await node.clock.advance(LOOK_MS);
    expect(runs).to.equal(0);
  });

  it('can be cancelled only by its creator and administrators who have the required permission', async () => {
    const node = await start({ run: untilAborted, steering: 'write' });
    const id = await enqueue(node, { delayMs: 60_000 });
    const reader = await node.addKey({ entityUri: 'agent:creator', permissions: ['read'] });
    const stranger = await node.addKey({ entityUri: 'agent:other' });
    const admin = await node.addKey({ entityUri: 'agent:admin', permissions: ['read', 'write', 'admin'] });
    const cancel = async (key: string) => (await node.request('DELETE', `/v1/jobs/${id}`, { key })).status;
    const resume = async (key: string) => (await node.request('POST', `/v1/jobs/${id}/resume`, { key })).status;
    expect([await cancel(stranger), await cancel(reader), await resume(admin)]).to.deep.equal([404, 403, 409]);
    expect(await cancel(admin)).to.equal(204);
    expect([await resume(stranger), await resume(reader), await resume(admin)]).to.deep.equal([404, 403, 202]);
  });

  it('can be neither cancelled nor resumed if its type forbids it', async () => {
    const node = await start({ run: untilAborted, steering: 'nobody' });
    const id = await enqueue(node, { delayMs: 60_000 });
    const admin = await node.addKey({ entityUri: 'agent:admin', permissions: ['read', 'admin'] });
    expect((await node.request('DELETE', `/v1/jobs/${id}`, { key: admin })).status).to.equal(409);
    expect((await node.request('POST', `/v1/jobs/${id}/resume`, { key: admin })).status).to.equal(409);
    expect((await get(node, admin, id)).status).to.equal('pending');
  });

  it('cannot be resumed while another job does the same work', async () => {
    const node = await start({ run: untilAborted });
    const key = await keyOf(node);
    const same: Partial<JobRequest> = { delayMs: 60_000, dedupe: { key: 'all', until: 'ended' } };
    const first = await enqueue(node, same);
    await node.request('DELETE', `/v1/jobs/${first}`, { key });
    const second = await enqueue(node, same);
    expect(second).not.to.equal(first);
    expect((await node.request('POST', `/v1/jobs/${first}/resume`, { key })).status).to.equal(409);
    await node.request('DELETE', `/v1/jobs/${second}`, { key });
    expect((await node.request('POST', `/v1/jobs/${first}/resume`, { key })).status).to.equal(202);
    expect(await enqueue(node, same)).to.equal(first);
  });

  it('appears page by page, newest first, in the lists of callers who may read it', async () => {
    const node = await start({ run: untilAborted });
    const [key, stranger] = [await keyOf(node), await node.addKey({ entityUri: 'agent:other' })];
    const admin = await node.addKey({ entityUri: 'agent:admin', permissions: ['read', 'admin'] });
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push(await enqueue(node, { delayMs: 60_000 }));
    await enqueue(node, { delayMs: 60_000, tenantId: 'elsewhere' });
    const foreign = await enqueue(node, { delayMs: 60_000, creator: 'agent:third' });
    const list = async (as: string, query = '') => (await node.request('GET', `/v1/jobs${query}`, { key: as })).body;
    const idsOf = (body: { jobs: { job_id: string }[] }) => body.jobs.map(({ job_id: id }) => id);
    const found: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await list(key, `?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(page.jobs.length).to.be.within(1, 2);
      found.push(...idsOf(page));
      cursor = page.cursor;
    }
    expect(found).to.have.length(5).and.to.have.members(ids);
    const times = (await list(key)).jobs.map(({ created_at: at }: { created_at: string }) => at);
    expect(times).to.deep.equal([...times].sort().reverse());
    expect(idsOf(await list(admin))).to.have.members([...ids, foreign]);
    expect(idsOf(await list(stranger))).to.deep.equal([]);
    await node.request('DELETE', `/v1/jobs/${ids[0]}`, { key });
    expect(idsOf(await list(key, '?status=failed'))).to.deep.equal([ids[0]]);
    expect(idsOf(await list(key, '?type=test.none'))).to.deep.equal([]);
  });

  it('has a limit on the open jobs of one caller and its programs', async () => {
    const node = await start({ run: untilAborted });
    const key = await keyOf(node);
    const asked: Partial<JobRequest> = { delayMs: 60_000, mostOpen: 2 };
    const [first] = [await enqueue(node, asked), await enqueue(node, asked)];
    const refusalOf = (members: Partial<JobRequest>): Promise<unknown> =>
      enqueue(node, { ...asked, ...members }).catch((error: unknown) => error);
    const refusal = { code: 'limit_reached', status: 409 };
    expect(await refusalOf({})).to.include(refusal);
    expect(await refusalOf({ creator: 'agent:program', holderUri: 'agent:creator' })).to.include(refusal);
    await node.request('DELETE', `/v1/jobs/${first}`, { key });
    await enqueue(node, asked);
    await enqueue(node, { ...asked, creator: 'agent:other' });
  });

  it('cannot be resumed beyond the limit on open jobs', async () => {
    const node = await start({ run: untilAborted });
    const key = await keyOf(node);
    const id = await enqueue(node, { delayMs: 60_000, mostOpen: 1 });
    await node.request('DELETE', `/v1/jobs/${id}`, { key });
    for (let n = 0; n < MOST_OPEN_TO_RESUME; n += 1) await enqueue(node, { delayMs: 60_000 });
    const refused = await node.request('POST', `/v1/jobs/${id}/resume`, { key });
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'limit_reached']);
  });
});
