import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { expect } from 'chai';
import { equals, FactStore } from '../../../ports/ports.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

/** The number of reads after which the runtime has specialised the code. */
const WARM = 20;
const FACTS = 12;

setFlagsFromString('--allow-natives-syntax');
const areOfOneShape = runInThisContext('((one, other) => %HaveSameMap(one, other))') as (
  a: object,
  b: object,
) => boolean;

forEachStore('facts from the store', () => {
  let node: TestNode;
  before(async () => {
    node = await startTestNode({ plugins: ['keys', 'facts', 'conflicts'] });
    const key = await node.addKey();
    for (let at = 0; at < FACTS; at += 1) {
      const value = { type: 'text', v: `sails ${at}` };
      const body = { entity: `boat:${at}`, relation: 'memory:note', value, source: 'agent:s' };
      expect((await node.request('POST', '/v1/facts', { key, body })).status).to.equal(201);
    }
  });
  after(() => node.stop());

  for (const mayCache of [false, true]) {
    it(`share one hidden class ${mayCache ? 'when they are cached' : 'when they are not cached'}`, async () => {
      const query = { filter: equals('tenantId', 'default'), order: 'timestamp', limit: FACTS, mayCache } as const;
      const store = node.kernel.get(FactStore);
      let facts: readonly object[] = [];
      for (let turn = 0; turn < WARM; turn += 1) facts = await store.read((snapshot) => snapshot.find(query));
      const [first, ...others] = facts as [object, ...object[]];
      expect(others).to.have.length(FACTS - 1);
      expect(others.filter((other) => !areOfOneShape(first, other))).to.deep.equal([]);
    });
  }
});
