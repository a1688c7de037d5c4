import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

interface Entry {
  readonly seq: number;
  readonly id: string;
  readonly event_type: string;
  readonly entity_uri: string;
  readonly fact_id: string | null;
  readonly detail: unknown;
}

forEachStore('the audit log of a tenant', () => {
  let node: TestNode;
  let auditor: string;
  let admin: string;
  let writer: string;
  before(async () => {
    node = await startTestNode({ plugins: ['keys', 'audit', 'facts', 'conflicts'] });
    auditor = await node.addKey({ entityUri: 'agent:auditor', permissions: ['audit.read'] });
    admin = await node.addKey({ entityUri: 'agent:ops', permissions: ['admin'] });
    writer = await node.addKey({ entityUri: 'agent:w' });
    for (let at = 0; at < 5; at += 1) {
      await node.clock.advance(1_000);
      const fact = {
        entity: `user:${at}`,
        relation: 'memory:n',
        value: { type: 'number', v: at },
        source: 'agent:src',
      };
      expect((await node.request('POST', '/v1/facts', { key: writer, body: fact })).status).to.equal(201);
    }
  });
  after(() => node.stop());

  const get = (query = '', key = auditor, path = '/v1/auth/audit') => node.request('GET', `${path}${query}`, { key });

  it('shows every member of an entry, oldest first, in ascending numbers', async () => {
    const { body } = await get();
    expect(body.total).to.equal(8);
    expect(body.next_cursor).to.equal(null);
    const seqs = body.entries.map(({ seq }: Entry) => seq);
    expect(seqs).to.deep.equal([...seqs].sort((a, b) => a - b));
    expect(new Set(body.entries.map(({ id }: Entry) => id))).to.have.lengthOf(8);
    const { seq, id, fact_id, ...rest } = body.entries[3];
    expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect((await node.request('GET', `/v1/facts/${fact_id}`, { key: writer })).body.entity).to.equal('user:0');
    expect(seq).to.be.a('number');
    expect(rest).to.deep.equal({
      event_type: 'fact_write',
      entity_uri: 'agent:w',
      oidc_sub: null,
      source: 'agent:src',
      attested_key_id: null,
      ts: '2026-03-02T09:00:01.000Z',
      tenant_id: 'default',
      detail: null,
    });
  });

  it('is the same under /v1/admin/audit, with the detail as a string', async () => {
    const { body } = await get();
    const { body: same } = await get('', auditor, '/v1/admin/audit');
    expect(same.total).to.equal(body.total);
    for (const [at, entry] of body.entries.entries()) {
      const { detail, detail_salt: salt, ...rest } = same.entries[at];
      expect({ ...rest, detail: detail === null ? null : JSON.parse(detail) }).to.deep.equal(entry);
      expect(detail === null || typeof detail === 'string').to.equal(true);
      expect(typeof salt).to.equal(detail === null ? 'object' : 'string');
    }
    expect(same.entries[0].detail).to.contain('"action":"api_key_register"');
  });

  it('continues from a number without gaps or repetition, and ends with null', async () => {
    const all = (await get()).body.entries.map(({ seq }: Entry) => seq);
    const seen: number[] = [];
    let cursor: number | null = 0;
    while (cursor !== null) {
      const { body } = await get(`?limit=3&cursor=${cursor}`);
      expect(body.total, 'the total is that of all pages').to.equal(8);
      seen.push(...body.entries.map(({ seq }: Entry) => seq));
      cursor = body.next_cursor;
    }
    expect(seen).to.deep.equal(all);
    expect((await get('?limit=8')).body.next_cursor, 'a full last page').to.equal(null);
  });

  it('can be filtered by event, principal and inclusive time range', async () => {
    const total = async (query: string) => (await get(query)).body.total;
    expect(await total('?event_type=fact_write')).to.equal(5);
    expect(await total('?event_type=admin_action')).to.equal(3);
    expect(await total('?event_type=nothing_like_it')).to.equal(0);
    expect(await total('?principal=agent:w')).to.equal(5);
    expect(await total('?principal=agent:nobody')).to.equal(0);
    expect(await total('?since=2026-03-02T09:00:04Z')).to.equal(2);
    expect(await total('?until=2026-03-02T09:00:01Z')).to.equal(4);
    expect(await total('?since=2026-03-02T10:00:02%2B01:00&until=2026-03-02T09:00:03Z')).to.equal(2);
    expect(await total('?event_type=fact_write&since=2026-03-02T09:00:05Z&principal=agent:w')).to.equal(1);
  });

  it('rejects malformed parameters with 400', async () => {
    const bad = ['limit=0', 'limit=1001', 'limit=x', 'cursor=x', 'cursor=-1', 'cursor=1.5', 'cursor=9999999999999999'];
    bad.push(
      'since=yesterday',
      'until=2026-02-30T00:00:00Z',
      'since=2026-03-02',
      'event_type=A%20B',
      'limit=1&limit=2',
    );
    for (const query of bad) {
      for (const path of ['/v1/auth/audit', '/v1/admin/audit']) {
        const reply = await get(`?${query}`, auditor, path);
        expect(reply.status, `${path}?${query}`).to.equal(400);
        expect(reply.body.detail).to.be.a('string');
      }
    }
    expect((await get('?cursor=x')).body.code).to.equal('invalid_cursor');
  });

  it('is readable with admin or audit.read, and under /v1/admin/audit only with audit.read', async () => {
    const reader = await node.addKey({ entityUri: 'agent:r', permissions: ['read', 'write', 'federate'] });
    const statuses = async (path: string) =>
      Promise.all([auditor, admin, reader].map(async (key) => (await get('', key, path)).status));
    expect(await statuses('/v1/auth/audit')).to.deep.equal([200, 200, 403]);
    expect(await statuses('/v1/admin/audit')).to.deep.equal([200, 403, 403]);
    expect((await node.request('GET', '/v1/auth/audit')).status).to.equal(401);
  });
});

forEachStore('the audit log of one tenant', () => {
  it('shows no entries of another tenant', async () => {
    const node = await startTestNode({
      plugins: ['keys', 'multi-tenant', 'audit', 'facts'],
      env: { SVC_MULTI_TENANT_ENABLED: 'true' },
    });
    const permissions = ['read', 'write', 'audit.read', 'admin'] as const;
    const [one, two] = [
      await node.addKey({ permissions, tenantId: 't1' }),
      await node.addKey({ permissions, tenantId: 't2' }),
    ];
    const fact = { entity: 'user:a', relation: 'memory:n', value: { type: 'number', v: 1 }, source: 'agent:s' };
    const { body } = await node.request('POST', '/v1/facts', { key: one, body: fact });
    for (const path of ['/v1/auth/audit', '/v1/admin/audit', '/v1/audit']) {
      const seen = async (key: string) =>
        (await node.request('GET', `${path}?event_type=fact_write`, { key })).body.total;
      expect([await seen(one), await seen(two)], path).to.deep.equal([1, 0]);
    }
    const ofFact = async (key: string) => (await node.request('GET', `/v1/audit/facts/${body.id}`, { key })).body;
    expect(await ofFact(one)).to.have.length(1);
    expect(await ofFact(two)).to.deep.equal([]);
    await node.stop();
  });
});
