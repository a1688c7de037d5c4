import { expect } from 'chai';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const DAY_MS = 86_400_000;
let drawn = 0;
const freshKey = (): string => `raw-${String(++drawn).padStart(40, '0')}`;

forEachStore('an API key from its registration to its end', () => {
  let node: TestNode;
  let admin: string;
  beforeEach(async () => {
    node = await startTestNode({ plugins: ['keys', 'audit'] });
    admin = await node.addKey({ entityUri: 'agent:ops', permissions: ['read', 'write', 'admin', 'audit.read'] });
  });
  afterEach(() => node.stop());

  const register = async (entityUri: string, body: Record<string, unknown> = {}) => {
    const raw = freshKey();
    const sent = { raw_key: raw, entity_uri: entityUri, ...body };
    const reply = await node.request('POST', '/v1/auth/keys', { key: admin, body: sent });
    expect(reply.status, reply.text).to.equal(201);
    return { raw, id: reply.body.id as string };
  };
  const status = async (method: string, target: string, key: string) =>
    (await node.request(method, target, { key })).status;
  const idsOf = async (key: string) => {
    const { body } = await node.request('GET', '/v1/auth/keys', { key });
    return body.map(({ id }: { id: string }) => id);
  };

  it('is listed for its owner only while it is active, newest first', async () => {
    const first = await register('agent:w');
    await node.clock.advance(1);
    const second = await register('agent:w');
    const short = await register('agent:w', { expires_at: '2026-03-02T09:00:05Z' });
    await register('agent:x');
    expect(await idsOf(first.raw)).to.have.members([short.id, second.id, first.id]);
    await node.clock.advance(5_000);
    expect(await idsOf(first.raw)).to.deep.equal([second.id, first.id]);
    expect((await node.request('GET', '/v1/auth/keys', { key: first.raw })).body[0]).to.have.all.keys(
      'id',
      'entity_uri',
      'permissions',
      'allowed_scopes',
      'description',
      'created_at',
      'expires_at',
      'tenant_id',
      'oidc_sub',
      'last_used_at',
    );
  });

  it('is listed for an administrator with all active keys, filtered by entity or description', async () => {
    await register('agent:Walker', { description: 'on the BUILD server' });
    const ended = await register('agent:gone');
    await register('agent:x', { description: '100%_done' });
    await node.request('DELETE', `/v1/auth/keys/${ended.id}`, { key: admin });
    const found = async (query: string): Promise<string[]> => {
      const { body } = await node.request('GET', `/v1/auth/keys${query}`, { key: admin });
      return body.map(({ entity_uri: entity }: { entity_uri: string }) => entity);
    };
    expect(await found('?all=true')).to.have.members(['agent:x', 'agent:Walker', 'agent:ops']);
    expect(await found('?all=true&search=walk')).to.deep.equal(['agent:Walker']);
    expect(await found('?all=true&search=build')).to.deep.equal(['agent:Walker']);
    expect(await found('?all=true&search=%25_')).to.deep.equal(['agent:x']);
    expect(await found('?all=true&limit=1')).to.have.length(1);
    expect(await found('?search=walk')).to.deep.equal([]);
  });

  it('is listed for others than its owner only if they are administrators', async () => {
    const { raw } = await register('agent:w');
    expect(await status('GET', '/v1/auth/keys?all=true', raw)).to.equal(403);
  });

  it('ends at once when it is revoked; other keys of the entity stay valid', async () => {
    const first = await register('agent:w');
    const second = await register('agent:w');
    expect(await status('GET', '/v1/me', first.raw)).to.equal(200);
    const reply = await node.request('DELETE', `/v1/auth/keys/${first.id}`, { key: first.raw });
    expect([reply.status, reply.text]).to.deep.equal([204, '']);
    expect(await status('GET', '/v1/me', first.raw)).to.equal(401);
    expect(await status('GET', '/v1/me', second.raw)).to.equal(200);
    expect(await idsOf(second.raw)).to.deep.equal([second.id]);
  });

  it('gets the same reply as an unknown key when it belongs to another entity', async () => {
    const own = await register('agent:w');
    const foreign = await register('agent:x');
    const target = (id: string) => node.request('DELETE', `/v1/auth/keys/${id}`, { key: own.raw });
    const replies = [
      await target(foreign.id),
      await target('3b4d2d50-9e0a-4b8e-9d0e-0f6f8b1f6f11'),
      await target('no-id'),
    ];
    const masked = replies.map(({ status, body: { request_id: _, instance: __, ...body } }) => ({ status, body }));
    expect(masked[0]?.status).to.equal(404);
    expect(masked[1]).to.deep.equal(masked[0]);
    expect(masked[2]).to.deep.equal(masked[0]);
    expect(await status('GET', '/v1/me', foreign.raw)).to.equal(200);
  });

  it('can be revoked by an admin, and each revocation is audited once', async () => {
    const key = await register('agent:w');
    expect(await status('DELETE', `/v1/auth/keys/${key.id}`, admin)).to.equal(204);
    expect(await status('DELETE', `/v1/auth/keys/${key.id}`, admin), 'again').to.equal(204);
    const { body } = await node.request('GET', '/v1/auth/audit?event_type=api_key_revoked', { key: admin });
    expect(body.total).to.equal(1);
    expect(body.entries[0]).to.include({ entity_uri: 'agent:ops' });
    expect(body.entries[0].detail).to.deep.equal({
      action: 'api_key_revoke',
      key_id: key.id,
      target_entity_uri: 'agent:w',
    });
  });

  it('ends at the expiry to the millisecond, after any lookups', async () => {
    const key = await register('agent:w', { expires_at: '2026-03-02T09:00:02Z' });
    await node.clock.advance(1_999);
    expect(await status('GET', '/v1/me', key.raw)).to.equal(200);
    await node.clock.advance(1);
    expect(await status('GET', '/v1/me', key.raw)).to.equal(401);
  });

  it('is listed for an admin when it expires soon, soonest first', async () => {
    const inTwo = await register('agent:a', { expires_at: '2026-03-04T09:00:00Z' });
    const inHalf = await register('agent:b', { expires_at: '2026-03-02T21:00:00Z' });
    const over = await register('agent:c', { expires_at: '2026-03-02T09:00:01Z' });
    const revoked = await register('agent:d', { expires_at: '2026-03-03T09:00:00Z' });
    await node.request('DELETE', `/v1/auth/keys/${revoked.id}`, { key: admin });
    await node.clock.advance(1_000);
    const within = async (query: string) => {
      const { body } = await node.request('GET', `/v1/auth/keys/expiring-soon${query}`, { key: admin });
      return body.map(({ id }: { id: string }) => id);
    };
    expect(await within('?within_days=1')).to.deep.equal([inHalf.id]);
    expect(await within('?within_days=2')).to.deep.equal([inHalf.id, inTwo.id]);
    expect(await within('')).to.deep.equal([inHalf.id, inTwo.id]);
    expect(await within('?within_days=365'))
      .to.have.length(3)
      .and.not.include(over.id);
    const { body, text } = await node.request('GET', '/v1/auth/keys/expiring-soon?within_days=1', { key: admin });
    expect(body[0].days_remaining).to.equal((12 * 3_600_000 - 1_000) / DAY_MS);
    expect(body[0].tenant_id).to.equal('default');
    expect(text).not.to.contain(inHalf.raw);
    for (const bad of ['0', '366', '-1', 'abc', '1.5', '', '1&within_days=2']) {
      const reply = await node.request('GET', `/v1/auth/keys/expiring-soon?within_days=${bad}`, { key: admin });
      expect(reply.status, bad).to.equal(400);
    }
    expect(await status('GET', '/v1/auth/keys/expiring-soon', inTwo.raw)).to.equal(403);
  });

  it('shows its holder its own identity at /v1/me', async () => {
    const key = await register('agent:w', { permissions: ['write', 'read'], allowed_scopes: ['public', 'local'] });
    expect((await node.request('GET', '/v1/me', { key: key.raw })).body).to.deep.equal({
      entity_uri: 'agent:w',
      permissions: ['read', 'write'],
      tenant_id: 'default',
      oidc_sub: null,
      allowed_scopes: ['local', 'public'],
    });
  });
});

forEachStore('an API key on several processes', () => {
  it('is refused everywhere within a second of its revocation, and after a restart', async () => {
    const clock = createManualClock();
    const first = await startTestNode({ plugins: ['keys'], clock });
    const { folder } = first;
    const second = await startTestNode({ plugins: ['keys'], clock, folder });
    const admin = await first.addKey({ permissions: ['read', 'write', 'admin'] });
    const kept = await first.addKey({ entityUri: 'agent:w' });
    const raw = freshKey();
    const { body } = await first.request('POST', '/v1/auth/keys', {
      key: admin,
      body: { raw_key: raw, entity_uri: 'agent:w' },
    });
    const me = async (node: TestNode, key: string) => (await node.request('GET', '/v1/me', { key })).status;
    expect([await me(first, raw), await me(second, raw)]).to.deep.equal([200, 200]);

    await first.request('DELETE', `/v1/auth/keys/${body.id}`, { key: kept });
    expect(await me(first, raw), 'here at once').to.equal(401);
    await clock.advance(1_000);
    expect(await me(second, raw), 'there within a second').to.equal(401);
    expect([await me(first, kept), await me(second, kept)]).to.deep.equal([200, 200]);

    await second.stop();
    const third = await startTestNode({ plugins: ['keys'], clock, folder });
    expect([await me(third, raw), await me(third, kept)]).to.deep.equal([401, 200]);
    await third.stop();
    await first.stop();
  });
});
