import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const TENANTS = { 'multi-tenant': { enabled: true }, tombstones: { enabled: true } };
const RAW_KEY = 'a-key-that-somebody-would-like-to-have-01';

/** Requests of administrators, with valid bodies. */
const ADMINISTRATION: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['POST', '/v1/auth/keys', { raw_key: RAW_KEY, entity_uri: 'agent:mine' }],
  ['GET', '/v1/auth/keys/expiring-soon'],
  ['GET', '/v1/admin/billing/events'],
  ['POST', '/v1/tombstones', { entity_uri: 'user:alice' }],
  ['GET', '/v1/tombstones/user:alice'],
  ['POST', '/v1/tombstones/tomb_1/revoke', { reason: 'a mistake' }],
  ['POST', '/v1/tombstones/tomb_1/erase', { confirm: 'user:alice' }],
  ['POST', '/v1/subjects/export', { entity_uri: 'user:alice' }],
  ['GET', '/v1/backups'],
  ['POST', '/v1/backups'],
  ['GET', '/v1/tenants'],
  ['POST', '/v1/tenants', { id: 'mine', first_key: { raw_key: RAW_KEY, entity_uri: 'agent:mine' } }],
  ['PATCH', '/v1/tenants/default', { status: 'suspended' }],
  ['DELETE', '/v1/tenants/default', { confirm: 'default' }],
  ['GET', '/v1/tenants/default/export'],
];

const AUDIT = ['/v1/auth/audit', '/v1/admin/audit', '/v1/audit/verify'];

forEachStore('the administration of a node', () => {
  let node: TestNode;
  let admin: string;
  before(async () => {
    node = await startTestNode({ settings: TENANTS });
    admin = await node.addKey({ entityUri: 'agent:admin', permissions: ['read', 'write', 'admin', 'audit.read'] });
  });
  after(() => node?.stop());

  const get = async (path: string) => (await node.request('GET', path, { key: admin })).body;
  /** Returns the state that the refused requests would have changed. */
  const state = async () => ({
    tombstones: await get('/v1/tombstones/user:alice'),
    tenants: await get('/v1/tenants'),
    actions: (await get('/v1/auth/audit?event_type=admin_action')).entries,
  });

  for (const permission of ['read', 'write', 'federate', 'audit.read', 'instruction:write']) {
    it(`refuses a key with ${permission} alone, and nothing changes`, async () => {
      const key = await node.addKey({ entityUri: `agent:with-${permission}`, permissions: [permission] });
      const before = await state();
      for (const [method, path, body] of ADMINISTRATION) {
        const reply = await node.request(method, path, { key, ...(body === undefined ? {} : { body }) });
        expect([reply.status, reply.body.code], `${method} ${path}`).to.deep.equal([403, 'authorization']);
      }
      for (const path of AUDIT) {
        const { status } = await node.request('GET', path, { key });
        expect(status, path).to.equal(permission === 'audit.read' ? 200 : 403);
      }
      expect(await state()).to.deep.equal(before);
      const unknown = await node.request('GET', '/v1/me', { key: RAW_KEY });
      expect(unknown.status).to.equal(401);
    });
  }

  it('shows a key with audit.read only the log of its own tenant', async () => {
    const first = { raw_key: 'the-first-key-of-another-tenant-000001', entity_uri: 'agent:theirs' };
    const made = await node.request('POST', '/v1/tenants', { key: admin, body: { id: 'theirs', first_key: first } });
    expect(made.status, made.text).to.equal(201);
    const value = { type: 'string', v: 'red' };
    const body = { entity: 'user:theirs', relation: 'memory:colour', value, source: 'agent:theirs' };
    expect((await node.request('POST', '/v1/facts', { key: first.raw_key, body })).status).to.equal(201);
    const reader = await node.addKey({ entityUri: 'agent:auditor', permissions: ['audit.read'], tenantId: 'theirs' });
    for (const [key, tenant] of [
      [reader, 'theirs'],
      [admin, 'default'],
    ] as const) {
      const { body: log } = await node.request('GET', '/v1/admin/audit', { key });
      expect(log.entries).to.have.length.of.at.least(1);
      for (const { tenant_id } of log.entries) expect(tenant_id).to.equal(tenant);
    }
  });
});
