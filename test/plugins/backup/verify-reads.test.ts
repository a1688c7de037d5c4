import { expect } from 'chai';
import { type CheckProgress, StoreVerification } from '../../../plugins/backup/backup-api.ts';
import { createStoreCounter } from '../../fakes/counting-store.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const ENTITIES = 150;
const PAGE = 250;

forEachStore('the verification of a store', () => {
  const counter = createStoreCounter();
  let node: TestNode;
  before(async () => {
    node = await startTestNode({ wrapStore: counter.count });
    const key = await node.addKey({ permissions: ['read', 'write'] });
    for (let at = 0; at < ENTITIES; at += 25) {
      const facts = Array.from({ length: 25 }, (_, nth) => factsOf(`user:e${at + nth}`)).flat();
      expect((await node.request('POST', '/v1/facts/batch', { key, body: facts })).status).to.equal(200);
    }
  });
  after(() => node.stop());

  const verify = () => {
    const progress: CheckProgress[] = [];
    const verification = node.kernel.get(StoreVerification);
    return { progress, run: () => verification.run((step) => void progress.push(step)) };
  };

  it('reads each entry once for all checks, and its triple once', async () => {
    const { run } = verify();
    const { entries, checks } = await run();
    expect(checks.length).to.be.at.least(8);
    const { rows, statements } = await counter.during(run);
    // The entry, its fact and its triple are three rows. Covers, edges and winners have rows of their own.
    expect(rows / entries, `${rows} rows of ${entries} entries`).to.be.below(4);
    expect(statements / Math.ceil(entries / PAGE), `${statements} statements`).to.be.below(45);
  });

  it('reports the checked entries of all entries, in ascending order', async () => {
    const { run, progress } = verify();
    const { entries } = await run();
    const walk = progress.filter(({ unit }) => unit === 'entries');
    expect(walk.length).to.be.at.least(2);
    expect(walk.map(({ total }) => total)).to.deep.equal(walk.map(() => entries));
    const done = walk.map((step) => step.done);
    expect(done).to.deep.equal([...done].sort((one, other) => one - other));
    expect(done.at(-1)).to.equal(entries);
  });
});

const factsOf = (entity: string): object[] => {
  const told = { entity, source: 'agent:a', relation: 'x:color', value: { type: 'string', v: 'red' }, confidence: 0.9 };
  return [
    told,
    { ...told, value: { type: 'string', v: 'blue' }, confidence: 0.8 },
    { ...told, relation: 'x:knows', value: { type: 'ref', v: 'user:e1' } },
    { ...told, relation: 'x:age', value: { type: 'number', v: 40 } },
  ];
};
