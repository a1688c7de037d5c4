import { expect } from 'chai';
import { FifoLock } from '../../../adapters/sql/fifo-lock.ts';

const PATIENCE_MS = 10_000;

describe('a first-in, first-out lock', () => {
  it('runs one piece of work at a time, in the order of arrival', async () => {
    const lock = new FifoLock();
    const order: string[] = [];
    const work = (name: string) => async () => {
      order.push(`${name} in`);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`${name} out`);
    };
    await Promise.all(['a', 'b', 'c'].map((name) => lock.hold(work(name), PATIENCE_MS)));
    expect(order).to.deep.equal(['a in', 'a out', 'b in', 'b out', 'c in', 'c out']);
  });

  it('fails work that waits for its own lock, and continues with later work', async () => {
    const lock = new FifoLock();
    const outer = lock.hold(
      () => lock.hold(async () => 'never', 1).catch((error: { code: string }) => error.code),
      PATIENCE_MS,
    );
    const later = lock.hold(async () => 'later', PATIENCE_MS);
    expect(await Promise.all([outer, later])).to.deep.equal(['unavailable', 'later']);
  });

  it('is released by work that fails', async () => {
    const lock = new FifoLock();
    const failed = lock
      .hold(async () => Promise.reject(new Error('no')), PATIENCE_MS)
      .catch((error: Error) => error.message);
    expect(await Promise.all([failed, lock.hold(async () => 'next', PATIENCE_MS)])).to.deep.equal(['no', 'next']);
  });
});
