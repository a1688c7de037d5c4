import { expect } from 'chai';
import { cacheResult } from '../../../kernel/time/cache-result.ts';

const openAnswer = () => {
  const loads: { readonly give: (value: number) => void; readonly fail: (error: Error) => void }[] = [];
  let nowMs = 0;
  const ask = cacheResult(
    () =>
      new Promise<number>((give, fail) => {
        loads.push({ give, fail });
      }),
    1_000,
    () => nowMs,
  );
  return {
    ask,
    loads,
    wait: (ms: number) => {
      nowMs += ms;
    },
  };
};

describe('a cached result', () => {
  it('is loaded once for all concurrent callers, however long that takes', async () => {
    const { ask, loads, wait } = openAnswer();
    const first = ask();
    wait(5_000);
    const second = ask();
    loads[0]?.give(7);
    expect(await Promise.all([first, second])).to.deep.equal([7, 7]);
    expect(loads).to.have.length(1);
  });

  it('is loaded again when it has expired', async () => {
    const { ask, loads, wait } = openAnswer();
    const first = ask();
    loads[0]?.give(1);
    await first;
    wait(999);
    expect(await ask()).to.equal(1);
    wait(1);
    const second = ask();
    loads[1]?.give(2);
    expect(await second).to.equal(2);
  });

  it('is not cached when it failed', async () => {
    const { ask, loads } = openAnswer();
    const first = ask().catch((error: Error) => error.message);
    loads[0]?.fail(new Error('no'));
    expect(await first).to.equal('no');
    const second = ask();
    loads[1]?.give(3);
    expect(await second).to.equal(3);
  });
});
