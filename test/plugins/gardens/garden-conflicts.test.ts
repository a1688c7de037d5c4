import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { type Actor, CAST, type GardenNode, startGardenNode } from './garden-kit.ts';

interface Listed {
  readonly conflict_id: string;
  readonly members: string[];
  readonly status: string;
}

forEachStore('contradictions around gardens (D14)', () => {
  let garden: GardenNode;
  beforeEach(async () => {
    garden = await startGardenNode({ plugins: ['gardens', 'keys', 'facts', 'audit', 'conflicts'] });
    await garden.must(201, 'founder', 'POST', '/v1/gardens', { slug: 'roots', name: 'Roots' });
    await garden.must(201, 'founder', 'POST', '/v1/gardens/roots/members', { entity_uri: CAST.writer, role: 'writer' });
  });
  afterEach(() => garden.stop());

  const says = async (actor: Actor, v: string, place?: string): Promise<string> => {
    await garden.node.clock.advance(1);
    const where = place === undefined ? {} : { garden_id: place };
    return (await garden.say(actor, { value: { type: 'string', v }, ...where })).id;
  };
  const conflicts = async (actor: Actor, status = 'unresolved'): Promise<Listed[]> =>
    (await garden.must(200, actor, 'GET', `/v1/conflicts?status=${status}`)).body.conflicts;
  /** What the actor is told about a conflict by facts. */
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

  it('are known to who sees both sides, with all that is said about them', async () => {
    const outside = await says('stranger', 'a');
    const inside = await says('writer', 'b', 'herbs');
    for (const actor of ['founder', 'writer', 'reader', 'operator'] as const) {
      const [conflict, ...others] = await conflicts(actor);
      expect(others).to.deep.equal([]);
      expect(conflict?.members).to.deep.equal([inside, outside]);
      expect(await told(actor, conflict as Listed)).to.have.members([
        `svc:conflict:between ${inside} ${outside}`,
        'svc:conflict:status unresolved',
      ]);
    }
    const [conflict] = await conflicts('reader');
    expect(await conflicts('stranger', 'all')).to.deep.equal([]);
    expect(await told('stranger', conflict as Listed)).to.deep.equal([]);
    await resolve('stranger', conflict as Listed, outside, 404);
    const { body } = await garden.must(200, 'stranger', 'GET', `/v1/facts/${outside}`);
    expect(body.contradicted).to.equal(false);
  });

  it('between two gardens are known to who reads both', async () => {
    const herbs = await says('writer', 'a', 'herbs');
    const roots = await says('founder', 'b', 'roots');
    for (const actor of ['founder', 'writer', 'operator'] as const) {
      const [conflict] = await conflicts(actor);
      expect(conflict?.members).to.deep.equal([roots, herbs]);
      expect(await told(actor, conflict as Listed)).to.have.lengthOf(2);
    }
    const [conflict] = await conflicts('founder');
    for (const actor of ['reader', 'stranger'] as const) {
      expect(await conflicts(actor, 'all')).to.deep.equal([]);
      expect(await told(actor, conflict as Listed)).to.deep.equal([]);
    }
    await garden.must(201, 'founder', 'POST', '/v1/gardens/roots/members', { entity_uri: CAST.reader });
    expect(await conflicts('reader')).to.have.lengthOf(1);
    expect(await told('reader', conflict as Listed)).to.have.lengthOf(2);
    await resolve('reader', conflict as Listed, herbs, 403);
    await resolve('writer', conflict as Listed, herbs);
    expect(await conflicts('founder')).to.deep.equal([]);
    expect(await told('reader', conflict as Listed)).to.include('svc:conflict:note so');
    await garden.must(204, 'founder', 'DELETE', `/v1/gardens/roots/members/${CAST.reader}`);
    expect(await told('reader', conflict as Listed)).to.deep.equal([]);
  });

  it('outside are the same whatever is hidden: record, members, time, facts about them, and their end', async () => {
    const hidden = await says('writer', 'b', 'herbs');
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
    expect(await told('stranger', conflict as Listed)).to.have.members([
      `svc:conflict:between ${second} ${first}`,
      'svc:conflict:status unresolved',
    ]);
    const inner = (await conflicts('reader')).find(({ members }) => members.includes(hidden)) as Listed;
    await resolve('writer', inner, hidden);
    expect(await conflicts('reader')).to.deep.equal([]);
    expect(await conflicts('stranger')).to.deep.equal([conflict]);
    await resolve('stranger', conflict as Listed, first);
    const [closed] = await conflicts('stranger', 'all');
    expect(closed).to.deep.include({ conflict_id: conflict?.conflict_id, status: 'resolved' });
    expect(await told('stranger', closed as Listed)).to.have.lengthOf(4);
  });

  it('end in every garden when they are resolved outside', async () => {
    const outside = await says('stranger', 'a');
    await says('writer', 'b', 'herbs');
    await says('founder', 'c', 'roots');
    expect(await conflicts('founder')).to.have.lengthOf(3);
    const [conflict] = await conflicts('reader');
    await resolve('reader', conflict as Listed, outside);
    for (const actor of ['founder', 'reader', 'operator'] as const) expect(await conflicts(actor)).to.deep.equal([]);
    await says('founder', 'e', 'roots');
    expect(await conflicts('founder')).to.have.lengthOf(1);
    expect(await conflicts('reader')).to.deep.equal([]);
  });
});
