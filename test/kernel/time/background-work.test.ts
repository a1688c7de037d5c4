import { expect } from 'chai';
import fc from 'fast-check';
import { BackgroundWork } from '../../../kernel/time/background-work.ts';
import { coalesce } from '../../../kernel/time/coalesce.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { rejection } from '../../kit/rejection.ts';

const turns = async (count = 10): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
};

/** Returns work that ends when the test resolves it. */
const openWork = () => {
  const open: { end(error?: Error): void }[] = [];
  let begun = 0;
  return {
    get begun() {
      return begun;
    },
    work: (): Promise<void> => {
      begun += 1;
      return new Promise((resolve, reject) => {
        open.push({ end: (error) => (error === undefined ? resolve() : reject(error)) });
      });
    },
    end: async (error?: Error): Promise<void> => {
      open.shift()?.end(error);
      await turns();
    },
  };
};

describe('work that many callers trigger', () => {
  it('starts at once, and runs once more for all calls during the run', async () => {
    const work = openWork();
    const run = coalesce(work.work);
    const ended: string[] = [];
    void run().then(() => ended.push('first'));
    void run().then(() => ended.push('second'));
    void run().then(() => ended.push('third'));
    expect(work.begun).to.equal(1);
    await work.end();
    expect([ended, work.begun]).to.deep.equal([['first'], 2]);
    await work.end();
    expect([ended, work.begun]).to.deep.equal([['first', 'second', 'third'], 2]);
    void run();
    expect(work.begun).to.equal(3);
  });

  it('rejects only for callers whose run failed', async () => {
    const work = openWork();
    const run = coalesce(work.work);
    const first = rejection(run());
    const second = run();
    await work.end(new Error('no'));
    await work.end();
    expect((await first).message).to.equal('no');
    await second;
  });

  it('never overlaps, and answers each call from a run that began after the call, in any order of events', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('ask', 'end', 'turn', 'fail'), { maxLength: 40 }), async (steps) => {
        const work = openWork();
        let running = 0;
        const run = coalesce(async () => {
          running += 1;
          expect(running).to.equal(1);
          await work.work().finally(() => {
            running -= 1;
          });
        });
        const calls: Promise<void>[] = [];
        for (const step of steps) {
          if (step === 'ask') {
            const before = work.begun;
            const check = (): void => expect(work.begun).to.be.above(before) as unknown as void;
            calls.push(run().then(check, check));
          } else if (step === 'turn') await Promise.resolve();
          else await work.end(step === 'fail' ? new Error('no') : undefined);
        }
        await work.end();
        await work.end();
        await Promise.all(calls);
      }),
      { numRuns: RUNS },
    );
  });
});

describe('background work', () => {
  it('pauses for the requested time, and then checks again by itself', async () => {
    const clock = createManualClock();
    let left = 3;
    const background = new BackgroundWork({
      clock,
      work: async (rest) => {
        left -= 1;
        if (left > 0) rest(1_000);
      },
      failed: () => expect.fail('nothing fails'),
    });
    void background.now();
    await turns();
    expect(left).to.equal(2);
    void background.now();
    await clock.advance(999);
    expect(left).to.equal(2);
    await clock.advance(1);
    expect(left).to.equal(1);
    await clock.advance(1_000);
    await clock.advance(10_000);
    expect([left, clock.pending]).to.deep.equal([0, 0]);
  });

  it('reports a failure, and retries after the pause for failures', async () => {
    const clock = createManualClock();
    const told: unknown[] = [];
    let runs = 0;
    const background = new BackgroundWork({
      clock,
      work: async () => {
        runs += 1;
        if (runs < 3) throw new Error(`failure ${runs}`);
      },
      failed: (error) => told.push((error as Error).message),
      retryMs: 5_000,
    });
    void background.now();
    await turns();
    await clock.advance(5_000);
    await turns();
    await clock.advance(5_000);
    expect([runs, told, clock.pending]).to.deep.equal([3, ['failure 1', 'failure 2'], 0]);
  });

  it('runs once at the earliest requested time', async () => {
    const clock = createManualClock();
    let runs = 0;
    const background = new BackgroundWork({
      clock,
      work: async () => {
        runs += 1;
      },
      failed: () => expect.fail('nothing fails'),
    });
    background.soon(300);
    background.soon(60);
    background.soon(200);
    await clock.advance(59);
    expect(runs).to.equal(0);
    await clock.advance(1);
    await clock.advance(1_000);
    expect([runs, clock.pending]).to.deep.equal([1, 0]);
  });

  it('stops after the current run, ends a pause early, and starts nothing afterwards', async () => {
    const clock = createManualClock();
    const work = openWork();
    const background = new BackgroundWork({
      clock,
      work: async (rest) => {
        rest(60_000);
        await work.work();
      },
      failed: () => expect.fail('nothing fails'),
    });
    void background.now();
    background.soon(10);
    let stopped = false;
    const stop = background.stop().then(() => {
      stopped = true;
    });
    await turns();
    expect(stopped).to.equal(false);
    await work.end();
    await stop;
    await background.now();
    background.soon(10);
    expect([work.begun, clock.pending]).to.deep.equal([1, 0]);

    const resting = new BackgroundWork({ clock, work: async (rest) => rest(60_000), failed: () => undefined });
    void resting.now();
    await turns();
    expect(clock.pending).to.equal(1);
    await resting.stop();
    expect(clock.pending).to.equal(0);
  });
});
