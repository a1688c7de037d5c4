import { expect } from 'chai';
import { FactStore, type Row } from '../../../ports/ports.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';
import { exportLines, importAll } from '../transfer/transfer-node.ts';
import {
  assertFacts,
  CHAINED,
  documentedHash,
  hashText,
  ledgerOf,
  prove,
  storedFacts,
  UNCHAINED,
} from './chain-node.ts';

forEachStore('the chain of imported facts', () => {
  const nodes: TestNode[] = [];
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.stop();
  });

  const start = async (options: TestNodeOptions = {}): Promise<TestNode> => {
    const random = createSeededRandom(nodes.length + 1);
    const plugins = [...CHAINED, 'search', 'recall', 'transfer'];
    const node = await startTestNode({ plugins, random, ...options });
    nodes.push(node);
    return node;
  };
  /** Starts a node whose only facts were imported. */
  const importing = async (options?: TestNodeOptions): Promise<TestNode> => {
    const source = await start();
    await assertFacts(source, await source.addKey(), ['one', 'two', 'three'], 'user:a');
    const lines = await exportLines(source);
    const node = await start(options);
    // In two transactions, so that the second continues from the link of the first.
    expect(await importAll(node, lines, 2)).to.deep.include({ stored: 3, refused: [] });
    return node;
  };
  const covered = async (node: TestNode): Promise<number> => {
    const checkpoints = await node.kernel.get(FactStore).table('fact_chain_checkpoints');
    return Math.max(0, ...checkpoints.map((row: Row) => Number(row['covered_chain_seq'])));
  };

  const coversInBackground = (node: TestNode): Promise<void> =>
    comesTrue(async () => {
      await node.clock.advance(10_000);
      return (await covered(node)) === 3;
    });

  it('is extended by the import itself, in the order of the file', async () => {
    const node = await importing();
    const facts = await storedFacts(node);
    let previous: string | null = null;
    for (const [at, entry] of (await ledgerOf(node)).entries()) {
      const fact = facts[at];
      if (fact === undefined || entry.link === null) throw new Error('a fact has no link');
      expect(entry.link.seq).to.equal(at + 1);
      const hash = documentedHash(fact, entry, { seq: at + 1, previous });
      expect(hashText(entry.link.hash)).to.equal(hash);
      previous = hash;
    }
    expect(facts).to.have.length(3);
  });

  it('is verified in the background, without an assertion or a request for a proof', async () => {
    await coversInBackground(await importing());
  });

  it('is made in the background at the next start if the plugin was off', async () => {
    await inTemporaryFolder(async (folder) => {
      const without = await importing({ plugins: [...UNCHAINED, 'transfer'], folder });
      expect((await ledgerOf(without)).map(({ link }) => link)).to.deep.equal([null, null, null]);
      await without.stop();
      const node = await start({ folder });
      await coversInBackground(node);
      await node.stop();
    });
  });

  it('continues with later facts, and a recall proves all of them', async () => {
    const node = await importing();
    const key = await node.addKey({ permissions: ['read', 'write', 'admin'] });
    const body = { query: 'two', token_budget: 100 };
    const reply = await node.request('POST', '/v1/recall', { key, body, headers: { 'Svc-Verify': 'full' } });
    expect(reply.status, reply.text).to.equal(200);
    expect(reply.body.facts.length).to.be.greaterThan(0);
    expect(reply.body.chain_proof).to.include({ checked_entries: 3 });
    await assertFacts(node, key, ['four'], 'user:later');
    expect(await prove(node)).to.include({ checked_entries: 4 });
  });
});
