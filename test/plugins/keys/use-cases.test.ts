import { expect } from 'chai';
import { createSigner } from '../../../kernel/crypto/ed25519-signing.ts';
import { encodeBase64Url } from '../../../kernel/internal-api.ts';
import { AgentKeys, KeyRegistry } from '../../../plugins/keys/keys-api.ts';
import { Tenants } from '../../../plugins/multi-tenant/multi-tenant-api.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const admin = createPrincipal({ entityUri: 'agent:ops', permissions: new Set(['read', 'admin']) });
const agent = createPrincipal({ entityUri: 'agent:a' });
const stranger = createPrincipal({ entityUri: 'agent:stranger', permissions: new Set(['read']) });
const operator = createPrincipal({ kind: 'node', permissions: new Set() });

const registration = (entityUri: string, rawKey: string) => ({
  rawKey: rawKey.padEnd(32, '.'),
  entityUri,
  permissions: ['read'],
  allowedScopes: ['local'] as const,
});

describe('keys without HTTP', () => {
  let node: TestNode;
  let keys: KeyRegistry;
  beforeEach(async () => {
    node = await startTestNode({
      plugins: ['keys', 'audit', 'multi-tenant'],
      settings: { 'multi-tenant': { enabled: true } },
    });
    keys = node.kernel.get(KeyRegistry);
  });
  afterEach(() => node.stop());

  it('are registered by an administrator, and listed for their holder', async () => {
    const key = await keys.register(admin, registration('agent:a', 'first'));
    await keys.register(admin, registration('agent:b', 'second'));
    expect(await keys.own(agent)).to.deep.equal([key]);
    const all = (await keys.list(admin)).map(({ entityUri }) => entityUri);
    expect(all).to.have.members(['agent:a', 'agent:b']);
  });

  it('are listed for a tenant to its administrator, and for all tenants to the node', async () => {
    await keys.register(admin, registration('agent:a', 'first'));
    const foreigner = createPrincipal({ permissions: new Set(['read', 'admin']), tenantId: 'other' });
    const second = { ...registration('agent:a', 'second'), tenantId: 'other' };
    expect(await rejection(keys.register(operator, second))).to.include({ code: 'lookup' });
    await node.kernel.get(Tenants).create(operator, { id: 'other', firstKey: second });
    expect((await keys.list(foreigner)).map(({ tenantId }) => tenantId)).to.deep.equal(['other']);
    expect(await keys.list(operator)).to.have.lengthOf(2);
  });

  it('are listed with their remaining days, up to a given number of days ahead', async () => {
    const soon = { ...registration('agent:a', 'soon'), expiresAt: '2026-03-12T09:00:00Z' };
    await keys.register(admin, soon);
    await keys.register(admin, registration('agent:a', 'later'));
    expect((await keys.expiring(admin)).map(({ daysRemaining }) => daysRemaining)).to.deep.equal([10]);
    expect(await keys.expiring(admin, 9)).to.deep.equal([]);
    expect(await rejection(keys.expiring(admin, 366))).to.include({ code: 'validation', status: 400 });
  });

  it('are revoked once, by their holder or by an administrator', async () => {
    const { id } = await keys.register(admin, registration('agent:a', 'first'));
    expect(await rejection(keys.revoke(stranger, id))).to.include({ code: 'lookup', status: 404 });
    await keys.revoke(agent, id);
    await keys.revoke(admin, id);
    expect(await keys.own(agent)).to.deep.equal([]);
    expect(await keys.list(admin, { includeInactive: true })).to.have.lengthOf(1);
  });

  it('are refused to callers without the permission', async () => {
    const refused = { code: 'authorization', status: 403 };
    expect(await rejection(keys.register(agent, registration('agent:a', 'first')))).to.include(refused);
    expect(await rejection(keys.list(agent))).to.include(refused);
    expect(await rejection(keys.expiring(agent))).to.include(refused);
  });
});

describe('agent keys without HTTP', () => {
  let node: TestNode;
  let keys: AgentKeys;
  beforeEach(async () => {
    node = await startTestNode({ plugins: ['keys'] });
    keys = node.kernel.get(AgentKeys);
  });
  afterEach(() => node.stop());

  const signer = createSigner(new Uint8Array(32).fill(7));
  const publicKey = encodeBase64Url(signer.publicKey);

  it('are registered, listed and revoked only by their agent', async () => {
    const key = await keys.register(agent, { publicKey });
    expect(await keys.own(agent)).to.deep.equal([key]);
    expect(await keys.own(stranger)).to.deep.equal([]);
    expect(await rejection(keys.revoke(stranger, key.id))).to.include({ code: 'lookup' });
    await keys.revoke(agent, key.id);
    expect(await rejection(keys.revoke(agent, key.id))).to.include({ code: 'conflict', status: 409 });
    expect((await keys.own(agent))[0]?.revokedAt).not.to.equal(null);
  });

  it('are public keys, of callers with the permission write', async () => {
    expect(await rejection(keys.register(agent, { publicKey: 'short' }))).to.include({ code: 'validation' });
    expect(await rejection(keys.register(stranger, { publicKey }))).to.include({ code: 'authorization' });
  });
});
