import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { servedAddress } from '../../kit/served-address.ts';
import { Workplace } from './spawned-program.ts';

const MAIN = fileURLToPath(new URL('../../../config/main.js', import.meta.url));
const KEY = 'unread-log-0123456789abcdef0123456789abcdef';
/** Their billing lines are more than a pipe takes. */
const BATCHES = 30;
const FACTS_PER_BATCH = 100;

describe('several processes whose log nothing reads', () => {
  const place = new Workplace();
  after(() => place.dispose());

  it('serve, and end without an error at a signal', async () => {
    const child = spawn(process.execPath, [MAIN, 'start'], {
      cwd: place.folder,
      env: { PATH: process.env['PATH'] ?? '', SVC_PORT: '0', SVC_BOOTSTRAP_KEY: KEY, SVC_WORKERS: '2' },
      stdio: 'pipe',
    });
    try {
      const { url } = await servedAddress(child);
      for (let batch = 0; batch < BATCHES; batch += 1) {
        const { status } = await fetch(`${url}/v1/facts/batch`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json' },
          body: JSON.stringify(Array.from({ length: FACTS_PER_BATCH }, (_, at) => fact(batch, at))),
        });
        expect(status).to.equal(200);
      }
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      expect(await ended).to.deep.equal([0, null]);
    } finally {
      child.kill('SIGKILL');
    }
  });
});

const fact = (batch: number, at: number): object => ({
  entity: `user:${batch}-${at}`,
  relation: 'memory:n',
  value: { type: 'boolean', v: true },
  source: 'agent:s',
});
