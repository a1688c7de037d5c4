import { expect } from 'chai';
import { createPluginTables } from '../../../kernel/plugins/plugin-tables.ts';
import { AccessCounts } from '../../../plugins/recall/access-counts.ts';
import { FactStore, isIn } from '../../../ports/ports.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const PLUGINS = ['keys', 'facts', 'conflicts', 'recall', 'search', 'tombstones', 'node-info'];
const FLUSH_MS = 600_000;

forEachStore('the counts of recalls', () => {
  let node: TestNode;
  let key: string;
  beforeEach(async () => {
    node = await startTestNode({ plugins: PLUGINS, env: { SVC_TOMBSTONES_ENABLED: 'true' } });
    key = await node.addKey({ permissions: ['read', 'write', 'admin'] });
  });
  afterEach(() => node.stop());

  const make = async (path: string, body: object) => {
    const reply = await node.request('POST', path, { key, body });
    expect(reply.status, reply.text).to.be.oneOf([200, 201, 202]);
    return reply.body;
  };
  const say = (entity: string, when: string) =>
    make('/v1/facts', {
      ...{ entity, relation: 'memory:note', source: 'agent:s' },
      value: { type: 'text', v: `the ferry leaves at ${when}` },
    });
  const erase = async (entity: string) => {
    const { id } = await make('/v1/tombstones', { entity_uri: entity, reason: 'asked for' });
    await make(`/v1/tombstones/${id}/erase`, { confirm: entity });
  };
  const counted = () => node.kernel.get(FactStore).table('recall_access').select('fact_id');

  it('are not written for a fact that was erased after its recall', async () => {
    await say('ferry:1', 'dawn');
    const stays = await say('ferry:2', 'noon');
    const { facts } = await make('/v1/recall', { query: 'ferry', token_budget: 500 });
    expect(facts).to.have.length(2);
    await erase('ferry:1');
    await node.clock.advance(FLUSH_MS);
    await comesTrue(async () => (await counted()).length > 0);
    expect(await counted()).to.deep.equal([{ fact_id: stays.id }]);
  });

  it('do not outlast the erasure of a fact that another process has counted', async () => {
    const ids = [(await say('ferry:1', 'dawn')).id, (await say('ferry:2', 'noon')).id];
    const store = node.kernel.get(FactStore);
    const others = new AccessCounts(createPluginTables(store, 'recall'));
    const facts = await store.read((snapshot) => snapshot.find({ filter: isIn('id', ids), order: 'feed', limit: 2 }));
    others.note(facts.map((fact) => ({ fact })));
    await erase('ferry:1');
    await others.flush();
    expect(await counted()).to.deep.equal([{ fact_id: ids[1] }]);
  });
});
