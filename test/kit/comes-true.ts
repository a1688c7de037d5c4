import { setImmediate, setTimeout } from 'node:timers/promises';
import { expect } from 'chai';

const PATIENCE_MS = 90_000;
const LOOKS_PER_MS = 4;
const LONGEST_PAUSE_MS = 20;

/**
 * Lets work go on beside the test until it has had its effect. The pauses between two looks grow: a test that moves a
 * clock with every look would otherwise let leases end faster than a busy store can renew them.
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
