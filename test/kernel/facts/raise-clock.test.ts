import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { parseHlc } from '../../../kernel/time/hybrid-logical-clock.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { startTestNode } from '../../kit/start-test-node.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';

const NOW_MS = Date.UTC(2026, 2, 2, 9);
const HOUR_MS = 3_600_000;

/** Starts a node on the folder, asserts one fact, and returns its stamp and the log lines. */
const assertOnce = async (folder: string, nowMs: number) => {
  const node = await startTestNode({ plugins: ['facts'], folder, clock: createManualClock(nowMs) });
  const key = await node.addKey();
  const body = { entity: 'user:noor', relation: 'memory:seen', value: { type: 'number', v: nowMs }, source: 'agent:w' };
  const reply = await node.request('POST', '/v1/facts', { key, body });
  await node.stop();
  return { hlc: parseHlc(reply.body.hlc) ?? expect.fail('no stamp'), log: node.logLines };
};

describe('the clock of a store at the start of a node', () => {
  it('continues above every stamp, although physical time was set back', async () => {
    await inTemporaryFolder(async (folder) => {
      const first = await assertOnce(folder, NOW_MS);
      const second = await assertOnce(folder, NOW_MS - 60_000);
      expect(second.hlc.wallMs).to.be.above(first.hlc.wallMs);
      expect(second.log.filter(({ message }) => message.startsWith('clock_ahead'))).to.deep.equal([]);
    });
  });

  it('is raised above the feed when its row was lost', async () => {
    await inTemporaryFolder(async (folder) => {
      const first = await assertOnce(folder, NOW_MS);
      const database = new DatabaseSync(join(folder, 'node.db'));
      database.exec('UPDATE node_clock SET wall = 0, ctr = 0');
      database.close();
      const second = await assertOnce(folder, NOW_MS - HOUR_MS);
      expect(second.hlc.wallMs).to.be.above(first.hlc.wallMs);
    });
  });

  it('logs a warning when it is far ahead of physical time, and the node still serves', async () => {
    await inTemporaryFolder(async (folder) => {
      await assertOnce(folder, NOW_MS);
      const { log } = await assertOnce(folder, NOW_MS - HOUR_MS);
      const warnings = log.filter(({ level, message }) => level === 'warn' && message.startsWith('clock_ahead'));
      expect(warnings).to.have.length(1);
      expect(warnings[0]?.message).to.contain('after a restore this passes within minutes');
    });
  });
});
