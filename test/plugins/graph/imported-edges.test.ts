import { expect } from 'chai';
import { EntityGraph } from '../../../plugins/graph/graph-api.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';
import { exportLines, importAll } from '../transfer/transfer-node.ts';
import { refDraft, WRITER } from './ref-drafts.ts';

const PLUGINS = ['transfer', 'graph'];

forEachStore('edges of imported facts', () => {
  const nodes: TestNode[] = [];
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.stop();
  });

  const start = async (folder?: string): Promise<TestNode> => {
    const random = createSeededRandom(nodes.length + 1);
    const node = await startTestNode({ plugins: PLUGINS, random, ...(folder === undefined ? {} : { folder }) });
    nodes.push(node);
    return node;
  };
  const exported = async (): Promise<string[]> => {
    const node = await start();
    const left = { relation: 'rel:left' };
    await node.facts.appendAll([refDraft('a', 'b'), refDraft('c', 'a'), refDraft('a', 'd', left)], WRITER);
    await node.facts.append(refDraft('a', 'd', { ...left, confidence: 0 }), WRITER);
    return exportLines(node);
  };
  const neighbors = async (node: TestNode): Promise<string[]> => {
    const walk = { seeds: ['a'], depth: 1, minConfidence: 0 };
    const found = await node.facts.read(WRITER, 'query', (reader) =>
      node.kernel.get(EntityGraph).neighbors(reader, walk),
    );
    return found.map(({ entity }) => entity);
  };

  it('are visible as soon as the facts are', async () => {
    const lines = await exported();
    const node = await start();
    expect(await importAll(node, lines)).to.deep.include({ stored: 4, refused: [] });
    expect(await neighbors(node)).to.deep.equal(['b', 'c']);
  });

  it('remain after later starts, each once, even if a file was imported twice', async () => {
    const lines = await exported();
    await inTemporaryFolder(async (folder) => {
      const first = await start(folder);
      await first.facts.append(refDraft('a', 'own'), WRITER);
      await importAll(first, lines);
      await first.stop();
      const second = await start(folder);
      expect(await importAll(second, lines)).to.deep.include({ stored: 0, refused: [] });
      expect(await neighbors(second)).to.deep.equal(['b', 'c', 'own']);
      await second.stop();
    });
  });
});
