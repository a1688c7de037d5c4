import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { type Actor, assertion, CAST, type GardenFact, type GardenNode, startGardenNode } from './garden-kit.ts';

forEachStore('facts in a garden', () => {
  let garden: GardenNode;
  beforeEach(async () => {
    garden = await startGardenNode({ plugins: ['gardens', 'keys', 'facts', 'audit', 'conflicts'] });
  });
  afterEach(() => garden.stop());

  const found = async (actor: Actor, query = 'entity=user:alice'): Promise<string[]> => {
    const { body } = await garden.must(200, actor, 'GET', `/v1/facts?${query}`);
    expect(body.total).to.equal(body.facts.length);
    return body.facts.map(({ id }: GardenFact) => id);
  };

  it('may be written by admins, writers and admin keys, and show the URI of their garden', async () => {
    const names = ['herbs', garden.gardenId, 'svc://localhost:8765/garden/herbs', ' HERBS '];
    for (const [at, actor] of (['founder', 'writer', 'operator'] as const).entries()) {
      for (const name of names) {
        const fact = await garden.say(actor, { garden_id: name, value: { type: 'number', v: at } });
        expect(fact.garden_id).to.equal('svc://localhost:8765/garden/herbs');
      }
    }
  });

  it('are refused from callers who may not write there, and in any scope other than that of the garden', async () => {
    const write = (actor: Actor, members: object, status: number) =>
      garden.must(status, actor, 'POST', '/v1/facts', {
        entity: 'user:bob',
        relation: 'memory:role',
        value: { type: 'string', v: 'x' },
        source: 'agent:w1',
        scope: 'company',
        ...members,
      });
    await write('reader', { garden_id: 'herbs' }, 403);
    const differs = await write('writer', { garden_id: 'herbs', scope: 'team' }, 422);
    expect(differs.body.errors).to.deep.equal([{ path: 'body.scope', message: 'must be the scope of the garden' }]);
    await write('operator', { garden_id: 'no-such-garden' }, 404);
    const batch = await garden.must(200, 'writer', 'POST', '/v1/facts/batch', [
      { ...differs, garden_id: 'herbs' },
      {
        entity: 'user:x',
        relation: 'a:b',
        value: { type: 'null' },
        source: 'agent:w1',
        scope: 'team',
        garden_id: 'herbs',
      },
      {
        entity: 'user:x',
        relation: 'a:b',
        value: { type: 'null' },
        source: 'agent:w1',
        scope: 'company',
        garden_id: 'herbs',
      },
    ]);
    expect(batch.body.results.map(({ status }: { status: number }) => status)).to.deep.equal([422, 422, 201]);
    expect(await found('founder', 'entity=user:bob')).to.deep.equal([]);
  });

  it('get the reply "not found" for a non-member, as the garden itself does', async () => {
    const fact = await garden.say('writer', { garden_id: 'herbs' });
    const unknown = '00000000-0000-4000-8000-000000000000';
    const ask = async (method: string, target: string, body?: unknown) => {
      const headers = { 'X-Request-Id': 'same' };
      const reply = await garden.ask('stranger', method, target, { headers, ...(body === undefined ? {} : { body }) });
      return [reply.status, reply.text.replaceAll(fact.id, 'F').replaceAll(unknown, 'F')];
    };
    const write = (name: string) => ({
      entity: 'user:bob',
      relation: 'memory:role',
      value: { type: 'string', v: 'x' },
      source: 'agent:w1',
      scope: 'company',
      garden_id: name,
    });
    const there = [garden.gardenId, 'herbs', 'svc://localhost:8765/garden/herbs'];
    for (const name of there) {
      const both = await Promise.all([name, unknown].map((one) => ask('POST', '/v1/facts', write(one))));
      expect(both[0]).to.deep.equal(both[1]);
      expect(both[0]?.[0]).to.equal(403);
      const queries = await Promise.all([name, unknown].map((one) => ask('GET', `/v1/facts?garden_id=${one}`)));
      expect(queries[0]).to.deep.equal(queries[1]);
      expect(queries[0]?.[0]).to.equal(403);
    }
    for (const tail of ['', '/provenance']) {
      const both = await Promise.all([fact.id, unknown].map((id) => ask('GET', `/v1/facts/${id}${tail}`)));
      expect(both[0]).to.deep.equal(both[1]);
    }
    expect(await ask('POST', `/v1/facts/${fact.id}/verify-cid`)).to.deep.equal(
      await ask('POST', `/v1/facts/${unknown}/verify-cid`),
    );
    expect((await ask('GET', `/v1/facts/${fact.cid}`))[0]).to.equal(404);
  });

  it('are listed only to members, who can filter by garden', async () => {
    const outside = await garden.say('stranger', { entity: 'user:bob' });
    const inside = await garden.say('writer', { entity: 'user:bob', relation: 'memory:home', garden_id: 'herbs' });
    for (const actor of ['founder', 'writer', 'reader', 'operator'] as const) {
      expect(await found(actor, 'entity=user:bob')).to.have.members([outside.id, inside.id]);
      expect(await found(actor, 'garden_id=herbs')).to.deep.equal([inside.id]);
      await garden.must(200, actor, 'GET', `/v1/facts/${inside.id}`);
    }
    expect(await found('stranger', 'entity=user:bob')).to.deep.equal([outside.id]);
    await garden.must(404, 'operator', 'GET', '/v1/facts?garden_id=no-such-garden');
  });

  it('are hidden from a former member at once, and refused from a demoted writer', async () => {
    const fact = await garden.say('writer', { garden_id: 'herbs' });
    const path = `/v1/gardens/herbs/members/${CAST.writer}`;
    await garden.must(200, 'founder', 'PATCH', path, { role: 'reader' });
    const again = assertion({ garden_id: 'herbs' });
    await garden.must(403, 'writer', 'POST', '/v1/facts', again);
    expect(await found('writer')).to.deep.equal([fact.id]);
    await garden.must(204, 'founder', 'DELETE', path);
    expect(await found('writer')).to.deep.equal([]);
    await garden.must(404, 'writer', 'GET', `/v1/facts/${fact.id}`);
    await garden.must(403, 'writer', 'POST', '/v1/facts', again);
  });

  it('are stored only if the writer is still allowed inside the same transaction', async () => {
    const { Authorizer } = await import('../../../kernel/plugin-api.ts');
    const { node, gardenId } = garden;
    const key = await node.addKey({ entityUri: CAST.reader });
    const caller = await node.kernel.get(Authorizer).authenticate(key);
    const draft = {
      entity: 'user:x',
      relation: 'a:b',
      value: { type: 'string', v: 'x', interpretAs: 'content' },
      source: 'agent:x',
      confidence: 1,
    } as const;
    const [asReader, elsewhere, outside] = await node.facts.appendAll(
      [
        { ...draft, scope: 'company', gardenId },
        { ...draft, scope: 'company', gardenId: '00000000-0000-4000-8000-000000000000' },
        { ...draft, scope: 'company' },
      ],
      caller,
    );
    expect([asReader, elsewhere].map((verdict) => verdict?.kind === 'rejected' && verdict.error.status)).to.deep.equal([
      403, 403,
    ]);
    expect(outside?.kind).to.equal('stored');
  });

  it('stay hidden when their garden is deleted: only admin keys see them, under the garden id', async () => {
    const fact = await garden.say('writer', { garden_id: 'herbs' });
    await garden.must(204, 'founder', 'DELETE', '/v1/gardens/herbs');
    await garden.must(201, 'stranger', 'POST', '/v1/gardens', { slug: 'herbs', name: 'Mine now' });
    for (const actor of ['founder', 'writer', 'reader', 'stranger'] as const) {
      expect(await found(actor)).to.deep.equal([]);
      await garden.must(404, actor, 'GET', `/v1/facts/${fact.id}`);
    }
    const { body } = await garden.must(200, 'operator', 'GET', `/v1/facts/${fact.id}`);
    expect(body.garden_id).to.equal(garden.gardenId);
    expect(await found('operator', `garden_id=${garden.gardenId}`)).to.deep.equal([fact.id]);
    for (const [actor, status] of [
      ['operator', 404],
      ['founder', 403],
    ] as const) {
      const body = { entity: 'u:x', relation: 'a:b', value: { type: 'null' }, source: 'a:b', scope: 'company' };
      await garden.must(status, actor, 'POST', '/v1/facts', { ...body, garden_id: garden.gardenId });
    }
  });

  it('expire by a time-to-live that the asserter, an admin of the garden or an admin key sets', async () => {
    const ttl = (id: string, actor: Actor, status: number, members: object = {}) =>
      garden.must(status, actor, 'POST', '/v1/facts', {
        entity: id,
        relation: 'svc:ttl',
        value: { type: 'datetime', v: '2026-03-02T00:00:00Z' },
        source: 'agent:w1',
        ...members,
      });
    for (const actor of ['writer', 'founder', 'operator'] as const) {
      const fact = await garden.say('writer', { garden_id: 'herbs' });
      await ttl(fact.id, 'stranger', 404);
      await ttl(fact.id, 'reader', 403);
      expect(await found('reader')).to.deep.equal([fact.id]);
      const { body } = await ttl(fact.id, actor, 201);
      expect(body.garden_id).to.equal('svc://localhost:8765/garden/herbs');
      expect(await found('reader')).to.deep.equal([]);
      expect(await found('stranger', `entity=${fact.id}`)).to.deep.equal([]);
      expect(await found('reader', `entity=${fact.id}`)).to.have.lengthOf(1);
    }
  });

  it('are retracted only within their garden', async () => {
    const outside = await garden.say('stranger');
    const inside = await garden.say('writer', { garden_id: 'herbs' });
    const retraction = await garden.say('writer', { garden_id: 'herbs', confidence: 0 });
    expect(await found('stranger')).to.deep.equal([outside.id]);
    expect(await found('reader')).to.have.members([outside.id, retraction.id]);
    expect(await found('reader')).not.to.include(inside.id);
  });
});
