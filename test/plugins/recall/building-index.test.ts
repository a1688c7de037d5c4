import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { StoreFeed } from '../../../kernel/facts/store-feed.ts';
import { DEFAULT_TENANT, Facts, NodeNotes, NodeSelf, nodePrincipal } from '../../../kernel/plugin-api.ts';
import { degradationOf } from '../../../plugins/recall/degradation.ts';
import { LocalHost } from '../../../plugins/search/host/local-host.ts';
import { drawHashSeed } from '../../../plugins/search/index/text-hash.ts';
import { SearchService } from '../../../plugins/search/search-service.ts';
import { SnapshotFiles } from '../../../plugins/search/snapshot/snapshot-files.ts';
import { SnapshotStore } from '../../../plugins/search/snapshot/snapshot-store.ts';
import type { Generation } from '../../../plugins/search/vectors/generation.ts';
import type { VectorSide } from '../../../plugins/search/vectors/vector-side.ts';
import { FactStore, type Snapshot } from '../../../ports/ports.ts';
import { createHastyClock } from '../../fakes/hasty-clock.ts';
import { createManualClock, type ManualClock } from '../../fakes/manual-clock.ts';
import { createMemoryLogger } from '../../fakes/memory-logger.ts';
import { plainFiles } from '../../fakes/plain-files.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { createGate } from '../../kit/create-gate.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { pluginStore } from '../../kit/plugin-store.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';
import { placeTestStore } from '../../kit/test-store.ts';

const PATIENCE_MS = 10_000;
const A_WHILE_MS = 100;
const NOTHING_BUILT = { wallMs: 0, counter: 0 };

forEachStore('a search index that is still being built', () => {
  let node: TestNode;
  beforeEach(async () => {
    node = await startTestNode({ plugins: ['facts'] });
    const key = await node.addKey();
    const body = {
      entity: 'user:a',
      relation: 'memory:note',
      value: { type: 'null' },
      source: 'agent:s',
      scope: 'team',
    };
    expect((await node.request('POST', '/v1/facts', { key, body })).status).to.equal(201);
  });
  afterEach(() => node.stop());

  let clock: ManualClock;
  const serviceOn = (store: Pick<FactStore, 'read' | 'write'>, vectors?: VectorSide): SearchService => {
    clock = createManualClock();
    return new SearchService({
      store: pluginStore(store),
      feed: new StoreFeed({ store, clock, facts: node.facts }),
      clock,
      self: node.kernel.get(NodeSelf),
      log: createMemoryLogger([]),
      snapshots: new SnapshotStore(
        new SnapshotFiles(`${node.folder}/none`, createSeededRandom(), plainFiles),
        node.kernel.get(NodeNotes),
      ),
      createHost: () => new LocalHost(drawHashSeed(createSeededRandom())),
      vectors,
    });
  };

  it('delays a search for a limited time, and then reports its progress', async () => {
    const { passed: gate, open } = createGate();
    const store = node.kernel.get(FactStore);
    const slow = {
      read: <T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> =>
        store.read((snapshot) =>
          work(
            new Proxy(snapshot, {
              get(target, member) {
                const value = Reflect.get(target, member) as unknown;
                if (typeof value !== 'function') return value;
                const bound = value.bind(target) as (...given: unknown[]) => unknown;
                return member === 'feedAfter' ? (...given: unknown[]) => gate.then(() => bound(...given)) : bound;
              },
            }),
          ),
        ),
    };
    const search = serviceOn({ ...slow, write: store.write });
    const readies = search.ready();
    await comesTrue(() => clock.pending > 0);
    await clock.advance(PATIENCE_MS);
    expect(await readies).to.deep.equal(NOTHING_BUILT);
    open();
    expect(await search.ready()).to.equal(null);
    await search.close();
  });

  it('finds facts by words while stored vectors are read, and reports that vectors are missing', async () => {
    const { passed: gate, open: read } = createGate();
    const target = { name: 'words', embedder: 'words', state: 'complete' } as Generation;
    const search = serviceOn(node.kernel.get(FactStore), {
      generations: { plan: async () => ({ target, others: [] }) },
      store: { after: () => gate.then(() => []) },
      embedderOf: () => ({ dimensions: 64 }),
      goal: undefined,
    } as unknown as VectorSide);
    let said: unknown;
    const told = search.ready().then((behind) => {
      said = behind;
    });
    await comesTrue(async () => {
      if (search.size > 0) await clock.advance(A_WHILE_MS);
      return said !== undefined;
    });
    await told;
    expect(said).to.equal(null);
    expect(await search.isMakingVectors()).to.equal(true);
    read();
    await comesTrue(async () => !(await search.isMakingVectors()));
    await search.close();
  });

  it('answers two recalls that both wait for its last vector at the same time', async () => {
    const target = { name: 'words', embedder: 'words', state: 'complete', fresh: NOTHING_BUILT } as Generation;
    const search = serviceOn(node.kernel.get(FactStore), {
      generations: { plan: async () => ({ target, others: [] }) },
      goal: NOTHING_BUILT,
    } as unknown as VectorSide);
    expect(await Promise.all([search.isMakingVectors(), search.isMakingVectors()])).to.deep.equal([false, false]);
    await search.close();
  });

  it('is reported as incomplete only to callers who would see the missing facts', async () => {
    const names = node.kernel.get(NodeSelf).names;
    const asked = { vector: undefined, behind: NOTHING_BUILT };
    const index = { isMakingVectors: async () => false };
    const told = (scopes: readonly ('team' | 'public')[]) => {
      const caller = { ...nodePrincipal(names, DEFAULT_TENANT), allowedScopes: new Set(scopes) };
      return node.kernel
        .get(Facts)
        .read(caller, 'recall', async (reader) => (await degradationOf(asked, reader, index)).map(({ id }) => id));
    };
    expect(await told(['team'])).to.deep.equal(['index_rebuilding']);
    expect(await told(['public'])).to.deep.equal([]);
  });
});

forEachStore('a search index that is built at the start of a node', (kind) => {
  it('logs its progress', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'building-'));
    const nodes: TestNode[] = [];
    const start = async (options: TestNodeOptions): Promise<TestNode> => {
      const node = await startTestNode({ folder, ...options });
      nodes.push(node);
      return node;
    };
    try {
      const before = await start({ plugins: ['keys', 'facts'] });
      const key = await before.addKey();
      // Two of these facts exceed a page of the feed.
      const v = 'lantern '.repeat(50_000);
      for (let n = 0; n < 4; n += 1) {
        const body = { entity: `user:${n}`, relation: 'memory:note', value: { type: 'text', v }, source: 'agent:s' };
        expect((await before.request('POST', '/v1/facts', { key, body })).status).to.equal(201);
      }
      await before.stop();
      const node = await start({ plugins: ['keys', 'facts', 'search'], clock: createHastyClock(6_000) });
      const lineOf = (message: string) => node.logLines.find((line) => line.message === message);
      await comesTrue(() => lineOf('the search index is up to date') !== undefined);
      const { fields } = lineOf('the search index is being built') ?? {};
      expect(fields).to.include({ total: 4 }).and.to.have.property('ratePerSecond');
      expect(fields?.['done']).to.be.within(2, 4);
    } finally {
      for (const node of nodes) await node.stop();
      await (await placeTestStore(kind, folder)).remove();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
