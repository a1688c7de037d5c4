import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { createRecordingSink } from './recording-sink.ts';

interface Event {
  readonly fact_id: string;
  readonly ts: string;
}

forEachStore('GET /v1/admin/billing/events', () => {
  let node: TestNode;
  let admin: string;
  let writer: string;
  let other: string;
  before(async () => {
    const plugins = ['keys', 'audit', 'facts', 'conflicts', 'billing', createRecordingSink().plugin];
    node = await startTestNode({ plugins });
    admin = await node.addKey({ entityUri: 'agent:ops', permissions: ['admin'] });
    writer = await node.addKey({ entityUri: 'agent:w' });
    other = await node.addKey({ entityUri: 'agent:x' });
  });
  after(() => node.stop());

  const ledger = (query = '', key = admin) => node.request('GET', `/v1/admin/billing/events${query}`, { key });
  const total = async (query = ''): Promise<number> => (await ledger(query)).body.total;
  const assert = (entity: string, v: unknown, key = writer, members = {}) =>
    node.request('POST', '/v1/facts', {
      key,
      body: { entity, relation: 'memory:n', value: { type: 'number', v }, source: 'agent:s', ...members },
    });

  it('contains one event for each fact of a client, and none for a duplicate or a refusal', async () => {
    const before = await total();
    const fact = await assert('user:one', 1);
    expect((await assert('user:one', 1)).body.id).to.equal(fact.body.id);
    expect((await assert('user:one', 'x')).status).to.equal(422);
    const { body } = await ledger('?limit=1');
    expect(body.total).to.equal(before + 1);
    expect(body.events[0]).to.deep.equal({
      event_type: 'fact_written',
      tenant_id: 'default',
      entity_uri: 'agent:w',
      fact_id: fact.body.id,
      garden_id: null,
      ts: '2026-03-02T09:00:00.000Z',
    });
  });

  it('contains no event for facts of the node, and one for each item of a batch', async () => {
    const before = await total();
    const items = [1, 2, 'x', 2].map((v) => ({
      entity: 'user:batch',
      relation: `memory:n${v}`,
      value: { type: 'number', v },
      source: 'agent:s',
    }));
    const { body } = await node.request('POST', '/v1/facts/batch', { key: writer, body: items });
    expect([body.accepted, body.rejected]).to.deep.equal([3, 1]);
    expect(await total()).to.equal(before + 2);
    await assert('user:disputed', 1);
    await assert('user:disputed', 2);
    expect(await total()).to.equal(before + 4);
  });

  it('can be filtered by kind, entity and time, with inclusive bounds', async () => {
    await node.clock.advance(10_000);
    await assert('user:late', 1, other);
    await node.clock.advance(1_000);
    await assert('user:late', 2, other);
    expect(await total('?entity_uri=agent:x')).to.equal(2);
    expect(await total('?entity_uri=agent:nobody')).to.equal(0);
    expect(await total('?event_type=garden_created')).to.equal(0);
    expect(await total('?event_type=fact_written')).to.equal(await total());
    expect(await total('?since=2026-03-02T09:00:10Z')).to.equal(2);
    expect(await total('?since=2026-03-02T09:00:10Z&until=2026-03-02T10:00:10%2B01:00')).to.equal(1);
    expect(await total('?until=2026-03-02T08:59:59.999Z')).to.equal(0);
  });

  it('appears newest first, in pages without repetitions or gaps', async () => {
    const key = await node.addKey({ entityUri: 'agent:pages' });
    await Promise.all(Array.from({ length: 9 }, (_, v) => assert(`user:p${v}`, v, key)));
    const all = (await ledger('?entity_uri=agent:pages')).body.events.map(({ fact_id }: Event) => fact_id);
    const paged: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { body } = await ledger(`?entity_uri=agent:pages&limit=4${query}`);
      expect(body.total).to.equal(9);
      paged.push(...body.events.map(({ fact_id }: Event) => fact_id));
      cursor = body.cursor;
    }
    expect(paged).to.deep.equal(all);
    expect(new Set(paged)).to.have.lengthOf(9);
    const times = (await ledger()).body.events.map(({ ts }: Event) => ts);
    expect(times).to.deep.equal([...times].sort().reverse());
    const { cursor: first } = (await ledger('?entity_uri=agent:pages&limit=4')).body;
    for (const query of [`?limit=4&cursor=${first}`, '?cursor=nonsense']) {
      const reply = await ledger(query);
      expect([reply.status, reply.body.code], query).to.deep.equal([400, 'invalid_cursor']);
    }
  });

  it('is reserved to admins, and rejects invalid parameters', async () => {
    const auditor = await node.addKey({ entityUri: 'agent:a', permissions: ['audit.read', 'read', 'write'] });
    expect((await ledger('', auditor)).status).to.equal(403);
    expect((await node.request('GET', '/v1/admin/billing/events')).status).to.equal(401);
    const bad = [
      'limit=0',
      'limit=1001',
      'event_type=other',
      'since=x',
      'until=2026-03-02',
      'entity_uri=',
      'limit=1&limit=1',
    ];
    for (const query of bad) expect((await ledger(`?${query}`)).status, query).to.equal(400);
  });

  it('contains only events of the caller’s tenant', async () => {
    const apart = await startTestNode({
      plugins: ['keys', 'multi-tenant', 'facts', 'billing', createRecordingSink().plugin],
      env: { SVC_MULTI_TENANT_ENABLED: 'true' },
    });
    const permissions = ['write', 'admin'] as const;
    const [one, two] = [
      await apart.addKey({ permissions, tenantId: 't1' }),
      await apart.addKey({ permissions, tenantId: 't2' }),
    ];
    const body = { entity: 'user:a', relation: 'memory:n', value: { type: 'null' }, source: 'agent:s' };
    await apart.request('POST', '/v1/facts', { key: one, body });
    const seen = async (key: string) => (await apart.request('GET', '/v1/admin/billing/events', { key })).body;
    expect((await seen(one)).events[0].tenant_id).to.equal('t1');
    expect(await seen(two)).to.deep.equal({ events: [], total: 0, cursor: null });
    await apart.stop();
  });
});
