import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';

const SINK = new URL('../../../plugins/billing/stderr-billing-sink.js', import.meta.url).href;

/** A program that writes to standard error on request, reports the result, and then ends. */
const WRITER = `
  const { createStderrBillingSink, surviveClosedStderr } = await import('${SINK}');
  const undo = surviveClosedStderr();
  process.stdin.once('data', async () => {
    const event = { eventType: 'fact_written', tenantId: 'default', entityUri: 'a', factId: 'f', gardenId: null, ts: '' };
    const outcome = await createStderrBillingSink().write([event]).then(() => 'written', () => 'failed');
    setImmediate(() => {
      undo();
      console.log(outcome);
      process.exit(0);
    });
  });
`;

describe('billing lines after the reader has closed standard error', () => {
  it('count as failed, are delivered again later, and do not end the process', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', WRITER], { stdio: 'pipe' });
    let said = '';
    child.stdout.on('data', (text) => {
      said += text;
    });
    const ended = once(child, 'close');
    child.stderr.destroy();
    child.stdin.write('go\n');
    const [code] = await ended;
    expect([said, code]).to.deep.equal(['failed\n', 0]);
  });
});
