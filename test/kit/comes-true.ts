import { setImmediate, setTimeout } from 'node:timers/promises';
import { expect } from 'chai';

const PATIENCE_MS = 90_000;
const LOOKS_PER_MS = 4;
const LONGEST_PAUSE_MS = 20;

/**
 * Repeats a check until it holds, and lets background work run in between. The pauses grow, because a test that
 * advances a clock in each check would otherwise expire leases on a busy store.
 */
export const comesTrue = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = performance.now() + PATIENCE_MS;
  let came = await holds();
  for (let looks = 1; !came && performance.now() < deadline; looks += 1) {
    await pause(Math.min(LONGEST_PAUSE_MS, Math.floor(looks / LOOKS_PER_MS)));
    came = await holds();
  }
  expect(came, 'what was waited for came true').to.equal(true);
};

const pause = (ms: number): Promise<void> => (ms === 0 ? setImmediate() : setTimeout(ms));
