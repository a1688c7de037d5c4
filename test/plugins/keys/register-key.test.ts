import { expect } from 'chai';
import { ALL_PERMISSIONS } from '../../kit/all-permissions.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const DAY_MS = 86_400_000;
let drawn = 0;
const freshKey = (): string => `raw-${String(++drawn).padStart(40, '0')}`;

forEachStore('POST /v1/auth/keys', () => {
  let node: TestNode;
  let admin: string;
  before(async () => {
    node = await startTestNode({ plugins: ['keys', 'audit', 'facts'] });
    admin = await node.addKey({ entityUri: 'agent:ops', permissions: ALL_PERMISSIONS });
  });
  after(() => node.stop());

  const register = (body: Record<string, unknown>, key = admin) =>
    node.request('POST', '/v1/auth/keys', { key, body: { raw_key: freshKey(), entity_uri: 'agent:new', ...body } });
  const registered = async (entity: string) => {
    const { body } = await node.request('GET', '/v1/auth/audit?limit=1000', { key: admin });
    return body.entries.filter((entry: { detail: { target_entity_uri?: string } | null }) => {
      return entry.detail?.target_entity_uri === entity;
    });
  };

  it('returns 201 with the record and its defaults, but never the key', async () => {
    const raw = freshKey();
    const reply = await register({ raw_key: raw });
    expect(reply.status).to.equal(201);
    const { id, ...rest } = reply.body;
    expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    expect(rest).to.deep.equal({
      entity_uri: 'agent:new',
      permissions: ['read', 'write'],
      allowed_scopes: ['local', 'team', 'company', 'public'],
      description: null,
      created_at: '2026-03-02T09:00:00.000Z',
      expires_at: '2026-05-31T09:00:00.000Z',
      tenant_id: 'default',
      oidc_sub: null,
      last_used_at: null,
    });
    expect(reply.text).not.to.contain(raw);
    expect((await node.request('GET', '/v1/me', { key: raw })).body.entity_uri).to.equal('agent:new');
  });

  it('sorts permissions and scopes without duplicates, and keeps the spelling of the expiry', async () => {
    const { body } = await register({
      permissions: ['write', 'instruction:write', 'read', 'write'],
      allowed_scopes: ['public', 'local', 'public'],
      description: 'on the laptop',
      expires_at: '2026-03-10T10:00:00+02:00',
      entity_uri: '  agent:trimmed ',
    });
    expect(body.permissions).to.deep.equal(['instruction:write', 'read', 'write']);
    expect(body.allowed_scopes).to.deep.equal(['local', 'public']);
    expect(body.description).to.equal('on the laptop');
    expect(body.expires_at).to.equal('2026-03-10T10:00:00+02:00');
    expect(body.entity_uri).to.equal('agent:trimmed');
  });

  it('writes an admin_action entry with the actor, the id and the permissions of the new key', async () => {
    const { body } = await register({ entity_uri: 'agent:audited', permissions: ['write', 'read'] });
    const [entry, ...others] = await registered('agent:audited');
    expect(others).to.deep.equal([]);
    expect(entry).to.include({ event_type: 'admin_action', entity_uri: 'agent:ops', fact_id: null });
    expect(entry.detail).to.deep.equal({
      action: 'api_key_register',
      new_key_id: body.id,
      target_entity_uri: 'agent:audited',
      permissions: ['read', 'write'],
      has_expiry: true,
    });
  });

  const now = Date.UTC(2026, 2, 2, 9);
  const BROKEN: readonly [string, Record<string, unknown>][] = [
    ['a key of 31 characters', { raw_key: 'x'.repeat(31) }],
    ['a key of 1025 characters', { raw_key: 'x'.repeat(1025) }],
    ['a key that no header can carry', { raw_key: `${'x'.repeat(40)}\n` }],
    ['a key with a blank', { raw_key: `${'x'.repeat(20)} ${'y'.repeat(20)}` }],
    ['a key with non-ASCII characters', { raw_key: 'ü'.repeat(40) }],
    ['a key that is not a string', { raw_key: 123456789 }],
    ['no key', { raw_key: undefined }],
    ['no entity', { entity_uri: undefined }],
    ['an empty entity', { entity_uri: '  ' }],
    ['an entity with a control character', { entity_uri: 'agent:\u0007' }],
    ['an unknown permission', { permissions: ['read', 'root'] }],
    ['no permission', { permissions: [] }],
    ['permissions that are not a list', { permissions: 'read' }],
    ['an unknown scope', { allowed_scopes: ['world'] }],
    ['no scope', { allowed_scopes: [] }],
    ['a description of 1025 characters', { description: 'x'.repeat(1025) }],
    ['a description with NUL', { description: 'a\u0000b' }],
    ['an expiry that is not a time', { expires_at: 'tomorrow' }],
    ['an expiry without an offset', { expires_at: '2026-03-10T10:00:00' }],
    ['an expiry that is a date', { expires_at: '2026-03-10' }],
    ['an expiry on 30 February', { expires_at: '2027-02-30T00:00:00Z' }],
    ['an expiry now', { expires_at: new Date(now).toISOString() }],
    ['an expiry in the past', { expires_at: '2026-03-01T00:00:00Z' }],
    ['an expiry beyond the maximum age', { expires_at: new Date(now + 90 * DAY_MS + 1).toISOString() }],
    ['an invalid tenant name', { tenant_id: 'Tenant_1' }],
    ['an unknown member', { is_admin: true }],
    ['a member that only records have', { id: 'x' }],
    ['a prototype key', { ['__proto__']: null, constructor: { prototype: {} } }],
  ];
  for (const [what, body] of BROKEN) {
    it(`refuses ${what} with 422 and registers nothing`, async () => {
      const entity = `agent:broken-${BROKEN.findIndex(([name]) => name === what)}`;
      const raw = typeof body['raw_key'] === 'string' ? body['raw_key'] : freshKey();
      const reply = await register({ entity_uri: entity, raw_key: raw, ...body });
      expect(reply.status, reply.text).to.equal(422);
      expect(reply.headers['content-type']).to.equal('application/problem+json');
      expect(reply.body.detail).to.be.a('string');
      expect(reply.text).not.to.contain(raw);
      expect(await registered(entity)).to.deep.equal([]);
    });
  }

  it('accepts the latest expiry that the maximum age allows', async () => {
    expect((await register({ expires_at: new Date(now + 90 * DAY_MS).toISOString() })).status).to.equal(201);
  });

  it('returns 409 for a known key, under any entity, revoked or not', async () => {
    const raw = freshKey();
    const { body } = await register({ raw_key: raw });
    for (const entity of ['agent:new', 'agent:thief']) {
      const again = await register({ raw_key: raw, entity_uri: entity });
      expect(again.status).to.equal(409);
      expect(again.body.code).to.equal('conflict');
      expect(again.text).not.to.contain(raw);
    }
    await node.request('DELETE', `/v1/auth/keys/${body.id}`, { key: admin });
    expect((await register({ raw_key: raw })).status).to.equal(409);
    expect((await node.request('GET', '/v1/me', { key: raw })).status).to.equal(401);
  });

  it('returns 409 for another spelling of an entity with an active key, and names the known one', async () => {
    const entity = 'agent:Ren\u00e9';
    const [first, second] = [await register({ entity_uri: entity }), await register({ entity_uri: entity })];
    expect([first.status, second.status]).to.deep.equal([201, 201]);
    for (const spelling of ['agent:Rene\u0301', 'AGENT:REN\u00c9']) {
      const reply = await register({ entity_uri: spelling });
      expect([reply.status, reply.body.code]).to.deep.equal([409, 'conflict']);
      expect(reply.body.detail).to.include(entity);
    }
    expect(await registered('agent:Rene\u0301')).to.deep.equal([]);
    for (const { body } of [first, second]) {
      await node.request('DELETE', `/v1/auth/keys/${body.id}`, { key: admin });
    }
    expect((await register({ entity_uri: 'agent:rene\u0301' })).status).to.equal(201);
  });

  it('registers only one of two equal keys that arrive at the same time', async () => {
    const raw = freshKey();
    const replies = await Promise.all([register({ raw_key: raw }), register({ raw_key: raw })]);
    expect(replies.map(({ status }) => status).sort()).to.deep.equal([201, 409]);
  });

  it('grants no permission or scope that the registering key lacks', async () => {
    const narrow = await node.addKey({
      entityUri: 'agent:narrow',
      permissions: ['admin', 'read', 'write'],
      scopes: ['public', 'team'],
    });
    const tooWide = await register({ allowed_scopes: ['public', 'company'] }, narrow);
    expect([tooWide.status, tooWide.body.code]).to.deep.equal([403, 'authorization']);
    expect((await register({}, narrow)).status, 'the default is all four scopes').to.equal(403);
    expect((await register({ allowed_scopes: ['team'] }, narrow)).status).to.equal(201);
    expect((await register({ tenant_id: 'other' }, narrow)).status).to.equal(403);
    expect((await register({ tenant_id: 'default' })).status).to.equal(201);
  });

  it('rejects names of the node, which it uses for its own facts and audit entries', async () => {
    for (const entity of ['system:svc', ' System:anything']) {
      const reply = await register({ entity_uri: entity });
      expect([reply.status, reply.body.code], entity).to.deep.equal([403, 'reserved_namespace']);
    }
    expect((await register({ entity_uri: 'systems:svc' })).status).to.equal(201);
  });

  it('requires the permission admin', async () => {
    for (const permissions of [['read', 'write'], ['federate'], ['audit.read']] as const) {
      const key = await node.addKey({ entityUri: 'agent:plain', permissions });
      const reply = await register({ entity_uri: 'agent:unregistered' }, key);
      expect([reply.status, reply.body.code]).to.deep.equal([403, 'authorization']);
    }
    expect(await registered('agent:unregistered')).to.deep.equal([]);
  });
});

forEachStore('the maximum age of keys', () => {
  it('can be disabled, and keys then need no expiry', async () => {
    const node = await startTestNode({ plugins: ['keys'], env: { SVC_API_KEY_MAX_AGE_DAYS: '0' } });
    const admin = await node.addKey({ permissions: ['read', 'write', 'admin'] });
    const register = (body: Record<string, unknown>) =>
      node.request('POST', '/v1/auth/keys', {
        key: admin,
        body: { raw_key: freshKey(), entity_uri: 'agent:new', ...body },
      });
    expect((await register({})).body.expires_at).to.equal(null);
    expect((await register({ expires_at: null })).body.expires_at).to.equal(null);
    expect((await register({ expires_at: '2099-01-01T00:00:00Z' })).status).to.equal(201);
    expect((await register({ expires_at: '2001-01-01T00:00:00Z' })).status).to.equal(422);
    await node.clock.advance(400 * DAY_MS);
    expect((await node.request('GET', '/v1/me', { key: admin })).status).to.equal(200);
    await node.stop();
  });
});
