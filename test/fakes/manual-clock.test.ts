import { expect } from 'chai';
import { describeClock } from '../contract/clock-contract.ts';
import { createManualClock } from './manual-clock.ts';

describeClock('the manual clock', () => {
  const clock = createManualClock();
  return { clock, pass: (ms) => clock.advance(ms) };
});

describe('the manual clock', () => {
  it('does not advance by itself', async () => {
    const clock = createManualClock(1_000_000);
    expect([clock.nowMs(), clock.monotonicMs()]).to.deep.equal([1_000_000, 0]);
    await clock.advance(250);
    expect([clock.nowMs(), clock.monotonicMs()]).to.deep.equal([1_000_250, 250]);
  });

  it('can set the wall time alone, without running a task', async () => {
    const clock = createManualClock();
    let ran = false;
    clock.schedule(10, () => {
      ran = true;
    });
    clock.setNowMs(5);
    expect([clock.nowMs(), clock.monotonicMs(), ran]).to.deep.equal([5, 0, false]);
    await clock.advance(10);
    expect([clock.nowMs(), clock.monotonicMs(), ran]).to.deep.equal([15, 10, true]);
  });

  it('runs each task at its due time', async () => {
    const clock = createManualClock();
    const seen: number[] = [];
    clock.schedule(30, () => seen.push(clock.monotonicMs()));
    clock.schedule(10, () => {
      seen.push(clock.monotonicMs());
      clock.schedule(5, () => seen.push(clock.monotonicMs()));
    });
    await clock.advance(100);
    expect(seen).to.deep.equal([10, 15, 30]);
    expect(clock.pending).to.equal(0);
  });
});
