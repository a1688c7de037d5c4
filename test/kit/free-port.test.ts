import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { freePort } from './free-port.ts';

const PORTS = 20;
/** `fetch` and browsers refuse some ports up to this one. */
const LAST_REFUSED = 10_080;

/** Searches from the same first port in each process, so that unmarked ports would be the same. */
const TAKE = `
  const { freePort } = await import(process.argv[1]);
  Math.random = () => 0;
  const ports = [];
  for (let taken = 0; taken < ${PORTS}; taken += 1) ports.push(await freePort());
  process.stdout.write(JSON.stringify(ports));
  process.stdin.resume().on('end', () => process.exit());
`;

describe('free ports', () => {
  it('differ between processes that run at the same time, and fetch accepts all of them', async () => {
    const module = new URL('./free-port.js', import.meta.url).href;
    const others = [0, 1].map(() => spawn(process.execPath, ['--input-type=module', '-e', TAKE, module]));
    const replies = await Promise.all(others.map(({ stdout }) => once(stdout, 'data')));
    const taken = replies.flatMap(([text]) => JSON.parse(String(text)) as number[]);
    for (const { stdin } of others) stdin.end();
    expect(Math.min(...taken)).to.be.above(LAST_REFUSED);
    expect(new Set([...taken, await freePort()]).size).to.equal(2 * PORTS + 1);
  });
});
