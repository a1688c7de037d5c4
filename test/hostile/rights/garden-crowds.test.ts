import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { FactStore } from '../../../ports/ports.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import type { TestNodeOptions } from '../../kit/start-test-node.ts';
import { CAST, type GardenNode, startGardenNode } from '../../plugins/gardens/garden-kit.ts';

forEachStore('A writer creates gardens without end (I21)', () => {
  let garden: GardenNode;
  afterEach(() => garden.stop());

  const start = async (max: number, options: TestNodeOptions = {}): Promise<void> => {
    const env = { SVC_MAX_GARDENS_PER_ENTITY: String(max) };
    garden = await startGardenNode({ plugins: ['gardens', 'keys', 'facts'], env, ...options });
  };
  const made = async (actor: 'founder' | 'operator' | 'stranger', slug: string) => {
    const reply = await garden.ask(actor, 'POST', '/v1/gardens', { body: { slug, name: slug } });
    return reply.status === 201 ? 201 : [reply.status, reply.body.code];
  };

  it('and is refused at a limit of its own, which deleting gardens lowers again', async () => {
    await start(3);
    // `herbs` counts as one.
    for (const slug of ['a', 'b']) expect(await made('founder', slug)).to.equal(201);
    expect(await made('founder', 'c')).to.deep.equal([409, 'limit_reached']);
    expect(await made('founder', 'a'), 'a slug that is taken is one').to.deep.equal([409, 'conflict']);
    expect(await made('stranger', 'c')).to.equal(201);
    for (const slug of ['d', 'e', 'f', 'g']) expect(await made('operator', slug), 'an admin').to.equal(201);
    await garden.must(204, 'founder', 'DELETE', '/v1/gardens/a');
    expect(await made('founder', 'a')).to.equal(201);
    expect(await made('founder', 'h')).to.deep.equal([409, 'limit_reached']);
  });

  it('and cannot exceed that limit by parallel requests', async () => {
    await start(4);
    const replies = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((slug) => made('founder', slug)));
    expect(replies.filter((reply) => reply === 201)).to.have.lengthOf(3);
  });
});

forEachStore('A stranger adds a member to many gardens without consent (I21)', () => {
  let garden: GardenNode;
  afterEach(() => garden.stop());

  it('and members of every role can leave by themselves, without removing anybody else', async () => {
    garden = await startGardenNode({ plugins: ['gardens', 'keys', 'facts', 'audit'] });
    for (const [actor, role] of [
      ['stranger', 'reader'],
      ['operator', 'writer'],
    ] as const) {
      await garden.must(201, 'founder', 'POST', '/v1/gardens/herbs/members', { entity_uri: CAST[actor], role });
    }
    await garden.must(403, 'stranger', 'DELETE', `/v1/gardens/herbs/members/${CAST.writer}`);
    await garden.must(204, 'stranger', 'DELETE', `/v1/gardens/herbs/members/${CAST.stranger}`);
    await garden.must(404, 'stranger', 'DELETE', `/v1/gardens/herbs/members/${CAST.stranger}`);
    await garden.must(404, 'stranger', 'GET', '/v1/gardens/herbs');
    for (const actor of ['reader', 'writer'] as const) {
      await garden.must(204, actor, 'DELETE', `/v1/gardens/herbs/members/${CAST[actor]}`);
    }
    const last = await garden.must(403, 'founder', 'DELETE', `/v1/gardens/herbs/members/${CAST.founder}`);
    expect(last.body.code).to.equal('last_admin');
    // Any key may leave, even one without write permission.
    const key = await garden.node.addKey({ entityUri: CAST.reader, permissions: ['audit.read'] });
    await garden.must(201, 'founder', 'POST', '/v1/gardens/herbs/members', { entity_uri: CAST.reader });
    const path = `/v1/gardens/herbs/members/${CAST.reader}`;
    expect((await garden.node.request('DELETE', path, { key })).status).to.equal(204);
  });

  it('and is refused when the member has a thousand memberships', async () => {
    garden = await startGardenNode({
      plugins: ['gardens', 'keys', 'facts'],
      env: { SVC_MAX_GARDENS_PER_ENTITY: '2000' },
    });
    // No test before this one removed the member, so `herbs` counts as well.
    await garden.must(201, 'founder', 'POST', '/v1/gardens/herbs/members', { entity_uri: 'agent:victim' });
    await garden.must(201, 'founder', 'POST', '/v1/gardens', { slug: 'g1', name: 'g' });
    await garden.must(201, 'founder', 'POST', '/v1/gardens/g1/members', { entity_uri: 'agent:victim' });
    await copyGarden(garden.node.kernel.get(FactStore), 'g1', 998);
    const full = await garden.must(409, 'founder', 'POST', '/v1/gardens', { slug: 'g1000', name: 'g' });
    expect(full.body.code).to.equal('limit_reached');
    await garden.must(201, 'stranger', 'POST', '/v1/gardens', { slug: 'g1000', name: 'g' });
    const entity_uri = 'agent:victim';
    const refused = await garden.must(409, 'stranger', 'POST', '/v1/gardens/g1000/members', { entity_uri });
    expect(refused.body.code).to.equal('limit_reached');
    const key = await garden.node.addKey({ entityUri: 'agent:victim' });
    const path = `/v1/gardens/g1/members/${entity_uri}`;
    expect((await garden.node.request('DELETE', path, { key })).status).to.equal(204);
    await garden.must(201, 'stranger', 'POST', '/v1/gardens/g1000/members', { entity_uri });
  }).timeout(300_000);
});

forEachStore('A writer adds members to a garden without end (I21)', () => {
  let garden: GardenNode;
  afterEach(() => garden.stop());

  it('and is refused at a limit, which removing a member lowers again', async () => {
    garden = await startGardenNode({ plugins: ['gardens', 'keys', 'facts'] });
    await garden.must(201, 'founder', 'POST', '/v1/gardens', { slug: 'crowd', name: 'g' });
    const store = garden.node.kernel.get(FactStore);
    const [founder] = await membersOf(store, 'crowd');
    const added = Array.from({ length: 9_999 }, (_, at) => {
      const entity = `agent:made-up-${at}`;
      return { ...founder, entity_uri: entity, entity_key: entity };
    });
    await store.write('default', async (transaction) => {
      for (let at = 0; at < added.length; at += 100) {
        await transaction.insertRows('gardens_members', added.slice(at, at + 100));
      }
    });
    const join = { entity_uri: CAST.reader };
    const full = await garden.must(409, 'founder', 'POST', '/v1/gardens/crowd/members', join);
    expect(full.body.code).to.equal('limit_reached');
    await garden.must(204, 'founder', 'DELETE', '/v1/gardens/crowd/members/agent:made-up-0');
    await garden.must(201, 'founder', 'POST', '/v1/gardens/crowd/members', join);
  }).timeout(300_000);
});

const membersOf = async (store: FactStore, slug: string) => {
  const [garden] = await store.table('gardens_gardens').where({ slug }).select('*');
  return store.table('gardens_members').where({ garden_id: garden.garden_id }).select('*');
};

/** Stores copies of a garden and its members, because a request for each takes much longer. */
const copyGarden = async (store: FactStore, slug: string, copies: number): Promise<void> => {
  const [garden] = await store.table('gardens_gardens').where({ slug }).select('*');
  const members = await store.table('gardens_members').where({ garden_id: garden.garden_id }).select('*');
  await store.write(garden.tenant_id, async (transaction) => {
    for (let copy = 1; copy <= copies; copy += 1) {
      const own = { garden_id: randomUUID() };
      const name = { slug: `${slug}-${copy}`, active_slug: `${slug}-${copy}` };
      await transaction.insertRows('gardens_gardens', [{ ...garden, ...own, ...name }]);
      const added = members.map((member: object) => ({ ...member, ...own }));
      await transaction.insertRows('gardens_members', added);
    }
  });
};
