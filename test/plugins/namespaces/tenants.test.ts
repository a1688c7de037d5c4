import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTenantsNode, type TenantsNode } from '../multi-tenant/tenants-node.ts';

forEachStore('namespaces of several tenants', () => {
  let node: TenantsNode;
  afterEach(() => node.stop());

  it('apply only in their own tenant, and are shown only there', async () => {
    const env = { SVC_NAMESPACES_ENABLED: 'true', SVC_MULTI_TENANT_ENABLED: 'true' };
    node = await startTenantsNode({ plugins: ['audit', 'keys', 'multi-tenant', 'facts', 'namespaces'], env });
    const acme = await node.create('acme');
    await node.must(200, 'PUT', '/v1/namespaces', { pattern: 'user:a/*', owners: ['agent:nobody'] });
    const shown = async (key: string) => (await node.must(200, 'GET', '/v1/namespaces', undefined, key)).body.total;
    expect([await shown(node.operator), await shown(acme)]).to.deep.equal([1, 0]);
    const body = { entity: 'user:a/1', relation: 'memory:x', value: { type: 'string', v: 'a' }, source: 'agent:s' };
    await node.must(403, 'POST', '/v1/facts', body);
    await node.must(201, 'POST', '/v1/facts', body, acme);
    await node.must(404, 'DELETE', '/v1/namespaces?pattern=user:a/*', undefined, acme);
    await node.must(403, 'POST', '/v1/facts', { ...body, value: { type: 'string', v: 'b' } });
  });
});
