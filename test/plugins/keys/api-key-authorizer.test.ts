import { Authorizer, DEFAULT_TENANT, type Principal } from '../../../kernel/plugin-api.ts';
import { KeyRegistry } from '../../../plugins/keys/keys-api.ts';
import { FactStore } from '../../../ports/ports.ts';
import { describeAuthorizer } from '../../contract/authorizer-contract.ts';
import { startTestNode } from '../../kit/start-test-node.ts';

const operator: Principal = {
  kind: 'node',
  entityUri: 'system:test',
  permissions: new Set(),
  allowedScopes: new Set(),
  tenantId: DEFAULT_TENANT,
  keyId: null,
  oidcSub: null,
};

describeAuthorizer('the API keys of the store', async () => {
  const node = await startTestNode({ plugins: ['keys', 'audit'] });
  const token = await node.addKey({ entityUri: 'agent:a' });
  const registry = node.kernel.get(KeyRegistry);
  return {
    authorizer: node.kernel.get(Authorizer),
    token,
    holder: { entityUri: 'agent:a', tenantId: DEFAULT_TENANT },
    anybody: null,
    revoke: async () => {
      for (const { id } of await registry.list(operator)) await registry.revoke(operator, id);
    },
    disconnect: () => node.kernel.get(FactStore).close(),
    dispose: () => node.stop(),
  };
});
