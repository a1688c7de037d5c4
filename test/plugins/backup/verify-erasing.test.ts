import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { TenantRemoval } from '../../../kernel/plugin-api.ts';
import { StoreVerification, storeChecks } from '../../../plugins/backup/backup-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTenantsNode } from '../multi-tenant/tenants-node.ts';

const FACTS = 600;
/** More facts than one page of the walk has, so that the next page does not follow it. */
const REMOVED_AT_ONCE = 300;

/** Begins the erasure of the tenant `acme` while the walk shows its first page to the checks. */
const erasing = defineOwnPlugin({
  name: 'erasing',
  requires: { removal: TenantRemoval },
  setup({ on, use }) {
    let hasBegun = false;
    on(storeChecks, () => ({
      name: 'erasing',
      summary: 'erases a tenant in the middle of the walk',
      begin: () => ({
        async page({ tenantId }) {
          if (hasBegun || tenantId !== 'acme') return;
          hasBegun = true;
          await use.removal.step('acme', REMOVED_AT_ONCE, async () => {});
        },
      }),
    }));
  },
});

forEachStore('the verification of a store of which a tenant is being erased', () => {
  it('finds nothing, because the rows of the tenant go piece by piece', async () => {
    const node = await startTenantsNode({ extra: [erasing] });
    try {
      const acme = await node.create('acme');
      const facts = Array.from({ length: FACTS }, (_, at) => ({
        entity: `user:n${at}`,
        relation: 'rel:knows',
        value: { type: 'ref', v: 'user:hub' },
        source: 'agent:s',
        scope: 'company',
      }));
      await node.must(200, 'POST', '/v1/facts/batch', facts, acme);
      const { findings, checks } = await node.kernel.get(StoreVerification).run();
      expect(findings).to.deep.equal([]);
      expect(checks.filter((check) => check.findings > 0)).to.deep.equal([]);
    } finally {
      await node.stop();
    }
  });
});
