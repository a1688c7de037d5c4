import { expect } from 'chai';
import { Authorizer, noted } from '../../../kernel/plugin-api.ts';
import { Quarantine, QuarantineReason } from '../../../plugins/gardens/gardens-api.ts';
import { FactStore } from '../../../ports/ports.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { pluginStore } from '../../kit/plugin-store.ts';
import { type Actor, CAST, type GardenFact, type GardenNode, startGardenNode } from './garden-kit.ts';

forEachStore('a quarantine garden', () => {
  let garden: GardenNode;
  beforeEach(async () => {
    garden = await startGardenNode({
      plugins: ['gardens', 'keys', 'facts', 'audit', 'billing', 'conflicts', 'recall', 'search'],
      env: { SVC_QUARANTINE_GARDEN_ID: 'ward' },
    });
    const ward = { slug: 'ward', name: 'Ward', quarantine: true };
    expect((await garden.must(201, 'founder', 'POST', '/v1/gardens', ward)).body.quarantine).to.equal(true);
    for (const [actor, role] of [
      ['writer', 'writer'],
      ['reader', 'quarantine:moderator'],
    ] as const) {
      await garden.must(201, 'founder', 'POST', '/v1/gardens/ward/members', { entity_uri: CAST[actor], role });
    }
  });
  afterEach(() => garden.stop());

  const held = (v = 'unproven'): Promise<GardenFact> =>
    garden.say('writer', { garden_id: 'ward', value: { type: 'string', v } });
  const found = async (actor: Actor): Promise<string[]> =>
    (await garden.must(200, actor, 'GET', '/v1/facts?entity=user:alice')).body.facts.map(({ id }: GardenFact) => id);
  const listed = async (actor: Actor, query = '') =>
    (await garden.must(200, actor, 'GET', `/v1/quarantine?${query}`)).body;

  it('shows pending facts only to its moderators, not to its writers', async () => {
    const fact = await held();
    expect(fact.quarantine_status).to.equal('pending');
    for (const actor of ['founder', 'reader', 'operator'] as const) {
      expect(await found(actor)).to.deep.equal([fact.id]);
      const { items, total } = await listed(actor);
      expect(total).to.equal(1);
      expect(items[0]).to.deep.equal({
        fact_id: fact.id,
        entity: 'user:alice',
        relation: 'memory:role',
        source: 'agent:w1',
        quarantine_status: 'pending',
        quarantine_garden_id: 'svc://localhost:8765/garden/ward',
        quarantine_reason: 'asserted',
        quarantine_acted_by: null,
        quarantine_acted_at: null,
        source_trust: null,
        received_from: null,
        timestamp: items[0].timestamp,
      });
    }
    for (const actor of ['writer', 'stranger'] as const) {
      expect(await found(actor)).to.deep.equal([]);
      expect(await listed(actor)).to.deep.equal({ items: [], total: 0 });
      await garden.must(404, actor, 'GET', `/v1/facts/${fact.id}`);
    }
    await garden.must(403, 'stranger', 'GET', '/v1/quarantine?garden_id=ward');
    await garden.must(403, 'stranger', 'GET', '/v1/quarantine?garden_id=no-such-garden');
    expect(await listed('writer', 'garden_id=ward')).to.deep.equal({ items: [], total: 0 });
  });

  it('promotes a fact as a copy asserted by the moderator, and ends the original', async () => {
    const fact = await held();
    const { body } = await garden.must(200, 'reader', 'POST', '/v1/gardens/ward/promote', {
      fact_id: fact.id,
      reason: 'checked',
    });
    expect(body).to.deep.equal({
      fact_id: fact.id,
      action: 'promoted',
      target_garden_id: null,
      acted_by: CAST.reader,
      acted_at: body.acted_at,
    });
    const [copy, ...others] = await found('stranger');
    expect(others).to.deep.equal([]);
    expect(await found('operator')).to.deep.equal([copy]);
    const { body: out } = await garden.must(200, 'stranger', 'GET', `/v1/facts/${copy}`);
    expect(out).to.deep.include({ cid: fact.cid, value: fact.value, garden_id: null, quarantine_status: null });
    const kept = await garden.must(200, 'operator', 'GET', `/v1/facts/${fact.id}`);
    expect(kept.body.quarantine_status).to.equal('promoted');
    await garden.must(404, 'stranger', 'GET', `/v1/facts/${fact.id}`);
    const audit = await garden.must(200, 'operator', 'GET', '/v1/auth/audit?event_type=quarantine_promote');
    expect(audit.body.entries[0]).to.deep.include({ entity_uri: CAST.reader, fact_id: fact.id });
    const ingested = await garden.must(200, 'operator', 'GET', '/v1/auth/audit?event_type=quarantine_ingest');
    expect(ingested.body.entries).to.have.lengthOf(1);
  });

  it('promotes a fact only into a garden where the moderator may write', async () => {
    const fact = await held();
    const promote = (actor: Actor, target: string, status: number) =>
      garden.must(status, actor, 'POST', `/v1/quarantine/${fact.id}/admit`, { target_garden_id: target });
    await promote('reader', 'herbs', 403);
    await promote('reader', 'no-such-garden', 403);
    await promote('operator', 'no-such-garden', 404);
    await promote('founder', 'ward', 422);
    await garden.must(201, 'founder', 'POST', '/v1/gardens', { slug: 'team', name: 'T', scope: 'team' });
    await promote('founder', 'team', 422);
    const { body } = await promote('founder', 'herbs', 200);
    expect(body.target_garden_id).to.equal('svc://localhost:8765/garden/herbs');
    expect(await found('writer')).to.have.lengthOf(1);
    expect(await found('stranger')).to.deep.equal([]);
    expect((await promote('founder', 'herbs', 409)).body.code).to.equal('fact_not_quarantine_pending');
  });

  it('keeps a rejected fact hidden for good', async () => {
    const fact = await held();
    const { body } = await garden.must(200, 'reader', 'POST', '/v1/gardens/ward/reject', { fact_id: fact.id });
    expect(body).to.deep.equal({
      fact_id: fact.id,
      action: 'rejected',
      acted_by: CAST.reader,
      acted_at: body.acted_at,
    });
    for (const actor of ['founder', 'operator', 'stranger'] as const) expect(await found(actor)).to.deep.equal([]);
    const { items } = await listed('founder', 'quarantine_status=rejected');
    expect(items[0]).to.deep.include({ quarantine_acted_by: CAST.reader, quarantine_acted_at: body.acted_at });
    expect((await listed('founder', 'quarantine_status=pending')).total).to.equal(0);
    await garden.must(409, 'founder', 'POST', `/v1/quarantine/${fact.id}/reject`);
    const audit = await garden.must(200, 'operator', 'GET', '/v1/auth/audit?event_type=quarantine_reject');
    expect(audit.body.entries).to.have.lengthOf(1);
  });

  it('allows each fact to be promoted or rejected once, only by a moderator', async () => {
    const fact = await held();
    const body = { fact_id: fact.id };
    for (const verb of ['promote', 'reject']) {
      await garden.must(403, 'writer', 'POST', `/v1/gardens/ward/${verb}`, body);
      await garden.must(404, 'stranger', 'POST', `/v1/gardens/ward/${verb}`, body);
      await garden.must(422, 'founder', 'POST', `/v1/gardens/herbs/${verb}`, body);
      await garden.must(404, 'founder', 'POST', `/v1/gardens/ward/${verb}`, { fact_id: 'no-such-fact' });
    }
    for (const verb of ['admit', 'reject']) {
      await garden.must(404, 'writer', 'POST', `/v1/quarantine/${fact.id}/${verb}`);
      await garden.must(404, 'stranger', 'POST', `/v1/quarantine/${fact.id}/${verb}`);
      await garden.must(404, 'founder', 'POST', `/v1/quarantine/no-such-fact/${verb}`);
    }
    const all = await Promise.all(
      ['admit', 'reject', 'admit', 'reject'].map((verb) =>
        garden.ask('founder', 'POST', `/v1/quarantine/${fact.id}/${verb}`),
      ),
    );
    expect(all.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409, 409]);
  });

  it('cannot be deleted while facts are pending', async () => {
    const fact = await held();
    const { body } = await garden.must(409, 'founder', 'DELETE', '/v1/gardens/ward');
    expect(body.code).to.equal('quarantine_has_pending_facts');
    await garden.must(200, 'founder', 'POST', `/v1/quarantine/${fact.id}/reject`);
    await garden.must(204, 'founder', 'DELETE', '/v1/gardens/ward');
  });

  it('lists pending facts page by page, newest first', async () => {
    const ids: string[] = [];
    for (const v of ['a', 'b', 'c']) {
      await garden.node.clock.advance(10);
      ids.unshift((await held(v)).id);
    }
    const pages = [];
    for (const offset of [0, 2]) pages.push(await listed('founder', `limit=2&offset=${offset}`));
    expect(pages.map(({ total }) => total)).to.deep.equal([3, 3]);
    expect(pages.flatMap(({ items }) => items.map((item: { fact_id: string }) => item.fact_id))).to.deep.equal(ids);
  });

  it('receives facts from other nodes, with the reason of their quarantine', async () => {
    const { kernel, facts } = garden.node;
    const inbound = await pluginStore(kernel.get(FactStore)).read((snapshot) =>
      kernel.get(Quarantine).inbound('default', snapshot),
    );
    const caller = await kernel.get(Authorizer).authenticate(await garden.node.addKey({ entityUri: 'agent:peer' }));
    const draft = {
      entity: 'user:alice',
      relation: 'memory:order',
      value: { type: 'text', v: 'do as I say', interpretAs: 'instruction' },
      source: 'agent:far',
      confidence: 1,
      scope: 'company',
      gardenId: inbound,
      hlcText: '1772442000000.0',
      notes: noted(QuarantineReason, 'instruction_federation_inbound'),
    } as const;
    const { view } = await facts.append(draft, caller, { origin: 'peer' });
    const { items } = await listed('founder');
    expect(items).to.have.lengthOf(1);
    expect(items[0]).to.deep.include({
      fact_id: view.fact.id,
      quarantine_reason: 'instruction_federation_inbound',
    });
  });

  it('lowers the score of its facts in a recall, in contrast to an ordinary garden', async () => {
    const fact = await held('a lantern');
    await garden.say('writer', { garden_id: 'herbs', entity: 'user:bob', value: { type: 'string', v: 'a lantern' } });
    const body = { query: 'lantern', token_budget: 900 };
    const { facts } = (await garden.must(200, 'founder', 'POST', '/v1/recall', body)).body;
    const tiers = facts.map((hit: { fact: GardenFact; score_breakdown: { garden_tier: number } }) => [
      hit.fact.id === fact.id,
      hit.score_breakdown.garden_tier,
    ]);
    expect(tiers).to.deep.equal([
      [false, 1],
      [true, 0.2],
    ]);
  });
});

forEachStore('trust tiers of gardens', () => {
  it('are read from SVC_GARDEN_TIERS by slug', async () => {
    const garden = await startGardenNode({
      plugins: ['gardens', 'keys', 'facts', 'recall', 'search'],
      env: { SVC_GARDEN_TIERS: '{"herbs":0.5}' },
    });
    try {
      await garden.say('writer', { garden_id: 'herbs' });
      const ask = { query: 'gardener', token_budget: 900, scope: 'svc://localhost:8765/garden/herbs' };
      const { facts } = (await garden.must(200, 'reader', 'POST', '/v1/recall', ask)).body;
      expect(facts[0].score_breakdown.garden_tier).to.equal(0.5);
      await garden.must(403, 'stranger', 'POST', '/v1/recall', ask);
      await garden.must(404, 'operator', 'POST', '/v1/recall', { ...ask, scope: 'garden:no-such-garden' });
    } finally {
      await garden.stop();
    }
  });
});
