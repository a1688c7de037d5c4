import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { type DecayNode, startDecayNode } from './decay-node.ts';

const OWNED = 'svc://localhost:8765/project/x/plan';

forEachStore('the facts that a decay sweep may end', () => {
  let node: DecayNode;
  afterEach(() => node.stop());

  const start = async (env: Readonly<Record<string, string>> = {}) => {
    node = await startDecayNode({ env });
  };
  const grow = async (slug: string, members: Readonly<Record<string, string>>, more: object = {}) => {
    const { status, body } = await node.post(
      '/v1/gardens',
      { slug, name: slug, scope: 'company', ...more },
      node.admin,
    );
    expect(status, JSON.stringify(body)).to.equal(201);
    for (const [entity_uri, role] of Object.entries(members)) {
      await node.post(`/v1/gardens/${slug}/members`, { entity_uri, role }, node.admin);
    }
  };
  const shownTo = (key: string) => node.shown(key);

  it('are none without the permission to write and a scope of the key', async () => {
    await start();
    const reader = await node.addKey({ entityUri: 'agent:reader', permissions: ['read'] });
    expect((await node.post('/v1/decay/sweep', { ttl_seconds: 0 }, reader)).status).to.equal(403);
    const local = await node.addKey({ entityUri: 'agent:local', scopes: ['local'] });
    expect((await node.post('/v1/decay/sweep', { ttl_seconds: 0, scope: 'company' }, local)).status).to.equal(403);
    await node.say({ entity: 'user:company' });
    await node.say({ entity: 'user:local', scope: 'local' });
    expect(await node.sweep({ ttl_seconds: 0 }, local)).to.include({ scanned: 1, decayed: 1 });
    expect(await node.shown()).to.deep.equal(['user:company']);
  });

  it('include facts of other callers, as for a retraction', async () => {
    await start();
    await node.say({ entity: 'user:shared' });
    const other = await node.addKey({ entityUri: 'agent:other' });
    expect(await node.sweep({ ttl_seconds: 0 }, other)).to.include({ scanned: 1, decayed: 1 });
  });

  it('exclude gardens that the caller only reads, does not know, or may not write to', async () => {
    await start();
    const writer = await node.addKey({ entityUri: 'agent:gardener' });
    const reader = await node.addKey({ entityUri: 'agent:visitor' });
    await grow('herbs', { 'agent:gardener': 'writer', 'agent:visitor': 'reader' });
    await node.say({ entity: 'user:herb', garden_id: 'herbs' }, node.admin);
    for (const key of [reader, node.key]) {
      expect(await node.sweep({ ttl_seconds: 0 }, key)).to.include({ scanned: 0, decayed: 0 });
      expect(await node.sweep({ ttl_seconds: 0, dry_run: true }, key)).to.include({ scanned: 0, decayed: 0 });
    }
    expect(await shownTo(reader)).to.deep.equal(['user:herb']);
    expect(await node.sweep({ ttl_seconds: 0 }, writer)).to.include({ scanned: 1, decayed: 1 });
    expect(await shownTo(reader)).to.deep.equal([]);
    // A fact about a fact of the garden is visible in the garden.
    const seen = async (key: string) =>
      (await node.request('GET', '/v1/facts?relation=svc:ttl', { key })).body.total as number;
    expect([await seen(reader), await seen(node.key)]).to.deep.equal([1, 0]);
  });

  it('exclude deleted gardens and quarantine gardens', async () => {
    await start();
    await grow('gone', {});
    await grow('held', { 'agent:writer': 'writer' }, { quarantine: true });
    await node.say({ entity: 'user:gone', garden_id: 'gone' }, node.admin);
    await node.say({ entity: 'user:held', garden_id: 'held' });
    await node.request('DELETE', '/v1/gardens/gone', { key: node.admin });
    expect(await node.sweep({ ttl_seconds: 0 }, node.admin)).to.include({ scanned: 0, decayed: 0 });
    expect(await node.shown(node.admin)).to.deep.equal(['user:gone', 'user:held']);
  });

  it('exclude namespaces of other owners, in a dry run and in a sweep', async () => {
    await start({ SVC_NAMESPACES_ENABLED: 'true' });
    const owner = await node.addKey({ entityUri: 'agent:owner' });
    const rule = { pattern: 'svc://localhost:8765/project/x/*', owners: ['agent:owner'] };
    const put = await node.request('PUT', '/v1/namespaces', { key: node.admin, body: rule });
    expect(put.status).to.equal(200);
    await node.say({ entity: OWNED }, owner);
    await node.say({ entity: 'user:free' }, owner);
    const rules = { ttl_seconds: 0 };
    for (const isTrial of [true, false]) {
      const counts = await node.sweep({ ...rules, dry_run: isTrial });
      expect(counts).to.deep.equal({ scanned: 1, decayed: 1, dry_run: isTrial });
    }
    expect(await node.shown()).to.deep.equal([OWNED]);
    expect(await node.sweep(rules, owner)).to.include({ scanned: 1, decayed: 1 });
  });

  it('do not depend on rules about sources and signatures', async () => {
    await start();
    await node.stop();
    const plugins = ['attestation', 'audit', 'conflicts', 'decay', 'facts', 'keys'];
    node = await startDecayNode({ plugins, env: { SVC_SOURCE_ATTESTATION_MODE: 'enforce' } });
    await node.say();
    expect(await node.sweep({ ttl_seconds: 0 })).to.include({ scanned: 1, decayed: 1 });
  });

  it('are counted in an audit entry that names the caller but no fact', async () => {
    await start();
    await node.say();
    await node.sweep({ ttl_seconds: 0, dry_run: true });
    await node.sweep({ ttl_seconds: 0 });
    await node.sweep({ ttl_seconds: 0 });
    const auditor = await node.addKey({ entityUri: 'agent:auditor', permissions: ['audit.read'] });
    const { body } = await node.request('GET', '/v1/audit?event_type=decay_sweep', { key: auditor });
    expect(body.entries).to.have.length(1);
    expect(body.entries[0]).to.deep.include({ entity_uri: 'agent:writer', fact_id: null });
  });
});
