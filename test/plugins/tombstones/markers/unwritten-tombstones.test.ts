import { existsSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { NodeSettings } from '../../../../kernel/plugin-api.ts';
import { MARKERS } from '../../../../plugins/tombstones/markers/marker-tables.ts';
import { JOURNAL_INTERVAL_MS } from '../../../../plugins/tombstones/tombstones-plugin.ts';
import { createLostCommits } from '../../../fakes/lost-commits.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../../kit/start-test-node.ts';

const DAY_MS = 86_400_000;

const startNode = (options: TestNodeOptions = {}): Promise<TestNode> =>
  startTestNode({ settings: { tombstones: { enabled: true } }, ...options });

const journalOf = (node: TestNode): string => join(node.kernel.get(NodeSettings).dataFolder, 'tombstones.jsonl');

describe('a tombstone that could not be written beside the store', () => {
  it('is written as soon as that is possible again', async () => {
    const node = await startNode();
    const key = await node.addKey({ permissions: ['read', 'write', 'admin'] });
    const file = journalOf(node);
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

describe('a tombstone that is written beside the store', () => {
  it('has one line, also when its request is repeated a day later', async () => {
    const node = await startNode();
    const key = await node.addKey({ permissions: ['read', 'write', 'admin'] });
    for (let day = 0; day < 3; day += 1) {
      const { body } = await node.request('POST', '/v1/tombstones', { key, body: { entity_uri: 'user:gone' } });
      expect(readFileSync(journalOf(node), 'utf8').split(body.id)).to.have.length(2);
      node.clock.setNowMs(node.clock.nowMs() + DAY_MS);
      await node.clock.advance(JOURNAL_INTERVAL_MS);
    }
    await node.stop();
  });
});

forEachStore('a tombstone whose commit lost its confirmation', () => {
  it('is written beside the store when its request is repeated, and so is its revocation', async () => {
    const commits = createLostCommits();
    const node = await startNode({ wrapStore: (store) => commits.watch(store) });
    const key = await node.addKey({ permissions: ['read', 'write', 'admin'] });
    const ask = (path: string, body: object) => node.request('POST', path, { key, body });
    const lines = (member: string): object[] =>
      (existsSync(journalOf(node)) ? readFileSync(journalOf(node), 'utf8').split('\n') : [])
        .filter((line) => line !== '' && Object.hasOwn(JSON.parse(line), member))
        .map((line) => JSON.parse(line)[member]);
    try {
      const asked = { entity_uri: 'user:gone', reason: 'asked for' };
      commits.loseNext(MARKERS);
      expect(await ask('/v1/tombstones', asked)).to.include({ status: 503 });
      const { status, body: made } = await ask('/v1/tombstones', asked);
      expect(status).to.equal(201);
      await ask('/v1/tombstones', asked);
      expect(lines('tombstone')).to.have.length(1);
      expect(lines('tombstone')[0]).to.include({ id: made.id });

      commits.loseNext(MARKERS);
      expect(await ask(`/v1/tombstones/${made.id}/revoke`, { reason: 'a mistake' })).to.include({ status: 503 });
      for (let n = 0; n < 2; n += 1) {
        expect(await ask(`/v1/tombstones/${made.id}/revoke`, { reason: 'a mistake' })).to.include({ status: 409 });
      }
      expect(lines('revocation')).to.have.length(1);
      expect(lines('revocation')[0]).to.include({ tombstoneId: made.id });
    } finally {
      await node.stop();
    }
  });
});
