import { expect } from 'chai';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const SECRET = 'A'.repeat(43);

describe('the description of a node at its own route', () => {
  let node: TestNode;
  before(async () => {
    node = await startTestNode({ env: { SVC_NODE_PRIVATE_KEY: SECRET, SVC_MULTI_TENANT_ENABLED: 'true' } });
  });
  after(() => node.stop());

  it('shows an administrator plugins, routes and settings, without secrets', async () => {
    const key = await node.addKey({ permissions: ['admin'] });
    const { status, body, text } = await node.request('GET', '/v1/node', { key });
    expect(status, text).to.equal(200);
    const names = body.plugins.map(({ name }: { name: string }) => name);
    expect(names).to.include.members(['openapi', 'facts']);
    expect(body.routes).to.deep.include({
      method: 'GET',
      path: '/healthz',
      plugin: 'node-info',
      summary: 'Whether the node can serve and store',
      access: 'open',
      dimension: null,
    });
    const secret = body.settings.find(({ variable }: { variable: string }) => variable === 'SVC_NODE_PRIVATE_KEY');
    expect(secret).to.include({ value: '(set)', origin: 'environment' });
    expect(text).not.to.include(SECRET);
  });

  it('is refused to all others, including an administrator of another tenant', async () => {
    const writer = await node.addKey({ permissions: ['read', 'write'] });
    const other = await node.addKey({ permissions: ['admin', 'read', 'write'], tenantId: 'acme' });
    for (const key of [writer, other]) {
      expect((await node.request('GET', '/v1/node', { key })).status).to.equal(403);
    }
    expect((await node.request('GET', '/v1/node')).status).to.equal(401);
  });
});
