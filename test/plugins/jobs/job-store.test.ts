import { expect } from 'chai';
import fc from 'fast-check';
import { LEASE_MS } from '../../../plugins/jobs/job-claims.ts';
import type { Job } from '../../../plugins/jobs/job-row.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { rejection } from '../../kit/rejection.ts';
import { KEEP_MS, type OpenJobStore, openJobStore } from './open-job-store.ts';

const TYPE = 'test.work';
const DAY_MS = 86_400_000;
const MAX_ATTEMPTS = 3;
const CREATOR = { tenantId: 'default', entityUri: 'agent:a', permissions: new Set<never>() };
const request = (members = {}) => ({ type: TYPE, tenantId: 'default', creator: 'agent:a', ...members });

forEachStore('the queue of jobs', (kind) => {
  let opened: OpenJobStore;
  beforeEach(async () => {
    opened = await openJobStore(kind);
  });
  afterEach(() => opened.close());

  const due = async () => (await opened.claims.due([TYPE], 10)).map(({ id }) => id);
  const get = (id: string) =>
    opened.store.read((snapshot) => opened.jobs.readableBy(CREATOR, id, snapshot)) as Promise<Job>;
  const claim = async (): Promise<Job> => {
    const [seen] = await opened.claims.due([TYPE], 1);
    return (await opened.claims.claim(seen as Job, MAX_ATTEMPTS)) as Job;
  };

  it('hands each due job to one worker, oldest first', async () => {
    const first = await opened.jobs.enqueue(request());
    opened.nowMs += 1;
    const second = await opened.jobs.enqueue(request({ tenantId: 'other' }));
    await opened.jobs.enqueue(request({ type: 'test.other' }));
    const later = await opened.jobs.enqueue(request({ delayMs: 5_000 }));
    expect(await due()).to.deep.equal([first, second]);
    const [seen] = await opened.claims.due([TYPE], 1);
    const claims = await Promise.all([1, 2, 3].map(() => opened.claims.claim(seen as Job, MAX_ATTEMPTS)));
    expect(claims.filter((one) => one !== undefined)).to.have.length(1);
    expect(await due()).to.deep.equal([second]);
    opened.nowMs += 5_000;
    expect(await due()).to.deep.equal([second, later]);
  });

  it('stores a job exactly when the transaction that adds it commits', async () => {
    const failed = opened.store.write('default', async (transaction) => {
      await opened.jobs.enqueue(request(), transaction);
      throw new Error('no');
    });
    await rejection(failed);
    expect(await due()).to.deep.equal([]);
    const id = await opened.store.write('default', (transaction) => opened.jobs.enqueue(request(), transaction));
    expect(await due()).to.deep.equal([id]);
  });

  it('resets the count of attempts after each new checkpoint', async () => {
    const id = await opened.jobs.enqueue(request());
    const fails = async (held: Job) => opened.claims.setBack(held, { kind: 'again', delayMs: 0, counts: true });
    await fails(await claim());
    const further = await claim();
    expect(further.attempts).to.equal(2);
    expect(await opened.claims.checkpoint(further, { page: 1 })).to.equal(1);
    await fails(further);
    const noFurther = await claim();
    expect(noFurther).to.deep.include({ attempts: 2, checkpoint: { page: 1 } });
    expect(await opened.claims.checkpoint(noFurther, { page: 1 })).to.equal(2);
    await fails(noFurther);
    await fails(await claim());
    expect(await claim()).to.equal(undefined);
    expect((await get(id)).status).to.equal('failed');
    expect(await rejection(opened.claims.checkpoint(noFurther, { page: 2 }))).to.include({ status: 503 });
  });

  it('merges ten requests with one key into one run, until the job has started, ended or been removed', async () => {
    for (const until of ['started', 'ended', 'removed'] as const) {
      const trigger = () => opened.jobs.enqueue(request({ dedupe: { key: until, until } }));
      const ids = await Promise.all(Array.from({ length: 10 }, trigger));
      expect(new Set(ids).size).to.equal(1);
      const held = await claim();
      const whileRunning = (await trigger()) === ids[0];
      await opened.claims.settle(held, {});
      const afterwards = (await trigger()) === ids[0];
      opened.nowMs += KEEP_MS;
      await opened.jobs.removeOld(10);
      const finally_ = (await trigger()) === ids[0];
      const expected = { started: [false, false, false], ended: [true, false, false], removed: [true, true, false] };
      expect([whileRunning, afterwards, finally_], until).to.deep.equal(expected[until]);
      while ((await due()).length > 0) await opened.claims.settle(await claim(), {});
    }
  });

  it('separates equal keys of different tenants and types', async () => {
    const dedupe = { key: 'k' };
    const ids = [
      await opened.jobs.enqueue(request({ dedupe })),
      await opened.jobs.enqueue(request({ dedupe, tenantId: 'other' })),
      await opened.jobs.enqueue(request({ dedupe, type: 'test.other' })),
    ];
    expect(new Set(ids).size).to.equal(3);
  });

  it('extends a renewed claim, and gives a job to another process after an expired claim', async () => {
    await opened.jobs.enqueue(request());
    const held = await claim();
    opened.nowMs += LEASE_MS - 1;
    expect(await opened.claims.renew(held)).to.equal(true);
    opened.nowMs += LEASE_MS - 1;
    expect(await due()).to.deep.equal([]);
    opened.nowMs += 1;
    const other = await claim();
    expect(other.fence).to.equal(held.fence + 1);
    expect(await opened.claims.renew(held)).to.equal(false);
  });

  it('loses no job to a clock that was ahead and is set back, whether it waits, runs or is tried again', async () => {
    const tried = await opened.jobs.enqueue(request());
    opened.nowMs += DAY_MS;
    await opened.claims.setBack(await claim(), { kind: 'again', delayMs: 1_000, counts: false });
    const running = await opened.jobs.enqueue(request());
    await claim();
    const waiting = await opened.jobs.enqueue(request());
    await opened.jobs.enqueue(request({ delayMs: DAY_MS }));
    opened.nowMs -= DAY_MS;
    expect(await due()).to.have.members([tried, running, waiting]);
  });

  it('leaves a job with its worker when the clock is set back a little', async () => {
    await opened.jobs.enqueue(request());
    await claim();
    opened.nowMs -= LEASE_MS;
    expect(await due()).to.deep.equal([]);
  });

  it('refuses every write of a worker that has lost its claim', async () => {
    const id = await opened.jobs.enqueue(request());
    const paused = await claim();
    opened.nowMs += LEASE_MS;
    await opened.claims.settle(await claim(), { by: 'the second' });
    const attempts = [
      () => opened.claims.write(paused, async () => expect.fail('must not be called')),
      () => opened.store.write('default', (transaction) => opened.claims.assertHeld(paused, transaction)),
      () =>
        opened.store.write('default', (transaction) => opened.claims.finish(paused, { by: 'the first' }, transaction)),
    ];
    for (const attempt of attempts) expect(await rejection(attempt())).to.include({ code: 'unavailable' });
    await opened.claims.settle(paused, { by: 'the first' });
    await opened.claims.setBack(paused, { kind: 'fail', error: 'the first' });
    await opened.claims.setBack(paused, { kind: 'again', delayMs: 0, counts: true });
    const { status, result, error } = await get(id);
    expect({ status, result, error }).to.deep.equal({ status: 'done', result: { by: 'the second' }, error: null });
  });

  it('fails a job after its workers were interrupted at every attempt', async () => {
    const id = await opened.jobs.enqueue(request());
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      expect((await claim()).attempts).to.equal(attempt);
      opened.nowMs += LEASE_MS;
    }
    expect(await claim()).to.equal(undefined);
    expect(await get(id)).to.deep.include({
      status: 'failed',
      error: 'the work was interrupted each time it was tried',
    });
    expect(await due()).to.deep.equal([]);
  });

  it('removes only ended jobs whose retention is over', async () => {
    const done = await opened.jobs.enqueue(request());
    await opened.claims.settle(await claim(), {});
    const waiting = await opened.jobs.enqueue(request());
    opened.nowMs += KEEP_MS - 1;
    await opened.jobs.removeOld(10);
    expect(await get(done)).not.to.equal(undefined);
    opened.nowMs += 1;
    await opened.jobs.removeOld(10);
    expect(await get(done)).to.equal(undefined);
    expect(await get(waiting)).not.to.equal(undefined);
  });

  it('never lets two workers both commit a result, however long they pause', async () => {
    const step = fc.record({
      worker: fc.nat({ max: 2 }),
      does: fc.constantFrom('claim', 'renew', 'write', 'finish', 'fail', 'again'),
      pauseMs: fc.constantFrom(0, 1, 9_999, LEASE_MS / 2, LEASE_MS, 3 * LEASE_MS),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
        const id = await opened.jobs.enqueue(request());
        const held = new Map<number, Job>();
        const ends: string[] = [];
        let lastClaimer: number | undefined;
        for (const { worker, does, pauseMs } of steps) {
          opened.nowMs += pauseMs;
          const job = held.get(worker);
          if (does === 'claim') {
            const seen = (await opened.claims.due([TYPE], 5)).find((one) => one.id === id);
            const claimed = seen && (await opened.claims.claim(seen, 1_000));
            if (claimed === undefined) continue;
            held.set(worker, claimed);
            lastClaimer = worker;
          } else if (job !== undefined) {
            const holds = lastClaimer === worker && ends.length === 0 && (await get(id)).status === 'running';
            const ended = await act(does, job);
            expect(ended, `${does} by ${holds ? 'the holder' : 'another'}`).to.equal(holds);
            if (ended && (does === 'finish' || does === 'fail')) ends.push(`${does} ${worker}`);
          }
        }
        expect(ends.length).to.be.at.most(1);
        const { status, result } = await get(id);
        if (ends[0]?.startsWith('finish'))
          expect([status, result]).to.deep.equal(['done', { by: held.get(Number(ends[0].at(-1)))?.fence }]);
        await opened.tables('jobs_queue').where({ job_id: id }).delete();
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    );
  });

  /** Performs the action as the holder of the claim, and returns whether it had an effect. */
  const act = async (does: string, job: Job): Promise<boolean> => {
    const before = await get(job.id);
    const run = (): Promise<unknown> => {
      if (does === 'renew') return opened.claims.renew(job).then((kept) => kept || Promise.reject(new Error('lost')));
      if (does === 'write') return opened.claims.write(job, async () => {});
      if (does === 'finish') {
        return opened.claims.write(job, (transaction) => opened.claims.finish(job, { by: job.fence }, transaction));
      }
      return opened.claims.setBack(
        job,
        does === 'fail' ? { kind: 'fail', error: 'no' } : { kind: 'again', delayMs: 0, counts: true },
      );
    };
    const succeeded = await run().then(
      () => true,
      () => false,
    );
    if (does !== 'fail' && does !== 'again') return succeeded;
    return before.status !== (await get(job.id)).status;
  };
});
