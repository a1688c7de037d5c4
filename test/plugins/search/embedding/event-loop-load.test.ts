import type { EventLoopUtilization } from 'node:perf_hooks';
import { expect } from 'chai';
import { EventLoopLoad } from '../../../../plugins/search/embedding/event-loop-load.ts';
import { createManualClock } from '../../../fakes/manual-clock.ts';

/** A load that measures what the test says: busy and idle milliseconds. */
const createLoad = () => {
  const clock = createManualClock();
  const total = { active: 0, idle: 0 };
  const measure = (from?: EventLoopUtilization): EventLoopUtilization => {
    const active = total.active - (from?.active ?? 0);
    const idle = total.idle - (from?.idle ?? 0);
    return { active, idle, utilization: active / (active + idle) };
  };
  const load = new EventLoopLoad(clock, measure);
  const look = (activeMs: number, idleMs: number): void => {
    load.beginLook();
    total.active += activeMs;
    total.idle += idleMs;
    load.endLook();
  };
  return { clock, load, look };
};

describe('The load of the event loop', () => {
  it('ignores a recurring task in one of many short pauses', () => {
    const { load, look } = createLoad();
    for (let pause = 0; pause < 100; pause += 1) {
      look(pause % 5 === 0 ? 3 : 0.3, 12);
      expect(load.isThere).to.equal(false);
    }
  });

  it('is seen once short pauses with much work sum up, and lasts a quarter of a second', async () => {
    const { clock, load, look } = createLoad();
    const seen = Array.from({ length: 10 }, () => {
      look(2, 10);
      return load.isThere;
    });
    expect(seen.indexOf(true)).to.equal(8);
    await clock.advance(249);
    expect(load.isThere).to.equal(true);
    await clock.advance(1);
    expect(load.isThere).to.equal(false);
  });

  it('is seen in one long pause', () => {
    const { load, look } = createLoad();
    look(20, 100);
    expect(load.isThere).to.equal(true);
  });
});
