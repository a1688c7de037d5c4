import { expect } from 'chai';
import type { Clock } from '../../ports/ports.ts';

export interface ClockSubject {
  readonly clock: Clock;
  /** Advances the clock by at least this many milliseconds, and runs all due tasks. */
  pass(ms: number): Promise<void>;
}

/** The contract of every clock. */
export const describeClock = (name: string, create: () => ClockSubject): void => {
  describe(`${name} as a clock`, () => {
    it('returns the wall time in whole or fractional milliseconds since the epoch', () => {
      const now = create().clock.nowMs();
      expect(now).to.be.above(Date.UTC(2020, 0)).and.below(Date.UTC(2100, 0));
    });

    it('has a monotonic time that grows as time passes and never decreases', async () => {
      const { clock, pass } = create();
      const readings = [clock.monotonicMs(), clock.monotonicMs()];
      await pass(5);
      readings.push(clock.monotonicMs(), clock.monotonicMs());
      expect([...readings].sort((a, b) => a - b)).to.deep.equal(readings);
      // A system timer may fire a fraction of a millisecond early.
      expect((readings[2] ?? 0) - (readings[1] ?? 0)).to.be.at.least(4);
    });

    it('runs a scheduled task once, and not before it is due', async () => {
      const { clock, pass } = create();
      const due = clock.monotonicMs() + 10;
      const ran: number[] = [];
      clock.schedule(10, () => ran.push(clock.monotonicMs()));
      expect(ran).to.deep.equal([]);
      await pass(30);
      await pass(30);
      expect(ran).to.have.length(1);
      expect(ran[0]).to.be.at.least(due);
    });

    it('runs a task without delay later, never within the call', async () => {
      const { clock, pass } = create();
      let ran = false;
      clock.schedule(0, () => {
        ran = true;
      });
      expect(ran).to.equal(false);
      await pass(1);
      expect(ran).to.equal(true);
    });

    it('runs tasks in the order in which they are due', async () => {
      const { clock, pass } = create();
      const order: string[] = [];
      clock.schedule(20, () => order.push('later'));
      clock.schedule(1, () => order.push('sooner'));
      await pass(40);
      expect(order).to.deep.equal(['sooner', 'later']);
    });

    it('lets a task schedule another', async () => {
      const { clock, pass } = create();
      let ran = false;
      clock.schedule(1, () => {
        clock.schedule(1, () => {
          ran = true;
        });
      });
      await pass(10);
      await pass(10);
      expect(ran).to.equal(true);
    });

    it('never runs a cancelled task; cancelling twice, or too late, has no effect', async () => {
      const { clock, pass } = create();
      const order: string[] = [];
      const cancel = clock.schedule(5, () => order.push('cancelled'));
      const finished = clock.schedule(1, () => order.push('kept'));
      cancel();
      cancel();
      await pass(20);
      finished();
      await pass(1);
      expect(order).to.deep.equal(['kept']);
    });

    it('accepts delays longer than any timer of the runtime', async () => {
      const { clock, pass } = create();
      let ran = false;
      const cancel = clock.schedule(2 ** 31 + 1000, () => {
        ran = true;
      });
      await pass(5);
      expect(ran).to.equal(false);
      cancel();
    });
  });
};
