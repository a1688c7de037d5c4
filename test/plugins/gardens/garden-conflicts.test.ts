import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { type Actor, CAST, type GardenNode, startGardenNode } from './garden-kit.ts';

interface Listed {
  readonly conflict_id: string;
  readonly members: string[];
  readonly status: string;
}

interface Shown {
  readonly id: string;
  readonly contradicted: boolean;
  readonly differs_elsewhere?: boolean;
}

forEachStore('contradictions between the public facts and gardens', () => {
  let garden: GardenNode;
  beforeEach(async () => {
    garden = await startGardenNode({ plugins: ['gardens', 'keys', 'facts', 'audit', 'conflicts'] });
    await garden.must(201, 'founder', 'POST', '/v1/gardens', { slug: 'roots', name: 'Roots' });
    await garden.must(201, 'founder', 'POST', '/v1/gardens/roots/members', { entity_uri: CAST.writer, role: 'writer' });
  });
  afterEach(() => garden.stop());

  const says = async (actor: Actor, v: string, place?: string, confidence = 1): Promise<string> => {
    await garden.node.clock.advance(1);
    const where = place === undefined ? {} : { garden_id: place };
    return (await garden.say(actor, { value: { type: 'string', v }, confidence, ...where })).id;
  };
  const conflicts = async (actor: Actor, status = 'unresolved'): Promise<Listed[]> =>
    (await garden.must(200, actor, 'GET', `/v1/conflicts?status=${status}`)).body.conflicts;
  const facts = async (actor: Actor, options = ''): Promise<Shown[]> =>
    (await garden.must(200, actor, 'GET', `/v1/facts?entity=user:alice&relation=memory:role${options}`)).body.facts;
  const ids = async (actor: Actor, options = ''): Promise<string[]> =>
    (await facts(actor, options)).map(({ id }) => id);
  /** Returns the system facts about a conflict that are visible to the actor. */
  const told = async (actor: Actor, { conflict_id: id }: Listed): Promise<string[]> => {
    const { body } = await garden.must(200, actor, 'GET', `/v1/facts?entity=${id}`);
    return body.facts.map(
      ({ relation, value }: { relation: string; value: { v: string } }) => `${relation} ${value.v}`,
    );
  };
  const resolve = (actor: Actor, { conflict_id: id }: Listed, winner: string, status = 200) =>
    garden.must(status, actor, 'POST', `/v1/conflicts/${id}/resolve`, {
      winning_fact_id: winner,
      resolution_note: 'so',
    });

  it('are no conflict between two gardens: readers of both see both facts', async () => {
    const outside = await says('stranger', 'a');
    const herbs = await says('writer', 'b', 'herbs');
    const roots = await says('founder', 'c', 'roots');
    for (const actor of ['founder', 'writer', 'operator'] as const) {
      expect(await ids(actor)).to.have.members([outside, herbs, roots]);
      for (const shown of await facts(actor))
        expect(shown).to.include({ contradicted: false, differs_elsewhere: true });
      expect(await conflicts(actor, 'all')).to.deep.equal([]);
    }
    expect(await ids('reader')).to.have.members([outside, herbs]);
    expect(await ids('stranger')).to.deep.equal([outside]);
    expect((await facts('stranger'))[0]).to.not.have.property('differs_elsewhere');
  });

  it('show as differs_elsewhere only if another visible garden holds another value', async () => {
    const outside = await says('stranger', 'a');
    const same = await says('writer', 'a', 'herbs');
    for (const shown of await facts('reader')) expect(shown).to.not.have.property('differs_elsewhere');
    const other = await says('writer', 'b', 'herbs', 0.5);
    const marks = async (actor: Actor) =>
      Object.fromEntries(
        (await facts(actor, '&include_contradicted=true')).map(({ id, contradicted, differs_elsewhere: differs }) => [
          id,
          [contradicted, differs === true],
        ]),
      );
    expect(await marks('reader')).to.deep.equal({
      [outside]: [false, true],
      [same]: [true, false],
      [other]: [true, true],
    });
    await says('writer', 'x', 'herbs', 0);
    expect(await marks('reader')).to.include.keys(outside);
    for (const [id, [contradicted, differs]] of Object.entries(await marks('reader'))) {
      expect([contradicted, differs], id).to.deep.equal([false, false]);
    }
    const one = await garden.must(200, 'reader', 'GET', `/v1/facts/${outside}`);
    expect(one.body).to.not.have.property('differs_elsewhere');
  });

  it('have a separate winner in each garden and outside', async () => {
    const outside = await says('stranger', 'a', undefined, 0.9);
    await says('stranger', 'b', undefined, 0.2);
    await says('writer', 'c', 'herbs', 0.1);
    const herbs = await says('writer', 'd', 'herbs', 0.3);
    expect(await ids('reader')).to.have.members([outside, herbs]);
    for (const shown of await facts('reader'))
      expect(shown).to.include({ contradicted: true, differs_elsewhere: true });
    expect(await ids('stranger')).to.deep.equal([outside]);
  });

  it('have a separate conflict in each garden, visible to its readers only', async () => {
    const first = await says('stranger', 'a');
    const second = await says('stranger', 'b');
    const inner = [await says('writer', 'a', 'herbs'), await says('writer', 'c', 'herbs')];
    const [newest, oldest] = await conflicts('reader');
    expect(newest?.members).to.deep.equal([...inner].reverse());
    expect(oldest?.members).to.deep.equal([second, first]);
    expect((await conflicts('stranger')).map(({ conflict_id: id }) => id)).to.deep.equal([oldest?.conflict_id]);
    expect(await told('reader', newest as Listed)).to.have.members([
      `svc:conflict:between ${inner[1]} ${inner[0]}`,
      'svc:conflict:status unresolved',
    ]);
    expect(await told('stranger', newest as Listed)).to.deep.equal([]);
    expect(await told('stranger', oldest as Listed)).to.have.length(2);
    await resolve('stranger', newest as Listed, inner[0] as string, 404);
    await resolve('reader', newest as Listed, inner[0] as string, 403);
  });

  it('are ended by a retraction, a resolution or a time to live only in the same garden', async () => {
    const outside = [await says('stranger', 'a', undefined, 0.4), await says('stranger', 'b', undefined, 0.5)];
    await says('writer', 'c', 'herbs');
    await says('writer', 'x', 'herbs', 0);
    expect(await ids('reader', '&include_contradicted=true')).to.include.members(outside);
    const herbs = [await says('writer', 'd', 'herbs', 0.4), await says('writer', 'e', 'herbs', 0.5)];
    const inner = (await conflicts('reader')).find(({ members }) => members.includes(herbs[0] as string)) as Listed;
    await resolve('writer', inner, herbs[0] as string);
    const [open, ...others] = await conflicts('reader');
    expect(others).to.deep.equal([]);
    expect(open?.members).to.have.members(outside);
    expect(await ids('stranger')).to.deep.equal([outside[1]]);
    await resolve('stranger', open as Listed, outside[0] as string);
    expect(await conflicts('founder')).to.deep.equal([]);
    await says('stranger', 'x', undefined, 0);
    const left = await facts('reader');
    expect(left.map(({ id }) => id)).to.have.length(2);
    const inGarden = await garden.must(200, 'reader', 'GET', '/v1/facts?entity=user:alice&garden_id=herbs');
    expect(inGarden.body.facts).to.have.length(1);
    expect(inGarden.body.facts[0].value.v).to.equal('d');
  });

  it('leave the newest retraction of each garden without live facts in answers', async () => {
    await says('stranger', 'a');
    const herbs = await says('writer', 'b', 'herbs');
    const gone = await says('stranger', 'x', undefined, 0);
    expect(await ids('reader')).to.have.members([gone, herbs]);
    const goneToo = await says('writer', 'x', 'herbs', 0);
    expect(await ids('reader')).to.have.members([gone, goneToo]);
    expect(await ids('stranger')).to.deep.equal([gone]);
  });

  it('look the same to outsiders with and without hidden facts', async () => {
    await says('writer', 'b', 'herbs');
    const first = await says('stranger', 'a');
    await says('writer', 'c', 'herbs');
    expect(await conflicts('stranger', 'all')).to.deep.equal([]);
    const second = await says('stranger', 'd');
    const [conflict, ...others] = await conflicts('stranger');
    expect(others).to.deep.equal([]);
    expect(conflict).to.deep.include({
      members: [second, first],
      detected_at: new Date(garden.node.clock.nowMs()).toISOString(),
    });
    await resolve('stranger', conflict as Listed, first);
    const [closed] = await conflicts('stranger', 'all');
    expect(closed).to.deep.include({ conflict_id: conflict?.conflict_id, status: 'resolved' });
    expect(await told('stranger', closed as Listed)).to.have.lengthOf(4);
  });
});
