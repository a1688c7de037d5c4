import { existsSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { NodeSettings } from '../../../../kernel/plugin-api.ts';
import { JOURNAL_INTERVAL_MS } from '../../../../plugins/tombstones/tombstones-plugin.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { startTestNode } from '../../../kit/start-test-node.ts';

describe('a tombstone that could not be written beside the store', () => {
  it('is written as soon as that is possible again', async () => {
    const node = await startTestNode({ settings: { tombstones: { enabled: true } } });
    const key = await node.addKey({ permissions: ['read', 'write', 'admin'] });
    const file = join(node.kernel.get(NodeSettings).dataFolder, 'tombstones.jsonl');
    mkdirSync(file);
    const body = { entity_uri: 'user:gone', reason: 'asked for' };
    const { status, body: made } = await node.request('POST', '/v1/tombstones', { key, body });
    expect(status).to.equal(201);
    rmdirSync(file);
    await comesTrue(async () => {
      await node.clock.advance(JOURNAL_INTERVAL_MS);
      return existsSync(file) && readFileSync(file, 'utf8').includes(made.id);
    });
    await node.stop();
  });
});
