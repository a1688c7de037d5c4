import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import type { TestReply } from '../../kit/test-request.ts';
import { exportLines, importAll } from '../transfer/transfer-node.ts';
import { assertion, type GardenNode, startGardenNode } from './garden-kit.ts';

const COMPOSED = 'agent:Ren\u00e9';
const SPELLINGS = ['agent:rene\u0301', 'AGENT:REN\u00c9', ' Agent:Rene\u0301 '];

forEachStore('a garden member added under another spelling than the entity of its key', () => {
  let garden: GardenNode;
  before(async () => {
    garden = await startGardenNode({ plugins: ['gardens', 'keys', 'facts', 'transfer'] });
  });
  after(() => garden.stop());

  const members = '/v1/gardens/herbs/members';
  const memberPath = (entity: string): string => `${members}/${encodeURIComponent(entity)}`;
  const add = (entity_uri: string, role = 'writer'): Promise<TestReply> =>
    garden.ask('founder', 'POST', members, { body: { entity_uri, role } });
  const addedAs = async (entity: string): Promise<string[]> => {
    const { body } = await garden.must(200, 'founder', 'GET', members);
    return body.map((member: { entity_uri: string }) => member.entity_uri).filter((one: string) => one === entity);
  };
  const asks = (key: string) => {
    const status = async (method: string, target: string, body?: unknown): Promise<number> =>
      (await garden.node.request(method, target, { key, ...(body !== undefined && { body }) })).status;
    const listed = async (): Promise<number> => (await garden.node.request('GET', '/v1/gardens', { key })).body.length;
    const facts = async (): Promise<number> =>
      (await garden.node.request('GET', '/v1/facts?entity=user:alice', { key })).body.total;
    return { status, listed, facts };
  };

  it('has all rights of a member, and counts once', async () => {
    await garden.say('founder', { garden_id: 'herbs' });
    const { status, listed, facts } = asks(await garden.node.addKey({ entityUri: COMPOSED }));
    for (const spelling of SPELLINGS) {
      const written = spelling.trim();
      expect([await facts(), await listed(), await status('GET', '/v1/gardens/herbs')]).to.deep.equal([0, 0, 404]);
      expect((await add(spelling)).body).to.deep.include({ entity_uri: written, role: 'writer' });
      for (const again of [COMPOSED, ...SPELLINGS]) expect((await add(again)).status).to.equal(409);
      expect(await addedAs(written)).to.have.lengthOf(1);
      expect([await facts(), await listed(), await status('GET', '/v1/gardens/herbs')]).to.deep.equal([1, 1, 200]);
      const fact = assertion({ garden_id: 'herbs', entity: `user:${written}` });
      expect(await status('POST', '/v1/facts', fact)).to.equal(201);
      const changed = await garden.must(200, 'founder', 'PATCH', memberPath(COMPOSED), { role: 'reader' });
      expect(changed.body).to.deep.include({ entity_uri: written, role: 'reader' });
      expect(await status('POST', '/v1/facts', fact)).to.equal(403);
      expect(await status('DELETE', memberPath(COMPOSED))).to.equal(204);
      expect(await addedAs(written)).to.deep.equal([]);
    }
  });

  it('counts as one admin, who cannot leave as the last one', async () => {
    const { status } = asks(await garden.node.addKey({ entityUri: 'agent:owner' }));
    expect(await status('POST', '/v1/gardens', { slug: 'own', name: 'Own' })).to.equal(201);
    const path = '/v1/gardens/own/members/AGENT:Owner';
    expect(await status('PATCH', path, { role: 'reader' })).to.equal(403);
    expect(await status('DELETE', path)).to.equal(403);
  });

  it('is never mixed up with another person of an identity provider', async () => {
    for (const member of ['oidc:AbC', 'OIDC:ABC']) expect((await add(member)).status).to.equal(201);
    expect((await add('OIDC:AbC')).status).to.equal(409);
    const { status, listed, facts } = asks(await garden.node.addKey({ entityUri: 'oidc:abc' }));
    expect([await facts(), await listed(), await status('GET', '/v1/gardens/herbs')]).to.deep.equal([0, 0, 404]);
    expect(await status('DELETE', memberPath('oidc:AbC'))).to.equal(404);
    expect((await add('oidc:abc')).status).to.equal(201);
    expect([await facts(), await listed(), await status('GET', '/v1/gardens/herbs')]).to.deep.equal([1, 1, 200]);
  });

  it('is still a member after an import', async () => {
    const [header = '', ...lines] = await exportLines(garden.node);
    const line = JSON.parse(lines.find((text) => text.includes('"slug":"herbs"')) ?? '{}');
    const [member] = line.members;
    const copy = { ...line, id: 'copy', slug: 'copy', members: [{ ...member, entity_uri: 'AGENT:Reader' }] };
    expect((await importAll(garden.node, [header, JSON.stringify(copy)])).refused).to.deep.equal([]);
    const { body } = await garden.must(200, 'reader', 'GET', '/v1/gardens/copy');
    expect(body.members[0].entity_uri).to.equal('AGENT:Reader');
  });
});
