import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { CAST, type GardenNode, startGardenNode } from './garden-kit.ts';

forEachStore('gardens', () => {
  let garden: GardenNode;
  beforeEach(async () => {
    garden = await startGardenNode({ plugins: ['gardens', 'keys', 'facts', 'audit', 'billing'] });
  });
  afterEach(() => garden.stop());

  const NAMES = () => [
    'herbs',
    garden.gardenId,
    'svc://elsewhere.example/garden/herbs',
    'svc:%2F%2Fx%2Fgarden%2FHerbs',
  ];

  it('are created by callers who may write, with the creator as first admin', async () => {
    const { body } = await garden.must(201, 'stranger', 'POST', '/v1/gardens', {
      slug: '  Tree-House ',
      name: ' The tree house ',
      scope: 'team',
      description: 'for drafts',
    });
    const { id, created_at: createdAt, members } = body;
    expect(body).to.deep.equal({
      id,
      garden_id: 'svc://localhost:8765/garden/tree-house',
      slug: 'tree-house',
      name: 'The tree house',
      scope: 'team',
      description: 'for drafts',
      created_by: CAST.stranger,
      created_at: createdAt,
      members,
      quarantine: false,
    });
    expect(members).to.deep.equal([
      { entity_uri: CAST.stranger, role: 'admin', added_by: CAST.stranger, added_at: createdAt },
    ]);
    expect(id).to.match(/^[0-9a-f-]{36}$/);
  });

  it('have a slug unique in the tenant, and a scope that the key has', async () => {
    const herbs = await garden.must(409, 'stranger', 'POST', '/v1/gardens', { slug: 'HERBS', name: 'mine' });
    expect(herbs.body.detail).to.include('herbs');
    for (const slug of ['', '-a', 'a_b', 'a.b', '../x', 'ä', 'а'.repeat(3), 'x'.repeat(64), 'a b']) {
      await garden.must(422, 'stranger', 'POST', '/v1/gardens', { slug, name: 'n' });
    }
    for (const body of [
      { slug: 'a' },
      { name: 'n' },
      { slug: 'a', name: ' ' },
      { slug: 'a', name: 'n', scope: 'Public' },
    ]) {
      await garden.must(422, 'stranger', 'POST', '/v1/gardens', body);
    }
    const key = await garden.node.addKey({ scopes: ['local'] });
    const refused = await garden.ask('stranger', 'POST', '/v1/gardens', { key, body: { slug: 'a', name: 'n' } });
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'authorization']);
    const reads = await garden.node.addKey({ permissions: ['read', 'admin'] });
    const unwritten = { key: reads, body: { slug: 'a', name: 'n' } };
    expect((await garden.ask('stranger', 'POST', '/v1/gardens', unwritten)).status).to.equal(403);
    const taken = await Promise.all(
      Array.from({ length: 5 }, () =>
        garden.ask('stranger', 'POST', '/v1/gardens', { body: { slug: 'once', name: 'n' } }),
      ),
    );
    expect(taken.map(({ status }) => status).sort()).to.deep.equal([201, 409, 409, 409, 409]);
  });

  it('are found by slug, id and any of their URIs, by members and admins only', async () => {
    for (const name of NAMES()) {
      for (const actor of ['founder', 'writer', 'reader', 'operator'] as const) {
        const { body } = await garden.must(200, actor, 'GET', `/v1/gardens/${name}`);
        expect(body.id).to.equal(garden.gardenId);
        expect(body.members.map(({ role }: { role: string }) => role)).to.deep.equal(['admin', 'writer', 'reader']);
        const members = await garden.must(200, actor, 'GET', `/v1/gardens/${name}/members`);
        expect(members.body).to.deep.equal(body.members);
      }
      await garden.must(404, 'stranger', 'GET', `/v1/gardens/${name}`);
    }
  });

  it('are listed to their members, and all of them to an admin, oldest first and without members', async () => {
    await garden.node.clock.advance(1_000);
    await garden.must(201, 'stranger', 'POST', '/v1/gardens', { slug: 'apples', name: 'Apples' });
    const slugs = async (actor: Parameters<GardenNode['must']>[1]) => {
      const { body } = await garden.must(200, actor, 'GET', '/v1/gardens');
      expect(body.every(({ members }: { members: unknown[] }) => members.length === 0)).to.equal(true);
      return body.map(({ slug }: { slug: string }) => slug);
    };
    expect(await slugs('reader')).to.deep.equal(['herbs']);
    expect(await slugs('stranger')).to.deep.equal(['apples']);
    expect(await slugs('operator')).to.deep.equal(['herbs', 'apples']);
  });

  it('are not found by a stranger, with a reply equal byte for byte to an unknown garden', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000';
    const calls = [
      ['GET', '', undefined],
      ['DELETE', '', undefined],
      ['GET', '/members', undefined],
      ['POST', '/members', { entity_uri: 'agent:x' }],
      ['PATCH', `/members/${CAST.reader}`, { role: 'admin' }],
      ['DELETE', `/members/${CAST.reader}`, undefined],
      ['POST', '/promote', { fact_id: 'x' }],
      ['POST', '/reject', { fact_id: 'x' }],
    ] as const;
    for (const [method, tail, body] of calls) {
      const answers = [];
      for (const name of [garden.gardenId, unknown]) {
        const reply = await garden.ask('stranger', method, `/v1/gardens/${name}${tail}`, {
          headers: { 'X-Request-Id': 'same' },
          ...(body === undefined ? {} : { body }),
        });
        answers.push([reply.status, reply.text.replaceAll(name, 'G')]);
      }
      expect(answers[0], `${method} ${tail}`).to.deep.equal(answers[1]);
      expect(answers[0]?.[0]).to.equal(404);
    }
  });

  it('are changed only by their admins; a member without the role gets 403', async () => {
    for (const actor of ['writer', 'reader'] as const) {
      await garden.must(403, actor, 'POST', '/v1/gardens/herbs/members', { entity_uri: 'agent:x' });
      await garden.must(403, actor, 'PATCH', `/v1/gardens/herbs/members/${CAST.reader}`, { role: 'admin' });
      await garden.must(403, actor, 'DELETE', `/v1/gardens/herbs/members/${CAST.founder}`);
      await garden.must(403, actor, 'DELETE', '/v1/gardens/herbs');
    }
    for (const actor of ['founder', 'operator'] as const) {
      const path = '/v1/gardens/herbs/members/svc://h/user/new%20one';
      const { body } = await garden.must(201, actor, 'POST', '/v1/gardens/herbs/members', {
        entity_uri: ' svc://h/user/new one ',
      });
      expect(body).to.deep.include({ entity_uri: 'svc://h/user/new one', role: 'reader', added_by: CAST[actor] });
      await garden.must(409, actor, 'POST', '/v1/gardens/herbs/members', { entity_uri: 'svc://h/user/new one' });
      const changed = await garden.must(200, actor, 'PATCH', path, { role: 'quarantine:moderator' });
      expect(changed.body.role).to.equal('quarantine:moderator');
      await garden.must(204, actor, 'DELETE', path);
      await garden.must(404, actor, 'PATCH', path, { role: 'reader' });
      await garden.must(404, actor, 'DELETE', path);
    }
    await garden.must(422, 'founder', 'POST', '/v1/gardens/herbs/members', { entity_uri: 'agent:x', role: 'owner' });
    await garden.must(422, 'founder', 'POST', '/v1/gardens/herbs/members', { role: 'reader' });
  });

  it('always have at least one admin', async () => {
    const founder = `/v1/gardens/herbs/members/${CAST.founder}`;
    for (const actor of ['founder', 'operator'] as const) {
      const demoted = await garden.must(403, actor, 'PATCH', founder, { role: 'reader' });
      const removed = await garden.must(403, actor, 'DELETE', founder);
      expect([demoted.body.code, removed.body.code]).to.deep.equal(['last_admin', 'last_admin']);
      await garden.must(200, actor, 'PATCH', founder, { role: 'admin' });
    }
    await garden.must(200, 'founder', 'PATCH', `/v1/gardens/herbs/members/${CAST.writer}`, { role: 'admin' });
    const both = await Promise.all([
      garden.ask('founder', 'DELETE', founder),
      garden.ask('operator', 'DELETE', `/v1/gardens/herbs/members/${CAST.writer}`),
    ]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([204, 403]);
  });

  it('write an audit entry and a ledger entry for each change, but none for a refusal', async () => {
    await garden.must(204, 'founder', 'DELETE', `/v1/gardens/herbs/members/${CAST.reader}`);
    await garden.must(204, 'founder', 'DELETE', '/v1/gardens/herbs');
    await garden.must(404, 'founder', 'DELETE', '/v1/gardens/herbs');
    const { body } = await garden.must(200, 'operator', 'GET', '/v1/auth/audit?event_type=admin_action');
    const entries = body.entries.filter(
      ({ detail }: { detail: { garden_id?: string } }) => detail.garden_id !== undefined,
    );
    expect(
      entries.map(({ entity_uri: by, detail }: { entity_uri: string; detail: { action: string } }) => [
        by,
        detail.action,
      ]),
    ).to.deep.equal([
      [CAST.founder, 'garden_create'],
      [CAST.founder, 'garden_member_add'],
      [CAST.founder, 'garden_member_add'],
      [CAST.founder, 'garden_member_remove'],
      [CAST.founder, 'garden_delete'],
    ]);
    const ledger = await garden.must(200, 'operator', 'GET', '/v1/admin/billing/events?event_type=garden_created');
    expect(ledger.body.events).to.have.lengthOf(1);
    expect(ledger.body.events[0]).to.deep.include({
      event_type: 'garden_created',
      entity_uri: CAST.founder,
      fact_id: null,
      garden_id: garden.gardenId,
    });
  });

  it('release their slug when deleted, and slugs of other tenants are independent', async () => {
    await garden.must(204, 'founder', 'DELETE', `/v1/gardens/${garden.gardenId}`);
    for (const actor of ['founder', 'operator'] as const) {
      await garden.must(404, actor, 'GET', `/v1/gardens/${garden.gardenId}`);
    }
    const { body } = await garden.must(201, 'stranger', 'POST', '/v1/gardens', { slug: 'herbs', name: 'Again' });
    expect(body.id).not.to.equal(garden.gardenId);
  });
});
