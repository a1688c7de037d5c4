import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { canonicalJson, decodeBase64Url, verifyEd25519 } from '../../../../kernel/internal-api.ts';
import { NodeIdentity } from '../../../../plugins/node-info/node-info-api.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { ErasureNode } from '../erasure/erasure-node.ts';

const ALICE = 'user:alice';

forEachStore('the export of the facts of an entity', (kind) => {
  let at: ErasureNode;
  beforeEach(async () => {
    at = await ErasureNode.start(kind);
  });
  afterEach(() => at.remove());
  const exported = async (body: object) => {
    const text = await at.text('/v1/subjects/export', { entity_uri: ALICE, ...body });
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    return { text, header: lines[0], facts: lines.slice(1, -1).map(({ fact }) => fact), end: lines.at(-1) };
  };

  it('contains all visible facts about and by the entity, and a receipt over all lines', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 70; n += 1) {
      ids.push((await at.say(`note ${n}`, { entity: ALICE, relation: `memory:n${n}` })).id);
    }
    const by = await at.say('said by her', { entity: 'user:bob', source: ALICE });
    await at.say('hidden', { entity: ALICE, scope: 'public' });
    await at.say('another', { entity: 'user:bob' });
    await at.post('/v1/tombstones', { entity_uri: ALICE, scope: 'public' }, 201);
    const { text, header, facts, end } = await exported({});
    expect(header).to.include({ type: 'header', entity_uri: ALICE, about: true, asserted_by: true });
    expect(facts.map(({ id }) => id)).to.deep.equal([...ids, by.id]);
    expect(text).to.not.contain('hidden');
    const before = text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1);
    const digest = `sha256:${createHash('sha256').update(before).digest('hex')}`;
    expect(end).to.include({ type: 'end', facts: 71, digest });
    const { signature, ...stated } = end.receipt;
    expect(stated).to.include({ facts: 71, digest, entity_uri: ALICE });
    const key = decodeBase64Url(at.node.kernel.get(NodeIdentity).publicKey) as Uint8Array;
    const signed = decodeBase64Url(signature) as Uint8Array;
    expect(verifyEd25519(key, Buffer.from(canonicalJson(stated)), signed)).to.equal(true);
  });

  it('contains only the requested half: facts about the entity or facts by it', async () => {
    const about = await at.say('about her', { entity: ALICE });
    const by = await at.say('said by her', { entity: 'user:bob', source: ALICE });
    expect((await exported({ asserted_by: false })).facts.map(({ id }) => id)).to.deep.equal([about.id]);
    expect((await exported({ about: false })).facts.map(({ id }) => id)).to.deep.equal([by.id]);
    await at.post('/v1/subjects/export', { entity_uri: ALICE, about: false, asserted_by: false }, 422);
    const { entries } = await at.get('/v1/auth/audit?event_type=subject_exported');
    expect(entries.map(({ detail }: { detail: object }) => detail)).to.deep.include({
      about: true,
      asserted_by: false,
    });
  });

  it('contains facts that a key of the entity asserted for other sources, in any spelling of the entity', async () => {
    const key = await at.node.addKey({ entityUri: 'user:Alice', permissions: ['read', 'write'] });
    const { body: listed } = await at.node.request('GET', '/v1/auth/keys', { key });
    const body = { entity: 'user:bob', relation: 'memory:x', value: { type: 'string', v: 'x' }, source: 'agent:other' };
    const { body: said } = await at.node.request('POST', '/v1/facts', { key, body });
    expect((await exported({})).facts.map(({ id }) => id)).to.deep.equal([said.id]);
    const path = `/v1/auth/keys/${listed[0].id}`;
    expect((await at.node.request('DELETE', path, { key: at.key })).status).to.be.below(300);
    expect(
      (await exported({})).facts.map(({ id }) => id),
      'after the key has ended',
    ).to.deep.equal([said.id]);
  });

  it('is open only to admins with the read permission', async () => {
    for (const permissions of [['read', 'write', 'audit.read'], ['admin']]) {
      const key = await at.node.addKey({ permissions });
      const reply = await at.node.request('POST', '/v1/subjects/export', { key, body: { entity_uri: ALICE } });
      expect(reply.status).to.equal(403);
    }
  });
});
