import { expect } from 'chai';
import { createSystemClock } from '../../../adapters/clock/system-clock.ts';
import { describeClock } from '../../contract/clock-contract.ts';
import { runScript } from '../../kit/run-script.ts';

describeClock('the system clock', () => {
  const clock = createSystemClock();
  return { clock, pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) };
});

describe('the system clock', () => {
  it('does not keep an otherwise idle process alive', async () => {
    const { code } = await runScript(`
      const { createSystemClock } = await import(${JSON.stringify(new URL('../../../adapters/clock/system-clock.js', import.meta.url).href)});
      createSystemClock().schedule(60_000, () => process.exit(1));
      createSystemClock().schedule(2 ** 32, () => process.exit(1));
    `);
    expect(code).to.equal(0);
  });
});
