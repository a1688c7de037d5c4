import { expect } from 'chai';
import { canonicalJson, decodeBase64Url, verifyEd25519 } from '../../../../kernel/internal-api.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../../kit/start-test-node.ts';
import type { TestReply } from '../../../kit/test-request.ts';

forEachStore('the routes of tombstones', () => {
  let node: TestNode;
  let admin: string;
  let writer: string;
  before(async () => {
    node = await startTestNode();
    admin = await node.addKey({ entityUri: 'agent:ops', permissions: ['read', 'write', 'admin', 'audit.read'] });
    writer = await node.addKey({ entityUri: 'agent:w' });
  });
  after(() => node.stop());

  const create = (body: object, key = admin): Promise<TestReply> =>
    node.request('POST', '/v1/tombstones', { key, body });
  const revoke = (id: string, body: object = { reason: 'a mistake' }): Promise<TestReply> =>
    node.request('POST', `/v1/tombstones/${id}/revoke`, { key: admin, body });
  const of = (entity: string) => node.request('GET', `/v1/tombstones/${entity}`, { key: admin });
  const isSigned = async ({ signature, ...members }: Readonly<Record<string, unknown>>): Promise<boolean> => {
    const { body } = await node.request('GET', '/.well-known/svc', {});
    expect(members['signed_by']).to.equal(body.node_id);
    expect(members['key_id']).to.equal(body.federation_keys.at(-1).key_id);
    const key = decodeBase64Url(body.federation_pubkey) as Uint8Array;
    const bytes = Buffer.from(canonicalJson(members));
    return verifyEd25519(key, bytes, decodeBase64Url(String(signature)) as Uint8Array);
  };

  it('create a tombstone signed by the key of the node', async () => {
    const { status, body } = await create({ entity_uri: 'user:Ann', reason: 'asked for it' });
    expect(status).to.equal(201);
    expect(Object.keys(body).sort()).to.deep.equal(
      ['id', 'entity_uri', 'scope', 'reason', 'signed_by', 'key_id', 'signature', 'created_at', 'legal_hold'].sort(),
    );
    expect(body).to.include({ entity_uri: 'user:Ann', scope: '*', reason: 'asked for it', legal_hold: false });
    expect(body.id).to.match(/^tomb_[0-9a-f-]{36}$/);
    expect(await isSigned({ ...body, erase: false })).to.equal(true);
    expect(await isSigned({ ...body, erase: false, scope: 'public' })).to.equal(false);
  });

  it('return the existing active tombstone for the same entity and scope', async () => {
    const { body: first } = await create({ entity_uri: 'user:twice' });
    const again = await create({ entity_uri: ' USER:twice ', reason: 'other words', legal_hold: true });
    expect([again.status, again.body]).to.deep.equal([201, first]);
    expect((await create({ entity_uri: 'user:twice', scope: 'public' })).body.id).not.to.equal(first.id);
  });

  it('list all tombstones of the tenant page by page, newest first, with their revocations', async () => {
    const made: string[] = [];
    for (const entity of ['user:l1', 'user:l2', 'user:l3']) {
      await node.clock.advance(1);
      made.unshift((await create({ entity_uri: entity })).body.id);
    }
    await revoke(made[1] as string);
    const listed: string[] = [];
    const revoked: string[] = [];
    for (let query = '?limit=2'; query !== ''; ) {
      const { status, body } = await node.request('GET', `/v1/tombstones${query}`, { key: admin });
      expect(status).to.equal(200);
      listed.push(...body.tombstones.map(({ id }: { id: string }) => id));
      revoked.push(...body.revocations.map(({ tombstone_id: id }: { tombstone_id: string }) => id));
      query = body.cursor === null ? '' : `?limit=2&cursor=${encodeURIComponent(body.cursor)}`;
    }
    expect(listed.slice(0, 3)).to.deep.equal(made);
    expect(new Set(listed).size).to.equal(listed.length);
    expect(revoked).to.include(made[1]);
  });

  it('reject a malformed entity or scope', async () => {
    const refused = async (body: object) => {
      const reply = await create(body);
      return [reply.status, reply.body.code];
    };
    expect(await refused({ entity_uri: 'ann' })).to.deep.equal([422, 'tombstone_entity_uri_invalid']);
    expect(await refused({ entity_uri: '' })).to.deep.equal([422, 'tombstone_entity_uri_invalid']);
    expect(await refused({ entity_uri: `user:${'x'.repeat(2048)}` })).to.deep.equal([422, 'invalid_entity_uri']);
    expect(await refused({ entity_uri: 'user:a', scope: 'world' })).to.deep.equal([422, 'tombstone_invalid_scope']);
    expect(await refused({ entity_uri: 'user:a', legal_hold: 'yes' })).to.deep.equal([422, 'validation']);
    expect(await refused({ entity_uri: 'user:a', key_id: '0' })).to.deep.equal([422, 'validation']);
    expect(await refused({ entity_uri: 'user:a', reason: 'x'.repeat(1025) })).to.deep.equal([422, 'validation']);
  });

  it('are open to admins only', async () => {
    expect((await create({ entity_uri: 'user:a' }, writer)).status).to.equal(403);
    expect((await node.request('GET', '/v1/tombstones/user:a', { key: writer })).status).to.equal(403);
    expect((await node.request('GET', '/v1/tombstones', { key: writer })).status).to.equal(403);
    const revoked = await node.request('POST', '/v1/tombstones/x/revoke', { key: writer, body: { reason: 'r' } });
    expect(revoked.status).to.equal(403);
  });

  it('list the tombstones of an entity in any spelling, and none for an entity without one', async () => {
    const { body: marker } = await create({ entity_uri: 'svc://host/user/Ann Lee' });
    for (const spelt of ['svc://host/user/ann-lee', encodeURIComponent('svc://host/user/Ann Lee')]) {
      expect((await of(spelt)).body).to.deep.equal({ tombstoned: true, tombstones: [marker], revocations: [] });
    }
    const none = await of('user:nobody');
    expect([none.status, none.body]).to.deep.equal([200, { tombstoned: false, tombstones: [], revocations: [] }]);
  });

  it('revoke a tombstone once, with a signed revocation', async () => {
    const { body: marker } = await create({ entity_uri: 'user:back' });
    expect((await revoke(marker.id, {})).status).to.equal(422);
    expect((await revoke(marker.id, { reason: ' ' })).status).to.equal(422);
    const { status, body } = await revoke(marker.id);
    expect(status).to.equal(200);
    expect(body.id).to.match(/^tombrevoke_[0-9a-f-]{36}$/);
    expect(body).to.include({ tombstone_id: marker.id, reason: 'a mistake' });
    expect(await isSigned(body)).to.equal(true);
    expect((await of('user:back')).body).to.deep.equal({
      tombstoned: false,
      tombstones: [marker],
      revocations: [body],
    });
    expect((await revoke(marker.id)).status).to.equal(409);
    expect((await revoke('tomb_none')).status).to.equal(404);
    expect((await create({ entity_uri: 'user:back' })).body.id).not.to.equal(marker.id);
  });

  it('do not hide facts while tombstones are disabled', async () => {
    await create({ entity_uri: 'user:shown' });
    const fact = { entity: 'user:shown', relation: 'r:x', value: { type: 'text', v: 'here' }, source: 'agent:w' };
    expect((await node.request('POST', '/v1/facts', { key: writer, body: fact })).status).to.equal(201);
    const found = await node.request('GET', '/v1/facts?entity=user:shown', { key: writer });
    expect(found.body.total).to.equal(1);
  });

  it('write audit entries that do not contain the entity', async () => {
    const { body } = await node.request('GET', '/v1/auth/audit?limit=500', { key: admin });
    const ours = body.entries.filter(({ event_type }: { event_type: string }) => event_type.startsWith('tombstone_'));
    expect(new Set(ours.map(({ event_type }: { event_type: string }) => event_type))).to.deep.equal(
      new Set(['tombstone_created', 'tombstone_revoked']),
    );
    expect(JSON.stringify(ours)).not.to.match(/user:|mistake|asked/);
  });
});
