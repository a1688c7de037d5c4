import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { CAST, type GardenFact, type GardenNode, startGardenNode } from '../../plugins/gardens/garden-kit.ts';

const digestOf = (id: string): string => `sha256:${createHash('sha256').update(id).digest('hex')}`;

/**
 * A short value can be guessed from its content id in milliseconds, because the other five members are known or have
 * few values.
 */
forEachStore('A reader guesses a hidden value from a reference to it (I13)', () => {
  let garden: GardenNode;
  beforeEach(async () => {
    garden = await startGardenNode({ plugins: ['gardens', 'keys', 'facts', 'conflicts'] });
  });
  afterEach(() => garden.stop());

  const derived = async (from: GardenFact, members: Readonly<Record<string, unknown>> = {}): Promise<string> => {
    const { id } = await garden.say('writer', { entity: 'user:bob', ...members, derived_from: [{ fact_id: from.id }] });
    const { body } = await garden.must(200, 'writer', 'GET', `/v1/facts/${id}`);
    expect(body.derived_from).to.have.lengthOf(1);
    return body.derived_from[0];
  };

  it('out of a garden: readers outside see no reference, members still see it', async () => {
    const inside = await garden.say('writer', { garden_id: 'herbs' });
    expect(await derived(inside)).to.equal(digestOf(inside.id));
    expect(await derived(inside, { garden_id: 'herbs' })).to.equal(inside.cid);
  });

  it('into a garden: a fact outside it is referred to only by its digest', async () => {
    const outside = await garden.say('writer');
    expect(await derived(outside, { garden_id: 'herbs' })).to.equal(digestOf(outside.id));
    expect(await derived(outside)).to.equal(outside.cid);
  });

  it('from a narrow scope: readers of a wider scope see no reference', async () => {
    const scopes = ['local', 'team', 'company', 'public'];
    for (const [narrow, of] of scopes.entries()) {
      const fact = await garden.say('writer', { scope: of });
      for (const [wide, scope] of scopes.entries()) {
        expect(await derived(fact, { scope }), `${of} in ${scope}`).to.equal(
          wide > narrow ? digestOf(fact.id) : fact.cid,
        );
      }
    }
  });

  it('to a fact that the writer cannot read or that does not exist: both replies are equal', async () => {
    const hidden = await garden.say('founder', { garden_id: 'herbs' });
    const { body } = await garden.must(201, 'stranger', 'POST', '/v1/facts', {
      entity: 'user:bob',
      relation: 'memory:role',
      value: { type: 'string', v: 'x' },
      source: 'agent:w1',
      derived_from: [{ fact_id: hidden.id }, { fact_id: 'no-such-fact' }],
    });
    expect(body.derived_from).to.deep.equal([digestOf(hidden.id), digestOf('no-such-fact')]);
  });

  it('through a promotion: the copy has no references into the quarantine garden', async () => {
    await garden.must(201, 'founder', 'POST', '/v1/gardens', { slug: 'ward', name: 'Ward', quarantine: true });
    await garden.must(201, 'founder', 'POST', '/v1/gardens/ward/members', { entity_uri: CAST.writer, role: 'admin' });
    const secret = await garden.say('writer', { garden_id: 'ward', value: { type: 'string', v: 'yes' } });
    const known = await garden.say('writer', { entity: 'user:known' });
    const unknown = digestOf('never stored');
    const held = await garden.say('writer', {
      garden_id: 'ward',
      relation: 'memory:sum',
      derived_from: [{ fact_id: secret.id }, known.cid, unknown],
    });
    await garden.must(200, 'writer', 'POST', `/v1/quarantine/${held.id}/admit`, {});
    const { body } = await garden.must(200, 'stranger', 'GET', '/v1/facts?relation=memory:sum');
    expect(body.facts[0].derived_from).to.deep.equal([digestOf(secret.id), known.cid, unknown]);
  });
});
