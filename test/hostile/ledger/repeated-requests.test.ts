import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const fact = (v: string, more: object = {}) => ({
  entity: 'user:alice',
  relation: 'memory:role',
  value: { type: 'string', v },
  source: 'agent:w',
  ...more,
});

forEachStore('A client repeats the same request many times', () => {
  let node: TestNode;
  let key: string;
  beforeEach(async () => {
    node = await startTestNode();
    key = await node.addKey({ permissions: ['read', 'write', 'admin', 'audit.read'] });
  });
  afterEach(() => node.stop());

  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    node.request('POST', path, { key, body, headers });
  const read = async (path: string) => (await node.request('GET', path, { key })).body;

  const counters = async () => ({
    facts: (await read('/v1/facts?include_contradicted=true&include_expired=true&include_retracted=true')).total,
    writes: (await read('/v1/auth/audit?event_type=fact_write')).total,
    bills: (await read('/v1/admin/billing/events')).total,
    conflicts: (await read('/v1/conflicts?status=all')).conflicts.length,
  });

  it('with an idempotency key, at once and later: no counter changes (I10)', async () => {
    const batch = [fact('CEO'), fact('CTO'), fact('gone', { entity: 'user:bob', confidence: 0 })];
    const headers = { 'Idempotency-Key': 'order-1' };
    const first = await post('/v1/facts/batch', batch, headers);
    const before = await counters();
    expect(before).to.deep.equal({ facts: 3, writes: before.writes, bills: 3, conflicts: 1 });
    const again = await Promise.all(Array.from({ length: 10 }, () => post('/v1/facts/batch', batch, headers)));
    again.push(await post('/v1/facts/batch', batch, headers));
    for (const { status, text, body } of again) {
      if (status === 409) expect(body.code).to.equal('idempotency_in_progress');
      else expect([status, text]).to.deep.equal([200, first.text]);
    }
    expect(again.at(-1)?.status).to.equal(200);
    expect(await counters()).to.deep.equal(before);
  });

  it('counts one assertion and one resolution when a client repeats them without an idempotency key (I10)', async () => {
    await post('/v1/facts', fact('CEO'));
    await post('/v1/facts', fact('CTO'));
    const before = await counters();
    const repeated = await Promise.all(Array.from({ length: 10 }, () => post('/v1/facts', fact('CTO'))));
    expect(new Set(repeated.map(({ body }) => body.id)).size).to.equal(1);
    expect(await counters()).to.deep.equal(before);
    const [conflict] = (await read('/v1/conflicts')).conflicts;
    const path = `/v1/conflicts/${conflict.conflict_id}/resolve`;
    const resolve = () => post(path, { winning_fact_id: conflict.fact_a.id });
    const replies = await Promise.all(Array.from({ length: 10 }, resolve));
    expect(replies.map(({ status }) => status).sort()).to.deep.equal([200, ...Array<number>(9).fill(409)]);
    const after = await counters();
    expect([after.facts, after.bills]).to.deep.equal([before.facts + 1, before.bills + 1]);
  });

  it('as two hundred writers who contradict one another: one conflict is open per garden and outside (I11)', async () => {
    expect((await post('/v1/gardens', { slug: 'roses', name: 'Roses', scope: 'local' })).status).to.equal(201);
    const writes = Array.from({ length: 100 }, (_, n) => [
      post('/v1/facts', fact(`outside ${n}`)),
      post('/v1/facts', fact(`inside ${n}`, { garden_id: 'roses' })),
    ]).flat();
    for (const { status } of await Promise.all(writes)) expect(status).to.equal(201);
    const { conflicts } = await read('/v1/conflicts');
    const places = conflicts.map((conflict: { fact_a: { garden_id: string | null } }) => conflict.fact_a.garden_id);
    expect(places.map((garden: string | null) => garden === null).sort()).to.deep.equal([false, true]);
    for (const { members } of conflicts) expect(members).to.have.length(100);
  });
});
