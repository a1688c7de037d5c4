import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import {
  type Actor,
  CAST,
  type GardenFact,
  type GardenNode,
  startGardenNode,
} from '../../plugins/gardens/garden-kit.ts';

const PLUGINS = ['gardens', 'keys', 'facts', 'audit', 'conflicts', 'recall', 'search', 'cards', 'graph'];

forEachStore('A writer in one garden tries to change facts in another garden, or outside (I13)', () => {
  let garden: GardenNode;
  beforeEach(async () => {
    garden = await startGardenNode({ plugins: PLUGINS });
  });
  afterEach(() => garden.stop());

  const says = async (
    actor: Actor,
    v: string,
    members: Readonly<Record<string, unknown>> = {},
  ): Promise<GardenFact> => {
    await garden.node.clock.advance(1);
    return garden.say(actor, { value: { type: 'string', v }, ...members });
  };
  const resolve = async (actor: Actor, winner: GardenFact): Promise<GardenFact & { derived_from: string[] }> => {
    const { body } = await garden.must(200, actor, 'GET', '/v1/conflicts');
    const own = body.conflicts.find(({ members }: { members: string[] }) => members.includes(winner.id));
    const path = `/v1/conflicts/${own.conflict_id}/resolve`;
    const resolved = await garden.must(200, actor, 'POST', path, { winning_fact_id: winner.id });
    return (await garden.must(200, actor, 'GET', `/v1/facts/${resolved.body.resolution_fact_id}`)).body;
  };

  it('with a resolution that could confirm a hidden value: it names no fact of a garden', async () => {
    const secret = await says('writer', 'secret', { garden_id: 'herbs' });
    const guesses = [await says('stranger', 'secret', { source: 'agent:w2' }), await says('stranger', 'other')];
    const resolution = await resolve('stranger', guesses[1] as GardenFact);
    expect(resolution.derived_from).to.have.members(guesses.map(({ cid }) => cid));
    expect(resolution.derived_from).not.to.include(secret.cid);
  });

  it('with a resolution in a garden: it names no fact from outside or from another garden', async () => {
    await garden.must(201, 'founder', 'POST', '/v1/gardens', { slug: 'roots', name: 'Roots' });
    const elsewhere = [await says('stranger', 'x'), await says('founder', 'y', { garden_id: 'roots' })];
    const inside = [
      await says('writer', 'a', { garden_id: 'herbs' }),
      await says('writer', 'b', { garden_id: 'herbs' }),
    ];
    const resolution = await resolve('founder', inside[0] as GardenFact);
    expect(resolution.derived_from).to.have.members(inside.map(({ cid }) => cid));
    for (const { cid } of elsewhere) expect(resolution.derived_from).not.to.include(cid);
  });

  describe('by adding a victim as a member of a garden', () => {
    let victims: GardenFact;
    beforeEach(async () => {
      victims = await says('founder', 'the truth', { confidence: 0.4 });
      await garden.must(201, 'stranger', 'POST', '/v1/gardens', { slug: 'trap', name: 'Trap' });
      await garden.must(201, 'stranger', 'POST', '/v1/gardens/trap/members', { entity_uri: CAST.founder });
    });

    /** Returns all answers to the victim about the fact outside gardens. */
    const seen = async (actor: Actor) => {
      const ask = async (method: string, target: string, body?: unknown) =>
        (await garden.must(200, actor, method, target, body)).body;
      const listed = (await ask('GET', '/v1/facts?entity=user:alice')).facts as GardenFact[];
      const one = await ask('GET', `/v1/facts/${victims.id}`);
      const recalled = await ask('POST', '/v1/recall', { query: 'truth', token_budget: 1_000 });
      const card = await ask('GET', '/v1/cards/user:alice?scope=company');
      return {
        listed: listed.filter(({ garden_id: place }) => place === null).map(({ id }) => id),
        contradicted: one.contradicted,
        recalled: recalled.facts
          .filter(({ fact }: { fact: GardenFact }) => fact.garden_id === null)
          .map(({ fact }: { fact: GardenFact }) => fact.id),
        omitted: recalled.omitted.contradicted,
        contradictions: card.contradicted_count,
      };
    };
    const unharmed = async () => {
      const truth = {
        listed: [victims.id],
        contradicted: false,
        recalled: [victims.id],
        omitted: 0,
        contradictions: 0,
      };
      expect(await seen('founder')).to.deep.equal(truth);
      expect(await seen('reader')).to.deep.equal(truth);
    };

    it('to rank above a public fact in that view alone', async () => {
      await says('stranger', 'a lie', { garden_id: 'trap', confidence: 1 });
      await unharmed();
    });

    it('to retract the public fact there', async () => {
      await says('stranger', 'retracted', { garden_id: 'trap', confidence: 0 });
      await unharmed();
    });

    it('to resolve a conflict against it there', async () => {
      const lies = [await says('stranger', 'a lie', { garden_id: 'trap' })];
      lies.push(await says('stranger', 'another lie', { garden_id: 'trap' }));
      await resolve('stranger', lies[0] as GardenFact);
      await unharmed();
    });

    it('to open a conflict between the two', async () => {
      const { body } = await garden.must(200, 'founder', 'GET', '/v1/conflicts?status=all');
      await says('stranger', 'a lie', { garden_id: 'trap' });
      await says('founder', 'the truth', { source: 'agent:w2' });
      expect((await garden.must(200, 'founder', 'GET', '/v1/conflicts?status=all')).body).to.deep.equal(body);
    });
  });
});
