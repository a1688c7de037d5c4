import { expect } from 'chai';
import { ServiceError } from '../../../kernel/plugin-api.ts';
import { createTelemetry } from '../../../kernel/telemetry/create-telemetry.ts';
import { LEASE_MS } from '../../../plugins/jobs/job-claims.ts';
import type { Job } from '../../../plugins/jobs/job-row.ts';
import { FIRST_RETRY_MS, HEARTBEAT_MS, JobRunner, STOP_GRACE_MS } from '../../../plugins/jobs/job-runner.ts';
import { JobTelemetry } from '../../../plugins/jobs/job-telemetry.ts';
import type { JobHandler, JobRun } from '../../../plugins/jobs/jobs-api.ts';
import { createManualClock, type ManualClock } from '../../fakes/manual-clock.ts';
import { createMemoryLogger, type LogLine } from '../../fakes/memory-logger.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { createGate } from '../../kit/create-gate.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { type OpenJobStore, openJobStore } from './open-job-store.ts';

const measured = new JobTelemetry(createTelemetry());
const TYPE = 'test.work';
const CREATOR = { tenantId: 'default', entityUri: 'agent:a', permissions: new Set<never>() };
const request = (members = {}) => ({ type: TYPE, tenantId: 'default', creator: 'agent:a', ...members });

forEachStore('a worker of jobs', (kind) => {
  let opened: OpenJobStore;
  let clock: ManualClock;
  let lines: LogLine[];
  let runner: JobRunner;
  beforeEach(async () => {
    opened = await openJobStore(kind);
    clock = createManualClock();
    lines = [];
    runner = startRunner();
  });
  afterEach(async () => {
    await runner.stop();
    expect(clock.pending, 'timers left').to.equal(0);
    await opened.close();
  });

  const startRunner = (): JobRunner => {
    const parts = {
      claims: opened.claims,
      measured,
      clock,
      log: createMemoryLogger(lines),
      concurrency: 2,
      maxAttempts: 3,
    };
    const started = new JobRunner(parts);
    started.begin();
    return started;
  };
  const get = (id: string) =>
    opened.store.read((snapshot) => opened.jobs.readableBy(CREATOR, id, snapshot)) as Promise<Job>;
  const reaches = (id: string, status: Job['status']) => comesTrue(async () => (await get(id)).status === status);
  const handle = (run: JobHandler['run'], on = runner) => on.handle(TYPE, { run });

  it('runs no job before the node has started', async () => {
    const waiting = new JobRunner({
      claims: opened.claims,
      measured,
      clock,
      log: createMemoryLogger([]),
      concurrency: 1,
      maxAttempts: 1,
    });
    handle(() => expect.fail('must not run'), waiting);
    const id = await opened.jobs.enqueue(request());
    await waiting.look();
    expect((await get(id)).status).to.equal('pending');
  });

  it('retries a failed job with growing pauses, and fails it after the last attempt', async () => {
    const attempts: number[] = [];
    handle(async ({ attempt }) => {
      attempts.push(attempt);
      throw new Error(`secret ${attempt}`);
    });
    const id = await opened.jobs.enqueue(request());
    await runner.look();
    await comesTrue(async () => attempts.length === 1 && (await get(id)).status === 'pending');
    for (const [failed, pauseMs] of [FIRST_RETRY_MS, 2 * FIRST_RETRY_MS].entries()) {
      opened.nowMs += pauseMs - 1;
      await runner.look();
      expect(attempts).to.have.length(failed + 1);
      opened.nowMs += 1;
      await runner.look();
      await comesTrue(async () => attempts.length === failed + 2 && (await get(id)).status !== 'running');
    }
    expect(attempts).to.deep.equal([1, 2, 3]);
    const { status, error } = await get(id);
    expect({ status, error }).to.deep.equal({
      status: 'failed',
      error: 'an internal error; the log of the node says more',
    });
    expect(lines.map(({ level }) => level)).to.deep.equal(['warn', 'warn', 'warn']);
  });

  it('does not retry a job after an error of the caller, and shows the error message', async () => {
    handle(async () => {
      throw new ServiceError('validation', 'there is no such scope');
    });
    const id = await opened.jobs.enqueue(request());
    await runner.look();
    await reaches(id, 'failed');
    expect(await get(id)).to.deep.include({ attempts: 1, error: 'there is no such scope' });
  });

  it('renews its claim while the job runs, and respects the limit of concurrent jobs', async () => {
    const { passed: gate, open: release } = createGate();
    const running: string[] = [];
    handle(async ({ id }) => {
      running.push(id);
      await gate;
      return { id };
    });
    const ids = [];
    for (let n = 0; n < 3; n += 1) ids.push(await opened.jobs.enqueue(request()));
    await runner.look();
    await comesTrue(() => running.length === 2);
    for (let beat = 1; beat <= 2 * (LEASE_MS / HEARTBEAT_MS); beat += 1) {
      const [before] = await Promise.all(running.map(get));
      opened.nowMs += HEARTBEAT_MS;
      await clock.advance(HEARTBEAT_MS);
      await comesTrue(async () => (await get(running[0] as string)).dueMs > (before as Job).dueMs);
      await comesTrue(async () => (await get(running[1] as string)).dueMs > opened.nowMs);
    }
    expect(running).to.have.length(2);
    release();
    for (const id of ids) await reaches(id, 'done');
    expect(running).to.have.length(3);
    expect(await Promise.all(ids.map(async (id) => (await get(id)).attempts))).to.deep.equal([1, 1, 1]);
  });

  it('interrupts a run that paused beyond its lease, and counts the work once', async () => {
    const runs: JobRun[] = [];
    const { passed: gate, open: release } = createGate();
    let effects = 0;
    const work = async (run: JobRun): Promise<undefined> => {
      runs.push(run);
      if (runs.length === 1) await gate;
      await run.write(async (transaction) => {
        effects += 1;
        await run.finish(transaction, { by: run.attempt });
      });
    };
    handle(work);
    const other = startRunner();
    handle(work, other);
    const id = await opened.jobs.enqueue(request());
    await runner.look();
    await comesTrue(() => runs.length === 1);
    opened.nowMs += LEASE_MS;
    await other.look();
    await reaches(id, 'done');
    await clock.advance(HEARTBEAT_MS);
    await comesTrue(() => runs[0]?.signal.aborted === true);
    release();
    await runner.stop();
    await other.stop();
    expect(effects).to.equal(1);
    expect(await get(id)).to.deep.include({ status: 'done', result: { by: 2 }, error: null });
  });

  it('ends a job in the transaction of its writes, which are rolled back after a failure', async () => {
    handle(async (run) => {
      const failing = run.write(async (transaction) => {
        await run.finish(transaction, { half: true });
        throw new ServiceError('conflict', 'not after all');
      });
      throw await rejection(failing);
    });
    const id = await opened.jobs.enqueue(request());
    await runner.look();
    await reaches(id, 'failed');
    expect(await get(id)).to.deep.include({ result: null, error: 'not after all' });
  });

  it('returns unfinished jobs to the queue when the node stops, without counting the attempt', async () => {
    handle(
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('stopped')));
        }),
    );
    const id = await opened.jobs.enqueue(request());
    await runner.look();
    await reaches(id, 'running');
    await runner.stop();
    expect(await get(id)).to.deep.include({ status: 'pending', attempts: 0 });
    const next = startRunner();
    handle(async () => ({ by: 'the next' }), next);
    await next.look();
    await reaches(id, 'done');
    await next.stop();
  });

  it('does not wait for ever for a handler that ignores its signal', async () => {
    handle(() => new Promise(() => {}));
    const id = await opened.jobs.enqueue(request());
    await runner.look();
    await reaches(id, 'running');
    let stopped = false;
    const stop = runner.stop().then(() => {
      stopped = true;
    });
    await comesTrue(() => clock.pending > 1);
    await clock.advance(STOP_GRACE_MS - 1);
    expect(stopped).to.equal(false);
    await clock.advance(1);
    await stop;
    expect((await get(id)).status).to.equal('running');
  });
});
