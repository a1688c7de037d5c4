import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { MAX_TOMBSTONES_SHOWN } from '../../../../plugins/tombstones/markers/marker-store.ts';
import { FactStore } from '../../../../ports/ports.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { ErasureNode, VICTIM } from './erasure-node.ts';

forEachStore('the start of a node after erasures', (kind) => {
  let at: ErasureNode;
  afterEach(() => at.remove());

  it('succeeds although the tenant of an erasure was removed', async () => {
    const env = { SVC_MULTI_TENANT_ENABLED: 'true' };
    at = await ErasureNode.start(kind, { env });
    const key = 'acme-'.padEnd(40, 'k');
    await at.post('/v1/tenants', { id: 'acme', first_key: { raw_key: key, entity_uri: 'agent:admin' } }, 201);
    const made = await at.node.request('POST', '/v1/tombstones', { key, body: { entity_uri: VICTIM } });
    expect(made.status, made.text).to.equal(201);
    const done = await at.node.request('POST', `/v1/tombstones/${made.body.id}/erase`, {
      key,
      body: { confirm: VICTIM },
    });
    expect(done.status, done.text).to.equal(200);
    const gone = await at.node.request('DELETE', '/v1/tenants/acme', { key: at.key, body: { confirm: 'acme' } });
    expect(gone.status, gone.text).to.equal(200);
    await at.end();
    await at.start({ env });
    await at.get('/v1/tenants/acme');
  });

  it('fails if the erasure journal cannot be read', async () => {
    at = await ErasureNode.start(kind);
    await at.end();
    // A symbolic link to itself cannot be opened by any user, not even root.
    await symlink('erasures.jsonl', join(at.folder, 'erasures.jsonl'));
    const error = await at.start().catch((reason: unknown) => reason);
    expect(String(error)).to.include('the file erasures.jsonl beside the store cannot be used');
  });

  it('respects a legal hold older than all listed tombstones', async () => {
    at = await ErasureNode.start(kind);
    const held = await at.tombstone({ scope: 'company', legal_hold: true });
    const markers = () => at.node.kernel.get(FactStore).table('tombstones_markers');
    const [row] = await markers().where({ tombstone_id: held });
    const later = Array.from({ length: MAX_TOMBSTONES_SHOWN + 1 }, (_, at) => ({
      ...row,
      tombstone_id: `tomb_${at}`,
      scope: 'team',
      legal_hold: 0,
      created_ms: Number(row.created_ms) + 1 + at,
      revoked_ms: Number(row.created_ms) + 2 + at,
    }));
    for (let made = 0; made < later.length; made += 50) await markers().insert(later.slice(made, made + 50));
    await at.node.clock.advance(10_000);
    expect((await at.erase(await at.tombstone(), {}, 409)).code).to.equal('legal_hold');
  });
});
