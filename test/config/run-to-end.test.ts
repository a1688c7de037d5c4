import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';

const RUN_TO_END = new URL('../../config/run-to-end.js', import.meta.url).href;
/** More than any pipe takes. */
const LENGTH = 4_000_000;

/** Starts a process that writes a long text to `stream` and then ends. */
const writing = (stream: 'stdout' | 'stderr') => {
  const source = `
    const { runToEnd } = await import('${RUN_TO_END}');
    await runToEnd(async () => {
      process.${stream}.write('x'.repeat(${LENGTH}));
      return 3;
    });
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], { stdio: 'pipe' });
  return { child, ended: once(child, stream === 'stdout' ? 'close' : 'exit') };
};

describe('the end of a process', () => {
  it('does not wait for a reader of its log', async () => {
    const { ended } = writing('stderr');
    expect(await ended).to.deep.equal([3, null]);
  });

  it('waits until its output is read, however late', async () => {
    const { child, ended } = writing('stdout');
    await sleep(3_000);
    let length = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      length += chunk.length;
    });
    expect(await ended).to.deep.equal([3, null]);
    expect(length).to.equal(LENGTH);
  });
});
