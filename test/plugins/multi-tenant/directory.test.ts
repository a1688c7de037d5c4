import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode } from '../../kit/start-test-node.ts';
import { rawKey, startTenantsNode, type TenantsNode } from './tenants-node.ts';

const firstKey = (word: string, members: object = {}) => ({
  raw_key: rawKey(word),
  entity_uri: 'agent:admin',
  ...members,
});

forEachStore('the directory of tenants', () => {
  let node: TenantsNode;
  beforeEach(async () => {
    node = await startTenantsNode();
  });
  afterEach(() => node?.stop());

  it('creates a tenant together with its first key, which administers it', async () => {
    const made = await node.must(201, 'POST', '/v1/tenants', { id: 'acme', name: 'Acme', first_key: firstKey('one') });
    expect(made.body).to.include({ id: 'acme', name: 'Acme', status: 'active', suspended_at: null });
    expect(made.body.first_key).to.include({ entity_uri: 'agent:admin' });
    expect(made.body.first_key.permissions).to.deep.equal(['admin', 'read', 'write']);
    expect(made.text).not.to.include(rawKey('one'));
    const me = await node.must(200, 'GET', '/v1/me', undefined, rawKey('one'));
    expect(me.body).to.include({ tenant_id: 'acme', entity_uri: 'agent:admin' });
    const body = { raw_key: rawKey('two'), entity_uri: 'agent:two' };
    const second = await node.must(201, 'POST', '/v1/auth/keys', body, rawKey('one'));
    expect(second.body.tenant_id).to.equal('acme');
  });

  it('lists tenants by id, page by page, and shows the counts of one', async () => {
    for (const id of ['b', 'a', 'c']) await node.create(id);
    await node.say(rawKey('a'), 'user:x', 'one');
    const first = await node.must(200, 'GET', '/v1/tenants?limit=3');
    expect(first.body.tenants.map(({ id }: { id: string }) => id)).to.deep.equal(['a', 'b', 'c']);
    expect(first.body.total).to.equal(4);
    const second = await node.must(200, 'GET', `/v1/tenants?limit=3&cursor=${first.body.cursor}`);
    expect(second.body).to.deep.include({ total: 4, cursor: null });
    expect(second.body.tenants.map(({ id }: { id: string }) => id)).to.deep.equal(['default']);
    const one = await node.must(200, 'GET', '/v1/tenants/a');
    expect(one.body).to.deep.include({ status: 'active', erasure: null });
    expect(one.body.counts).to.include({ facts: 1, keys: 1 });
  });

  it('refuses taken and invalid ids, known keys, and rights that the operator lacks', async () => {
    await node.create('acme');
    const conflicts = [
      { id: 'acme', first_key: firstKey('other') },
      { id: 'default', first_key: firstKey('other') },
      { id: 'fresh', first_key: firstKey('acme') },
    ];
    for (const body of conflicts) {
      expect((await node.must(409, 'POST', '/v1/tenants', body)).body.code).to.equal('conflict');
    }
    for (const id of ['Acme', '-a', '', 'a'.repeat(64), 'a/b', 'a_b']) {
      await node.must(422, 'POST', '/v1/tenants', { id, first_key: firstKey('other') });
    }
    const short = await node.must(422, 'POST', '/v1/tenants', {
      id: 'x',
      first_key: firstKey('o', { raw_key: 'short' }),
    });
    expect(short.body.errors[0].path).to.equal('body.first_key.raw_key');
    const rights = firstKey('other', { permissions: ['instruction:write'] });
    await node.must(403, 'POST', '/v1/tenants', { id: 'x', first_key: rights });
    await node.must(404, 'GET', '/v1/tenants/x');
    await node.must(404, 'GET', '/v1/tenants/fresh');
  });

  it('is reserved to administrators of the tenant default', async () => {
    const acme = await node.create('acme');
    const reader = await node.addKey({ permissions: ['read', 'write'] });
    for (const key of [acme, reader]) {
      const asked: [string, string, unknown?][] = [
        ['GET', '/v1/tenants'],
        ['GET', '/v1/tenants/acme'],
        ['GET', '/v1/tenants/no-such'],
        ['POST', '/v1/tenants', { id: 'mine', first_key: firstKey('mine') }],
        ['PATCH', '/v1/tenants/acme', { name: 'Mine' }],
        ['DELETE', '/v1/tenants/acme', { confirm: 'acme' }],
        ['GET', '/v1/tenants/acme/export'],
      ];
      for (const [method, path, body] of asked) await node.must(403, method, path, body, key);
    }
  });

  it('suspends a tenant at once, with an error that names the suspension, and resumes it', async () => {
    const acme = await node.create('acme');
    const id = await node.say(acme, 'user:x', 'one');
    const changed = await node.must(200, 'PATCH', '/v1/tenants/acme', { status: 'suspended' });
    expect(changed.body.status).to.equal('suspended');
    const refused = await node.must(403, 'GET', `/v1/facts/${id}`, undefined, acme);
    expect(refused.body.detail).to.match(/suspended/);
    await node.must(401, 'GET', '/v1/me', undefined, rawKey('unknown'));
    await node.must(200, 'GET', '/v1/me');
    await node.must(200, 'PATCH', '/v1/tenants/acme', { status: 'active' });
    await node.must(200, 'GET', `/v1/facts/${id}`, undefined, acme);
  });

  it('neither suspends nor erases the tenant default, and a change keeps all members that it does not name', async () => {
    await node.must(409, 'PATCH', '/v1/tenants/default', { status: 'suspended' });
    await node.must(409, 'DELETE', '/v1/tenants/default', { confirm: 'default' });
    await node.create('acme');
    await node.must(200, 'PATCH', '/v1/tenants/acme', { status: 'suspended' });
    const named = await node.must(200, 'PATCH', '/v1/tenants/acme', { name: 'Acme' });
    expect(named.body).to.include({ status: 'suspended', name: 'Acme' });
    await node.must(404, 'PATCH', '/v1/tenants/no-such', { name: 'x' });
  });

  it('audits changes in the log of the operator, not in the log of the tenant', async () => {
    const acme = await node.create('acme');
    await node.must(200, 'PATCH', '/v1/tenants/acme', { status: 'suspended' });
    await node.must(200, 'PATCH', '/v1/tenants/acme', { status: 'active' });
    const own = await node.must(200, 'GET', '/v1/auth/audit?event_type=admin_action');
    const actions = own.body.entries
      .map(({ detail }: { detail: Record<string, string> }) => detail)
      .filter((detail: Record<string, string>) => detail['tenant_id'] === 'acme')
      .map((detail: Record<string, string>) => detail['action']);
    expect(actions).to.deep.equal(['tenant_create', 'tenant_suspend', 'tenant_resume']);
    expect((await node.must(200, 'GET', '/v1/auth/audit', undefined, acme)).body.total).to.equal(0);
  });

  it('exports exactly one tenant, with the output of the command', async () => {
    const acme = await node.create('acme');
    await node.say(acme, 'user:x', 'of acme');
    await node.say(node.operator, 'user:x', 'of the operator');
    const reply = await node.must(200, 'GET', '/v1/tenants/acme/export');
    expect(reply.headers['content-type']).to.equal('application/x-ndjson');
    const lines = reply.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ type }) => type)).to.deep.equal(['header', 'fact', 'end']);
    expect(lines[0].tenant_id).to.equal('acme');
    expect(reply.text).to.include('of acme').and.not.to.include('of the operator');
    await node.must(404, 'GET', '/v1/tenants/no-such/export');
    const log = await node.must(200, 'GET', '/v1/auth/audit?event_type=admin_action');
    const details = log.body.entries.map(({ detail }: { detail: object }) => detail);
    expect(details).to.deep.include({ action: 'tenant_export', tenant_id: 'acme' });
  });

  it('refuses an export to a key that may not read all scopes', async () => {
    await node.create('acme');
    const blind = await node.addKey({ permissions: ['admin'] });
    await node.must(403, 'GET', '/v1/tenants/acme/export', undefined, blind);
    const narrow = await node.addKey({ permissions: ['admin', 'read'], scopes: ['public'] });
    await node.must(403, 'GET', '/v1/tenants/acme/export', undefined, narrow);
  });
});

describe('a node with only the tenant default', () => {
  it('refuses requests for tenants with the name of the setting that enables them', async () => {
    const node = await startTestNode({ plugins: ['keys', 'multi-tenant'] });
    try {
      const key = await node.addKey({ permissions: ['admin'] });
      const reply = await node.request('GET', '/v1/tenants', { key });
      expect(reply).to.include({ status: 403 });
      expect(reply.body.code).to.equal('multi_tenant_disabled');
      expect(reply.body.detail).to.include('SVC_MULTI_TENANT_ENABLED=true');
    } finally {
      await node.stop();
    }
  });
});
