import { expect } from 'chai';
import { FactStore } from '../../../ports/ports.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode } from '../../kit/start-test-node.ts';

const PLUGINS = ['keys', 'facts', 'conflicts', 'recall', 'search', 'tombstones', 'node-info'];
const FLUSH_MS = 600_000;

forEachStore('the counts of recalls', () => {
  it('are not written for a fact that was erased after its recall', async () => {
    const node = await startTestNode({ plugins: PLUGINS, env: { SVC_TOMBSTONES_ENABLED: 'true' } });
    try {
      const key = await node.addKey({ permissions: ['read', 'write', 'admin'] });
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
      await say('ferry:1', 'dawn');
      const stays = await say('ferry:2', 'noon');
      const { facts } = await make('/v1/recall', { query: 'ferry', token_budget: 500 });
      expect(facts).to.have.length(2);
      const { id } = await make('/v1/tombstones', { entity_uri: 'ferry:1', reason: 'asked for' });
      await make(`/v1/tombstones/${id}/erase`, { confirm: 'ferry:1' });
      await node.clock.advance(FLUSH_MS);
      const counted = () => node.kernel.get(FactStore).table('recall_access').select('fact_id');
      await comesTrue(async () => (await counted()).length > 0);
      expect(await counted()).to.deep.equal([{ fact_id: stays.id }]);
    } finally {
      await node.stop();
    }
  });
});
