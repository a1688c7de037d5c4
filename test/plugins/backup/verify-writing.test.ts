import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { Facts, NodeSelf, nodePrincipal } from '../../../kernel/plugin-api.ts';
import { StoreVerification, storeChecks } from '../../../plugins/backup/backup-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode } from '../../kit/start-test-node.ts';

const factOf = (entity: string) => ({
  entity,
  relation: 'x:color',
  value: { type: 'string', v: 'red' } as const,
  source: 'agent:a',
  confidence: 1,
  scope: 'company' as const,
});

/** Stores a fact after the other checks have begun, and before the walk reads its first page. */
const writing = defineOwnPlugin({
  name: 'writing',
  requires: { facts: Facts, self: NodeSelf },
  setup({ on, use }) {
    on(storeChecks, () => ({
      name: 'writing',
      summary: 'stores a fact beside the verification',
      async begin() {
        const late = { ...factOf('user:late'), value: { type: 'string', v: 'red', interpretAs: 'content' } as const };
        await use.facts.append(late, nodePrincipal(use.self.names), { origin: 'plugin' });
        return {};
      },
    }));
  },
});

forEachStore('the verification of a store to which facts are written meanwhile', () => {
  it('finds nothing, because the search index reads the new facts too', async () => {
    const node = await startTestNode({ extra: [writing] });
    try {
      const key = await node.addKey({ permissions: ['read', 'write'] });
      expect((await node.request('POST', '/v1/facts', { key, body: factOf('user:early') })).status).to.equal(201);
      const { findings } = await node.kernel.get(StoreVerification).run();
      expect(findings).to.deep.equal([]);
      expect((await node.kernel.get(StoreVerification).run()).entries).to.be.at.least(2);
    } finally {
      await node.stop();
    }
  });
});
