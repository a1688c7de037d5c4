import { expect } from 'chai';
import fc from 'fast-check';
import type { StoreKind } from '../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../kit/start-test-node.ts';
import { contentOf } from '../plugins/transfer/transfer-node.ts';
import { CommandCaller, commands } from './engine-commands.ts';

/** The number of runs: lower than for other properties, because each run starts two nodes. The long run raises it. */
const RUNS = Number(process.env['SVC_TEST_PROPERTY_RUNS'] ?? 15);

const ENGINES: readonly StoreKind[] = ['sqlite', 'postgres'];

describe('nodes on SQLite and on PostgreSQL', function () {
  this.timeout(0);

  it('return equal answers to equal commands, and equal exports', async () => {
    const everyCommand = fc.asyncProperty(commands, async (list) => {
      const nodes: TestNode[] = [];
      try {
        for (const store of ENGINES) nodes.push(await startTestNode({ store }));
        const callers: CommandCaller[] = [];
        for (const node of nodes) {
          const key = await node.addKey({ permissions: ['read', 'write', 'instruction:write'] });
          callers.push(new CommandCaller(node, key));
        }
        for (const command of list) {
          const [onSqlite, onPostgres] = await Promise.all(callers.map((caller) => caller.run(command)));
          expect(onPostgres, JSON.stringify({ command, onSqlite, onPostgres })).to.deep.equal(onSqlite);
        }
        const [fromSqlite, fromPostgres] = await Promise.all(nodes.map(contentOf));
        expect(fromPostgres).to.deep.equal(fromSqlite);
      } finally {
        for (const node of nodes) await node.stop();
      }
    });
    await fc.assert(everyCommand, { numRuns: RUNS });
  });
});
