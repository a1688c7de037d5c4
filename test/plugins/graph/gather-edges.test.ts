import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { EntityGraph } from '../../../plugins/graph/graph-api.ts';
import { createHastyClock } from '../../fakes/hasty-clock.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';
import { placeTestStore, type TestStore } from '../../kit/test-store.ts';
import { refDraft, WRITER } from './ref-drafts.ts';

forEachStore('edges of facts that were stored while the graph plugin was off', (kind) => {
  let folder: string;
  let place: TestStore;
  let lives = 0;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'graph-'));
    place = await placeTestStore(kind, folder);
  });
  afterEach(async () => {
    await place.remove();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs a node on the folder's store, then stops it. */
  const live = async <T>(
    plugins: readonly string[],
    work: (node: TestNode) => Promise<T>,
    options: TestNodeOptions = {},
  ): Promise<T> => {
    lives += 1;
    const node = await startTestNode({ plugins, folder, random: createSeededRandom(lives), ...options });
    try {
      return await work(node);
    } finally {
      await node.stop();
    }
  };
  const link = (from: string, to: string) => async (node: TestNode) => {
    await node.facts.append(refDraft(from, to), WRITER);
    await node.facts.append(refDraft(from, `${to}:theirs`), { ...WRITER, tenantId: 'other' });
  };
  const names = async (node: TestNode): Promise<string[]> => {
    const walk = { seeds: ['a'], depth: 1, minConfidence: 0 };
    const found = await node.facts.read(WRITER, 'query', (reader) =>
      node.kernel.get(EntityGraph).neighbors(reader, walk),
    );
    return found.map(({ entity }) => entity);
  };

  it('are added once it is switched on, each once, however often it is switched off and on', async () => {
    await live([], link('a', 'off:1'));
    expect(await live(['graph'], names)).to.deep.equal(['off:1']);
    await live(['graph'], link('a', 'on:1'));
    await live([], link('off:2', 'a'));
    await live([], (node) => node.facts.append(refDraft('z', 'gone', { confidence: 0 }), WRITER));
    const rows = async () => {
      const store = place.open();
      const [row] = await store.table('graph_edges').count({ n: '*' });
      await store.close();
      return Number(row.n);
    };
    for (let life = 0; life < 2; life += 1) {
      expect(await live(['graph'], names)).to.deep.equal(['off:1', 'off:2', 'on:1']);
      expect(await rows(), 'edges of both tenants').to.equal(6);
    }
  });

  it('are added in several steps in a large store, and the log reports the progress', async () => {
    await live([], async (node) => {
      const drafts = Array.from({ length: 2_100 }, (_, n) => refDraft('a', `b:${n}`, { relation: `rel:n${n}` }));
      await node.facts.appendAll(drafts, WRITER);
    });
    // Exceeds the time that a start allows, so the rest follows while the node serves.
    const clock = createHastyClock(6_000);
    await live(
      ['graph'],
      async (node) => {
        const lineOf = () => node.logLines.find(({ message }) => message === 'edges of facts are being gathered');
        await comesTrue(async () => {
          await node.clock.advance(1_000);
          return lineOf() !== undefined && (await names(node)).length === 2_100;
        });
        const line = lineOf();
        expect(line?.fields).to.include({ total: 2_100 }).and.to.have.property('ratePerSecond');
        expect(line?.fields?.['done']).to.be.within(1, 2_100);
      },
      { clock },
    );
  });
});
