import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { SCOPES } from '../../../kernel/plugin-api.ts';
import { ALL_PERMISSIONS, type DefaultPermission } from '../../kit/all-permissions.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

let drawn = 0;
const freshKey = (): string => `raw-${String(++drawn).padStart(40, '0')}`;

forEachStore('An administrator without other permissions creates a key that has them (I14)', () => {
  let node: TestNode;
  before(async () => {
    node = await startTestNode({ plugins: ['keys', 'audit', 'facts'] });
  });
  after(() => node.stop());

  const register = async (key: string, body: Readonly<Record<string, unknown>>) => {
    const sent = { raw_key: freshKey(), entity_uri: 'agent:made', ...body };
    const reply = await node.request('POST', '/v1/auth/keys', { key, body: sent });
    return { ...reply, rawKey: sent.raw_key };
  };

  it('and is refused each permission and scope that it lacks, including the default ones', async () => {
    for (const lacking of ALL_PERMISSIONS.filter((permission) => permission !== 'admin')) {
      const held = ALL_PERMISSIONS.filter((permission) => permission !== lacking);
      const key = await node.addKey({ entityUri: 'agent:ops', permissions: held });
      const { status, body } = await register(key, { permissions: [lacking] });
      expect([status, body.code]).to.deep.equal([403, 'authorization']);
      expect(body.detail).to.contain(lacking);
      expect((await register(key, { permissions: [...ALL_PERMISSIONS] })).status).to.equal(403);
      expect((await register(key, { permissions: held })).status).to.equal(201);
    }
    const bare = await node.addKey({ entityUri: 'agent:bare', permissions: ['admin'], scopes: ['team'] });
    expect((await register(bare, {})).status, 'read and write by default').to.equal(403);
    expect((await register(bare, { permissions: ['admin'] })).status, 'all scopes by default').to.equal(403);
    expect((await register(bare, { permissions: ['admin'], allowed_scopes: ['team'] })).status).to.equal(201);
  });

  it('and is refused them also through another key that it creates first', async () => {
    const permissions: readonly DefaultPermission[] = ['admin', 'read'];
    const first = await node.addKey({ entityUri: 'agent:ops', permissions, scopes: ['local', 'team'] });
    const second = await register(first, { permissions, allowed_scopes: ['local'] });
    expect(second.status).to.equal(201);
    for (const members of [
      { permissions: ['write'], allowed_scopes: ['local'] },
      { permissions: ['read'], allowed_scopes: ['team'] },
      { permissions: [...ALL_PERMISSIONS], allowed_scopes: [...SCOPES] },
    ]) {
      expect((await register(second.rawKey, members)).status).to.equal(403);
    }
  });
});

forEachStore('A key signs or delegates beyond its permissions (I14)', () => {
  let node: TestNode;
  before(async () => {
    node = await startTestNode();
  });
  after(() => node.stop());

  it('with an agent key: the key signs only for the entity that registered it, and grants no other right', async () => {
    const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
    const reader = await node.addKey({ entityUri: 'agent:reader', permissions: ['read'] });
    const registered = (key: string, body: object) => node.request('POST', '/v1/auth/agent-keys', { key, body });
    expect((await registered(reader, { public_key: x })).status).to.equal(403);
    const writer = await node.addKey({ entityUri: 'agent:writer' });
    for (const more of [{ entity_uri: 'agent:victim' }, { permissions: ['admin'] }]) {
      expect((await registered(writer, { public_key: x, ...more })).status).to.equal(422);
    }
    const { body } = await registered(writer, { public_key: x });
    expect(body.entity_uri).to.equal('agent:writer');
    expect((await node.request('GET', '/v1/me', { key: x ?? '' })).status).to.equal(401);
  });

  it('with a capability token: a verb, scope or subject beyond its own is refused', async () => {
    const key = await node.addKey({ entityUri: 'agent:narrow', permissions: ['read', 'write'], scopes: ['local'] });
    const admin = await node.addKey({ entityUri: 'agent:admin', permissions: ['write', 'admin'] });
    const issue = async (as: string, members: Readonly<Record<string, unknown>>) => {
      const issuer = as === key ? 'agent:narrow' : 'agent:admin';
      const body = { issuer, subject: issuer, verb: 'read', object: 'scope:local', ...members };
      return (await node.request('POST', '/v1/federation/capability-tokens', { key: as, body })).status;
    };
    expect(await issue(key, {})).to.equal(201);
    for (const verb of ['admin', 'federate', 'tombstone:read']) expect(await issue(key, { verb })).to.equal(403);
    expect(await issue(key, { object: 'scope:company' })).to.equal(403);
    expect(await issue(key, { object: 'svc://facts' })).to.equal(403);
    expect(await issue(key, { subject: 'agent:friend' })).to.equal(403);
    expect(await issue(key, { issuer: 'agent:admin' })).to.equal(403);
    // `admin` may delegate to others only permissions that it has itself, and does not imply `read`.
    expect(await issue(admin, { subject: 'agent:friend', verb: 'write' })).to.equal(201);
    expect(await issue(admin, { subject: 'agent:friend', verb: 'subscribe' })).to.equal(403);
  });
});
