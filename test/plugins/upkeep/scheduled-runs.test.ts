import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { ServiceError } from '../../../kernel/plugin-api.ts';
import { type UpkeepRun, upkeepTasks } from '../../../plugins/upkeep/upkeep-api.ts';
import { createManualClock, type ManualClock } from '../../fakes/manual-clock.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { createGate } from '../../kit/create-gate.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 2, 2, 9);
/** Longer than the polls of the planner and of the jobs. */
const LOOKS_MS = 15_000;
/** Short, so that even a busy store renews a lease in time. */
const STEP_MS = 5_000;

/** A plugin with a task that records the times of its runs. */
const sweeper = (
  runs: string[],
  work: (run: UpkeepRun) => Promise<void> = async () => {},
  per: 'tenant' | 'node' = 'node',
) =>
  defineOwnPlugin({
    name: 'sweeper',
    setup({ on }) {
      on(upkeepTasks, () => ({
        name: 'sweep',
        summary: 'sweeps',
        per,
        async start(run) {
          await work(run);
          runs.push(`${run.tenantId} ${run.job.payload['due_ms']}`);
          return { swept: runs.length };
        },
      }));
    },
  });

forEachStore('Upkeep by a schedule', () => {
  let clock: ManualClock;
  let runs: string[];
  const nodes: TestNode[] = [];

  beforeEach(() => {
    clock = createManualClock(START_MS);
    runs = [];
  });
  afterEach(async () => {
    for (const node of nodes.splice(0).toReversed()) await node.stop();
  });

  const start = async (options: Parameters<typeof startTestNode>[0] = {}, schedule = 'sweep 0 3 * * *') => {
    const node = await startTestNode({
      clock,
      plugins: ['keys', 'facts', 'jobs', 'upkeep', sweeper(runs)],
      env: { SVC_UPKEEP_SCHEDULE: schedule },
      ...options,
    });
    nodes.push(node);
    return node;
  };
  const adminOf = (node: TestNode) => node.addKey({ entityUri: 'agent:ops', permissions: ['read', 'admin'] });
  const report = async (node: TestNode, key: string) => (await node.request('GET', '/v1/upkeep', { key })).body.tasks;
  const looks = (): Promise<void> => clock.advance(LOOKS_MS);
  /** Waits until a node has read the schedule, which starts at that moment. */
  const begins = (count = 1) =>
    comesTrue(async () => {
      await clock.advance(STEP_MS);
      const lines = nodes.flatMap(({ logLines }) => logLines);
      return lines.filter(({ message }) => message.startsWith('the schedule of a task')).length >= count;
    });
  /** Moves only the wall clock, so that timers do not run for the time in between. */
  const pass = (ms: number): void => clock.setNowMs(clock.nowMs() + ms);
  const hasRun = (times: number) =>
    comesTrue(async () => {
      await clock.advance(STEP_MS);
      return runs.length >= times;
    });

  it('runs a task once at each time, and reports the result', async () => {
    const node = await start();
    const key = await adminOf(node);
    await begins();
    expect(runs).to.deep.equal([]);
    pass(18 * HOUR_MS);
    await hasRun(1);
    const dueMs = Date.UTC(2026, 2, 3, 3);
    expect(runs).to.deep.equal([`default ${dueMs}`]);
    await comesTrue(async () => (await report(node, key))[0].runs[0]?.status === 'done');
    const [task] = await report(node, key);
    expect(task).to.deep.include({
      name: 'sweep',
      per: 'node',
      patterns: ['0 3 * * *'],
      next_at: '2026-03-04T03:00:00.000Z',
    });
    expect(task.runs[0]).to.deep.include({ due_at: '2026-03-03T03:00:00.000Z', status: 'done', result: { swept: 1 } });
    pass(DAY_MS);
    await hasRun(2);
    expect(runs).to.have.lengthOf(2);
  });

  it('runs a task once per scheduled time, however many processes share the store', async () => {
    const first = await start();
    for (const seed of [2, 3]) {
      const url = `http://localhost:${8765 + seed}`;
      await start({ folder: first.folder, random: createSeededRandom(seed), url });
    }
    await begins();
    pass(18 * HOUR_MS);
    await hasRun(1);
    for (let look = 0; look < 5; look += 1) await looks();
    expect(runs).to.have.lengthOf(1);
    pass(DAY_MS);
    await hasRun(2);
    for (let look = 0; look < 5; look += 1) await looks();
    expect(runs).to.have.lengthOf(2);
  });

  it('runs each scheduled time once, even when the clock jumps an hour back or forward', async () => {
    await start();
    await begins();
    pass(18 * HOUR_MS);
    await hasRun(1);
    clock.setNowMs(clock.nowMs() - HOUR_MS);
    for (let look = 0; look < 3; look += 1) await looks();
    pass(HOUR_MS);
    await looks();
    expect(runs).to.have.lengthOf(1);
    clock.setNowMs(Date.UTC(2026, 2, 4, 2, 59));
    await looks();
    clock.setNowMs(Date.UTC(2026, 2, 4, 3, 59));
    await hasRun(2);
    expect(runs).to.have.lengthOf(2);
  });

  it('goes on when a clock that was ahead is set back, without a second run for a time', async () => {
    await start({}, 'sweep 0 * * * *');
    await begins();
    pass(20 * HOUR_MS);
    await hasRun(1);
    pass(-20 * HOUR_MS);
    await begins(2);
    pass(HOUR_MS);
    await hasRun(2);
    expect(runs).to.deep.equal([20, 1].map((hours) => `default ${START_MS + hours * HOUR_MS}`));
    pass(18 * HOUR_MS);
    await hasRun(3);
    pass(HOUR_MS);
    for (let look = 0; look < 3; look += 1) await looks();
    expect(runs).to.have.lengthOf(3);
  });

  it('makes up once for missed runs of the last day while no node ran', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'upkeep-'));
    const schedule = 'sweep 0 * * * *';
    const stopAll = async () => {
      for (const node of nodes.splice(0)) await node.stop();
    };
    await start({ folder }, schedule);
    await begins();
    await stopAll();
    clock.setNowMs(START_MS + 5 * HOUR_MS + 60_000);
    await start({ folder }, schedule);
    await hasRun(1);
    for (let look = 0; look < 3; look += 1) await looks();
    expect(runs).to.deep.equal([`default ${START_MS + 5 * HOUR_MS}`]);
    await stopAll();
    // A changed pattern starts the schedule again.
    clock.setNowMs(START_MS + 10 * HOUR_MS);
    await start({ folder }, 'sweep 0 18 * * *');
    await begins();
    expect(runs).to.have.lengthOf(1);
    await stopAll();
    clock.setNowMs(START_MS + 3 * DAY_MS);
    await start({ folder }, 'sweep 0 18 * * *');
    await hasRun(2);
    expect(runs[1]).to.equal(`default ${Date.UTC(2026, 2, 4, 18)}`);
    await stopAll();
    await rm(folder, { recursive: true, force: true });
  });

  it('continues an interrupted run after a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'upkeep-'));
    const resumed: unknown[] = [];
    const halting = sweeper(runs, async ({ job }) => {
      if (job.resumedFrom === null) await job.checkpoint({ half: true });
      resumed.push(job.resumedFrom);
      if (job.resumedFrom !== null) return;
      // The signal of an interrupted run may already have aborted.
      if (!job.signal.aborted) await new Promise((resolve) => job.signal.addEventListener('abort', resolve));
      job.signal.throwIfAborted();
    });
    const plugins = ['keys', 'facts', 'jobs', 'upkeep', halting];
    const first = await start({ folder, plugins });
    await begins();
    pass(18 * HOUR_MS);
    await comesTrue(async () => {
      await clock.advance(STEP_MS);
      return resumed.length === 1;
    });
    nodes.splice(0);
    await first.stop();
    await start({ folder, plugins });
    await hasRun(1);
    expect(resumed).to.deep.equal([null, { half: true }]);
    expect(runs).to.have.lengthOf(1);
    for (const node of nodes.splice(0)) await node.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('stops the start for an invalid pattern and for a task of a disabled plugin, and names the task', async () => {
    const bad = await rejection(start({}, 'sweep 0 25 * * *'));
    expect(String(bad)).to.contain('sweep');
    const off = await rejection(start({}, 'sweep 0 3 * * *; lint 0 4 * * *'));
    expect(String(off)).to.contain('lint');
  });

  it('runs a task by hand for administrators, once for simultaneous requests', async () => {
    const { passed: gate, open: release } = createGate();
    const node = await start({ plugins: ['keys', 'facts', 'jobs', 'upkeep', sweeper(runs, () => gate)] }, '');
    const key = await adminOf(node);
    const run = (by = key, task = 'sweep') => node.request('POST', `/v1/upkeep/${task}/run`, { key: by });
    const first = await run();
    expect(first.status).to.equal(202);
    const again = await Promise.all(Array.from({ length: 5 }, () => run()));
    expect(new Set([first, ...again].map(({ body }) => body.job_id))).to.have.lengthOf(1);
    const only = await node.addKey({ entityUri: 'agent:ops', permissions: ['admin'] });
    expect((await run(only)).body.job_id).to.equal(first.body.job_id);
    expect((await node.request('GET', '/v1/upkeep', { key: only })).status).to.equal(200);
    release();
    await hasRun(1);
    expect((await run(key, 'nothing')).status).to.equal(404);
    const reader = await node.addKey({ entityUri: 'agent:reader' });
    expect((await run(reader)).status).to.equal(403);
    expect((await node.request('GET', '/v1/upkeep', { key: reader })).status).to.equal(403);
  });

  it('shows results only to administrators with all scopes, because they count facts of every scope', async () => {
    const node = await start({}, '');
    const key = await adminOf(node);
    const rights = { entityUri: 'agent:narrow', permissions: ['read', 'admin'], scopes: ['public'] } as const;
    const narrow = await node.addKey(rights);
    const { body } = await node.request('POST', '/v1/upkeep/sweep/run', { key });
    const jobOf = async (by: string) => (await node.request('GET', `/v1/jobs/${body.job_id}`, { key: by })).body;
    await comesTrue(async () => {
      await looks();
      return (await jobOf(key)).status === 'done';
    });
    const resultOf = async (by: string) => (await report(node, by))[0].runs[0];
    expect((await resultOf(key)).result).to.deep.equal({ swept: 1 });
    expect(await resultOf(narrow))
      .to.include({ status: 'done' })
      .and.not.to.have.property('result');
    expect(await jobOf(key)).to.include({ swept: 1 });
    expect(await jobOf(narrow))
      .to.include({ status: 'done' })
      .and.not.to.have.property('swept');
  });

  it('reports failed tasks', async () => {
    const failing = sweeper(runs, async () => {
      throw new ServiceError('conflict', 'the broom is missing');
    });
    const node = await start({ plugins: ['keys', 'facts', 'jobs', 'upkeep', failing] }, '');
    const key = await adminOf(node);
    await node.request('POST', '/v1/upkeep/sweep/run', { key });
    await comesTrue(async () => {
      await looks();
      return (await report(node, key))[0].runs[0].status === 'failed';
    });
    expect((await report(node, key))[0].runs[0].error).to.equal('the broom is missing');
  });
});
