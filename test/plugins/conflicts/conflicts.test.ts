import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const PLUGINS = ['facts', 'conflicts', 'keys', 'audit'];

interface Assertion {
  readonly v?: string;
  readonly confidence?: number;
  readonly entity?: string;
  readonly relation?: string;
  readonly scope?: string;
  readonly valid_until?: string;
}

forEachStore('contradictions', () => {
  let node: TestNode;
  let key: string;

  beforeEach(async () => {
    node = await startTestNode({ plugins: PLUGINS });
    key = await node.addKey({ entityUri: 'agent:w', permissions: ['read', 'write'] });
  });
  afterEach(() => node.stop());

  const assertion = ({ v = 'a', entity = 'user:alice', relation = 'memory:role', ...rest }: Assertion) => ({
    entity,
    relation,
    value: { type: 'string', v },
    source: 'agent:w',
    scope: 'company',
    ...rest,
  });
  const assert = async (members: Assertion) => {
    const reply = await node.request('POST', '/v1/facts', { key, body: assertion(members) });
    expect(reply.status, reply.text).to.equal(201);
    return reply.body;
  };
  const list = async (query = 'entity=user:alice') =>
    (await node.request('GET', `/v1/facts?${query}`, { key })).body.facts;
  const conflicts = async (query = '') => (await node.request('GET', `/v1/conflicts?${query}`, { key })).body.conflicts;
  const resolve = (id: string, body: unknown, as = key) =>
    node.request('POST', `/v1/conflicts/${id}/resolve`, { key: as, body });

  it('keep both facts, are recorded as one conflict, and are shown with their winner', async () => {
    const first = await assert({ v: 'a', confidence: 0.8 });
    const second = await assert({ v: 'b', confidence: 0.9 });
    expect([first.contradicted, second.contradicted]).to.deep.equal([false, true]);
    expect((await list()).map((fact: { id: string }) => fact.id)).to.deep.equal([second.id]);
    const all = await list('entity=user:alice&include_contradicted=true');
    expect(all.map((fact: { contradicted: boolean }) => fact.contradicted)).to.deep.equal([true, true]);
    const [conflict, ...others] = await conflicts();
    expect(others).to.deep.equal([]);
    expect(conflict).to.deep.include({ status: 'unresolved', resolved_by: null, members: [second.id, first.id] });
    expect([conflict.fact_a.id, conflict.fact_b.id]).to.deep.equal([second.id, first.id]);
    const reified = await list(`entity=${conflict.conflict_id}`);
    expect(
      reified.map((fact: { relation: string; value: { v: string } }) => [fact.relation, fact.value.v]),
    ).to.have.deep.members([
      ['svc:conflict:between', `${second.id} ${first.id}`],
      ['svc:conflict:status', 'unresolved'],
    ]);
  });

  it('are won by the newer stamp if confidences are equal; counters compare as numbers', async () => {
    for (let counter = 0; counter < 9; counter += 1) await assert({ v: 'filler', entity: `user:${counter}` });
    const nine = await assert({ v: 'a' });
    const ten = await assert({ v: 'b' });
    expect([nine.hlc, ten.hlc].map((hlc: string) => hlc.split('.')[1])).to.deep.equal(['9', '10']);
    expect((await list()).map((fact: { id: string }) => fact.id)).to.deep.equal([ten.id]);
  });

  it('do not arise between equal values, and a repeated fact opens no second conflict', async () => {
    await assert({ v: 'a' });
    await assert({ v: 'a', confidence: 0.5 });
    expect(await conflicts()).to.deep.equal([]);
    await assert({ v: 'b' });
    await assert({ v: 'a', confidence: 0.4 });
    await assert({ v: 'c' });
    const found = await conflicts();
    expect(found).to.have.length(1);
    expect(found[0].members).to.have.length(5);
  });

  it('do not arise across scopes, relations or entities, except across spellings of one entity', async () => {
    await assert({ v: 'a' });
    await assert({ v: 'b', scope: 'public' });
    await assert({ v: 'b', relation: 'memory:other' });
    expect(await conflicts()).to.deep.equal([]);
    await assert({ v: 'b', entity: 'USER:Alice' });
    expect(await conflicts()).to.have.length(1);
  });

  it('do not arise with expired or retracted facts', async () => {
    await assert({ v: 'a', valid_until: '2020-01-01T00:00:00Z' });
    await assert({ v: 'b' });
    await assert({ v: 'retracted', confidence: 0 });
    await assert({ v: 'c' });
    expect(await conflicts('status=all')).to.deep.equal([]);
  });

  it('leave the list of open conflicts when only one value is live, but stay on record', async () => {
    await assert({ v: 'a', valid_until: new Date(node.clock.nowMs() + 2_000).toISOString() });
    const second = await assert({ v: 'b', confidence: 0.5 });
    expect(await conflicts()).to.have.length(1);
    await node.clock.advance(3_000);
    expect(await conflicts()).to.deep.equal([]);
    expect(await conflicts('status=all')).to.have.length(1);
    expect(
      (await list()).map((fact: { id: string; contradicted: boolean }) => [fact.id, fact.contradicted]),
    ).to.deep.equal([[second.id, false]]);
  });

  it('end with a resolution that holds the winner, its provenance and a note', async () => {
    const first = await assert({ v: 'a', confidence: 0.3 });
    const second = await assert({ v: 'b' });
    const [conflict] = await conflicts();
    const reply = await resolve(conflict.conflict_id, { winning_fact_id: first.id, resolution_note: 'asked her' });
    expect(reply.status).to.equal(200);
    expect(reply.body.conflict_status).to.equal('resolved');
    const [only, ...others] = await list();
    expect(others).to.deep.equal([]);
    expect(only).to.deep.include({
      id: reply.body.resolution_fact_id,
      confidence: 1,
      source: 'agent:w',
      contradicted: false,
    });
    expect(only.value.v).to.equal('a');
    expect(only.derived_from).to.have.members([first.cid, second.cid]);
    expect(await conflicts()).to.deep.equal([]);
    const [closed] = await conflicts('status=resolved');
    expect(closed).to.deep.include({ status: 'resolved', resolved_by: reply.body.resolution_fact_id });
    const notes = await list(`entity=${conflict.conflict_id}&relation=svc:conflict:note`);
    expect(notes[0].value.v).to.equal('asked her');
    const resolves = await list(`entity=svc:fact:${reply.body.resolution_fact_id}&relation=svc:resolves`);
    expect(resolves[0].value).to.deep.include({ type: 'ref', v: conflict.conflict_id });
  });

  it('stay in the open conflict after a retraction, and later contradicting facts join it', async () => {
    await assert({ v: 'a' });
    await assert({ v: 'b' });
    await assert({ v: 'gone', confidence: 0 });
    expect(await conflicts()).to.deep.equal([]);
    const first = await assert({ v: 'c' });
    expect(await conflicts()).to.deep.equal([]);
    const { body } = await node.request('POST', '/v1/facts/batch', {
      key,
      body: ['d', 'e'].map((v) => assertion({ v })),
    });
    expect(body.accepted).to.equal(2);
    const [conflict, ...others] = await conflicts('status=all');
    expect(others).to.deep.equal([]);
    expect(conflict.members).to.include.members([
      first.id,
      ...body.results.map(({ fact }: { fact: { id: string } }) => fact.id),
    ]);
    expect(conflict.members).to.have.length(5);
  });

  it('can be resolved even when all their facts are retracted', async () => {
    await assert({ v: 'a' });
    await assert({ v: 'b' });
    const [conflict] = await conflicts();
    await assert({ v: 'gone', confidence: 0 });
    expect((await resolve(conflict.conflict_id, { new_value: { type: 'string', v: 'z' } })).status).to.equal(200);
    expect((await conflicts('status=all')).map(({ status }: { status: string }) => status)).to.deep.equal(['resolved']);
    expect((await list()).map(({ value }: { value: { v: string } }) => value.v)).to.deep.equal(['z']);
  });

  it('open a new conflict when a later fact contradicts the resolution', async () => {
    await assert({ v: 'a' });
    await assert({ v: 'b' });
    const [first] = await conflicts();
    await resolve(first.conflict_id, { new_value: { type: 'string', v: 'z' } });
    await assert({ v: 'z', confidence: 0.9 });
    expect(await conflicts()).to.deep.equal([]);
    await assert({ v: 'y' });
    const [second, ...others] = await conflicts();
    expect(others).to.deep.equal([]);
    expect(second.conflict_id).not.to.equal(first.conflict_id);
    expect(await conflicts('status=all')).to.have.length(2);
  });

  it('are resolved by exactly one of ten parallel calls', async () => {
    const facts: { id: string }[] = [];
    for (const v of ['a', 'b', 'c']) facts.push(await assert({ v }));
    const [conflict] = await conflicts();
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, at) => resolve(conflict.conflict_id, { winning_fact_id: facts[at % 3]?.id })),
    );
    expect(replies.map(({ status }) => status).sort()).to.deep.equal([200, ...Array.from({ length: 9 }, () => 409)]);
    for (const { status, body } of replies) if (status === 409) expect(body.code).to.equal('already_resolved');
    expect(await list()).to.have.length(1);
  });

  it('refuse an invalid resolution and store nothing', async () => {
    await assert({ v: 'a' });
    await assert({ v: 'b' });
    const stranger = await assert({ v: 'x', entity: 'user:bob' });
    const [conflict] = await conflicts();
    const reader = await node.addKey({ entityUri: 'agent:r', permissions: ['read'] });
    const outsider = await node.addKey({ entityUri: 'agent:o', permissions: ['read', 'write'], scopes: ['public'] });
    const statuses = [
      await resolve(conflict.conflict_id, {}),
      await resolve(conflict.conflict_id, { winning_fact_id: stranger.id }),
      await resolve(conflict.conflict_id, { winning_fact_id: 'bogus' }),
      await resolve(conflict.conflict_id, { new_value: { type: 'number', v: 'five' } }),
      await resolve(conflict.conflict_id, {
        new_value: { type: 'string', v: 'x' },
        resolution_note: 'n'.repeat(16_385),
      }),
      await resolve(conflict.conflict_id, { new_value: { type: 'string', v: 'x' } }, reader),
      await resolve(conflict.conflict_id, { new_value: { type: 'string', v: 'x' } }, outsider),
      await resolve('svc:conflict:00000000-0000-4000-8000-000000000000', { new_value: { type: 'string', v: 'x' } }),
    ].map(({ status }) => status);
    expect(statuses).to.deep.equal([422, 422, 422, 422, 422, 403, 404, 404]);
    expect(await conflicts()).to.have.length(1);
    expect(await list('entity=user:alice&include_contradicted=true')).to.have.length(2);
  });

  it('are found by their conflict id with or without its prefix, encoded or raw', async () => {
    await assert({ v: 'a' });
    await assert({ v: 'b' });
    const [{ conflict_id: id }] = await conflicts();
    const bare = id.slice('svc:conflict:'.length);
    for (const form of [bare, encodeURIComponent(id), id]) {
      expect((await resolve(form, {})).status).to.equal(422);
      expect((await resolve(form, { winning_fact_id: 'bogus' })).status).to.equal(422);
    }
    expect((await resolve(bare, { new_value: { type: 'null' } })).status).to.equal(200);
  });

  it('are listed page by page, each once, only to callers who see both facts', async () => {
    for (let at = 0; at < 7; at += 1) {
      await assert({ v: 'a', entity: `user:${at}` });
      await assert({ v: 'b', entity: `user:${at}` });
      await node.clock.advance(at % 2);
    }
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const suffix: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { body } = await node.request('GET', `/v1/conflicts?limit=3${suffix}`, { key });
      expect(body.has_more).to.equal(body.cursor !== null);
      seen.push(...body.conflicts.map((conflict: { conflict_id: string }) => conflict.conflict_id));
      cursor = body.cursor;
    } while (cursor !== null);
    expect(new Set(seen).size).to.equal(7);
    expect(seen).to.have.length(7);
    const outsider = await node.addKey({ entityUri: 'agent:o', permissions: ['read'], scopes: ['public'] });
    const { body } = await node.request('GET', '/v1/conflicts', { key: outsider });
    expect(body).to.deep.equal({ conflicts: [], cursor: null, has_more: false });
  });

  it('are not listed for an unknown status, an invalid limit or a cursor of another query', async () => {
    for (let at = 0; at < 2; at += 1) {
      await assert({ v: 'a', entity: `user:${at}` });
      await assert({ v: 'b', entity: `user:${at}` });
    }
    const { body } = await node.request('GET', '/v1/conflicts?limit=1', { key });
    const other = await node.addKey({ entityUri: 'agent:other', permissions: ['read'] });
    const replies = [
      await node.request('GET', '/v1/conflicts?status=open', { key }),
      await node.request('GET', '/v1/conflicts?limit=0', { key }),
      await node.request('GET', `/v1/conflicts?limit=1&cursor=${body.cursor}`, { key: other }),
      await node.request('GET', `/v1/conflicts?limit=1&status=all&cursor=${body.cursor}`, { key }),
    ];
    expect(replies.map(({ status, body: problem }) => [status, problem.code])).to.deep.equal([
      [400, 'validation'],
      [400, 'validation'],
      [400, 'invalid_cursor'],
      [400, 'invalid_cursor'],
    ]);
  });
});
