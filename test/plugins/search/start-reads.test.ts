import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { SearchIndex } from '../../../plugins/search/search-api.ts';
import { createStoreCounter, type StoreCounts } from '../../fakes/counting-store.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { scratchPlace } from '../../kit/scratch-place.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const FACTS = 400;
const BATCH = 100;

forEachStore('the start of a node with all default plugins', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(await scratchPlace(), 'start-'));
    const node = await startTestNode({ folder });
    const key = await node.addKey();
    for (let at = 0; at < FACTS; at += BATCH) {
      const body = Array.from({ length: BATCH }, (_, nth) => factOf(at + nth));
      expect((await node.request('POST', '/v1/facts/batch', { key, body })).status).to.equal(200);
    }
    await comesTrue(async () => !(await node.kernel.get(SearchIndex).isMakingVectors()));
    await node.stop();
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Counts the reads from the start until searches find every fact. */
  const readsOfStart = async (): Promise<StoreCounts> => {
    const counter = createStoreCounter();
    let node: TestNode | undefined;
    const counts = await counter.during(async () => {
      node = await startTestNode({ folder, wrapStore: counter.count });
      const search = node.kernel.get(SearchIndex);
      await comesTrue(async () => (await search.ready()) === null && !(await search.isMakingVectors()));
    });
    await node?.stop();
    return counts;
  };

  it('reads each feed entry, fact and vector once if the index has no snapshot', async () => {
    // The first start ends the work that the stop of the former node has left.
    await readsOfStart();
    await rm(join(folder, 'search'), { recursive: true, force: true });
    const { rows } = await readsOfStart();
    expect(rows / FACTS, `${rows} rows`).to.be.below(3.5);
  });
});

const factOf = (n: number): object => ({
  entity: `user:e${n}`,
  relation: 'memory:note',
  value: { type: 'string', v: `note ${n} about the garden` },
  source: 'agent:a',
});
