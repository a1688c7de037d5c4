import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
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

  it('is a failure with a message, and no crash, when its output cannot be written', async () => {
    const { ended, told } = withoutOutput('pipe');
    expect(await ended).to.deep.equal([1, null]);
    expect(await told).to.include('the work goes on\n');
    expect((await told).match(/^error: standard output cannot be written \(EBADF\)\nhint: /gm)).to.have.length(1);
    expect(await told).to.not.match(/^ +at /m);
  });

  it('comes in order although neither output nor log can be written', async () => {
    expect(await withoutOutput('same').ended).to.deep.equal([1, null]);
  });
});

/** Starts a process that returns 0 after its last write, to a file that was opened to be read. */
const withoutOutput = (log: 'pipe' | 'same') => {
  const unwritable = openSync(process.execPath, 'r');
  const source = `
    const { runToEnd } = await import('${RUN_TO_END}');
    await runToEnd(async () => {
      process.stderr.write('the work goes on\\n');
      for (let line = 0; line < 3; line += 1) process.stdout.write('a line');
      return 0;
    });
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', unwritable, log === 'pipe' ? 'pipe' : unwritable],
  });
  closeSync(unwritable);
  return { ended: once(child, 'close'), told: text(child.stderr ?? Readable.from([])) };
};
