import { expect } from 'chai';
import { HIDDEN, HIDDEN_SYSTEM_FACTS, MARKERS } from '../../../../plugins/tombstones/markers/marker-tables.ts';
import { FactStore } from '../../../../ports/ports.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../../kit/start-test-node.ts';

const ENV = { SVC_TOMBSTONES_ENABLED: 'true' };

forEachStore('a tombstone that is in the journal and no longer in the store', () => {
  let node: TestNode;
  let restored: TestNode | undefined;
  beforeEach(async () => {
    node = await startTestNode({ env: ENV });
  });
  afterEach(async () => {
    await restored?.stop();
    restored = undefined;
    await node.stop();
  });

  const markers = (of: TestNode): Promise<readonly { readonly followed_number: unknown }[]> =>
    of.kernel.get(FactStore).read((snapshot) => snapshot.table(MARKERS));

  it('hides the facts and the facts of the node about them from the first request on', async () => {
    const key = await node.addKey({ entityUri: 'agent:ops', permissions: ['read', 'write', 'admin'] });
    for (const [entity, v] of [
      ['user:gone', 'a'],
      ['user:gone', 'b'],
      ['user:kept', 'a'],
    ]) {
      const value = { type: 'string', v };
      const body = { entity, relation: 'memory:role', value, source: 'agent:ops', reason: 'they said so' };
      expect((await node.request('POST', '/v1/facts', { key, body })).status).to.equal(201);
    }
    const body = { entity_uri: 'user:gone' };
    expect((await node.request('POST', '/v1/tombstones', { key, body })).status).to.equal(201);
    await node.kernel.get(FactStore).write('default', async (transaction) => {
      for (const table of [MARKERS, HIDDEN, HIDDEN_SYSTEM_FACTS]) await transaction.table(table).delete();
    });
    await node.node.stop();

    const { clock, folder } = node;
    const again = await startTestNode({ env: ENV, clock, folder });
    restored = again;
    const reader = await again.addKey({ entityUri: 'agent:reader' });
    const total = async (query: string): Promise<number> =>
      (await again.request('GET', `/v1/facts?${query}&limit=1`, { key: reader })).body.total;
    for (const query of ['entity=user:gone', 'relation=svc:reason', 'relation=svc:conflict:status']) {
      expect(await total(query), query).to.equal(0);
    }
    await comesTrue(async () => {
      await clock.advance(60_000);
      return (await markers(again)).every(({ followed_number: number }) => number === null);
    });
    expect(await total('relation=svc:reason')).to.equal(1);
    expect(await total('relation=svc:conflict:status')).to.equal(0);
  });
});
