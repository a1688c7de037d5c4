import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

interface Entry {
  readonly id: string;
  readonly fact_id: string;
  readonly entity_uri: string;
  readonly fact_entity: string | null;
}

const HIDDEN = {
  fact_entity: null,
  fact_relation: null,
  fact_value_type: null,
  fact_value_v: null,
  fact_scope: null,
};

forEachStore('audit entries with their facts', () => {
  let node: TestNode;
  let writer: string;
  let other: string;
  let auditor: string;
  let publicFact: string;
  let companyFact: string;
  let foreignFact: string;
  before(async () => {
    node = await startTestNode({ plugins: ['keys', 'audit', 'facts', 'conflicts'] });
    writer = await node.addKey({ entityUri: 'agent:w' });
    other = await node.addKey({ entityUri: 'agent:other' });
    auditor = await node.addKey({
      entityUri: 'agent:auditor',
      permissions: ['read', 'audit.read'],
      scopes: ['public'],
    });
    publicFact = await assert(writer, { scope: 'public', value: { type: 'number', v: -5 } });
    companyFact = await assert(writer, { scope: 'company', value: { type: 'text', v: 'secret plan' } });
    foreignFact = await assert(other, { scope: 'public', entity: 'user:b', value: { type: 'boolean', v: true } });
  });
  after(() => node.stop());

  const assert = async (key: string, members: Record<string, unknown>): Promise<string> => {
    await node.clock.advance(1_000);
    const body = { entity: 'user:a', relation: 'memory:n', source: 'agent:src', ...members };
    const reply = await node.request('POST', '/v1/facts', { key, body });
    expect(reply.status, reply.text).to.equal(201);
    return reply.body.id;
  };
  const list = (query = '', key = writer) => node.request('GET', `/v1/audit${query}`, { key });

  it('show a reader only its own entries, newest first, with all their members', async () => {
    const { body } = await list();
    expect(body.total).to.equal(2);
    expect(body.cursor).to.equal(null);
    expect(body.entries.map(({ fact_id }: Entry) => fact_id)).to.deep.equal([companyFact, publicFact]);
    const { id, ...rest } = body.entries[1];
    expect(id).to.match(/^[0-9a-f-]{36}$/);
    expect(rest).to.deep.equal({
      fact_id: publicFact,
      event_type: 'fact_write',
      entity_uri: 'agent:w',
      oidc_sub: null,
      recall: null,
      source: 'agent:src',
      attested_key_id: null,
      ts: '2026-03-02T09:00:01.000Z',
      attested_key_entity_uri: null,
      attested_key_description: null,
      fact_entity: 'user:a',
      fact_relation: 'memory:n',
      fact_value_type: 'number',
      fact_value_v: -5,
      fact_scope: 'public',
    });
    expect((await list('?entity_uri=agent:other')).body.total, 'asking for others finds none').to.equal(0);
  });

  it('show all entries of the tenant with audit.read, but only the visible facts', async () => {
    const { body } = await list('?event_type=fact_write', auditor);
    expect(body.total).to.equal(3);
    const seen = new Map<string, Entry>(body.entries.map((entry: Entry) => [entry.fact_id, entry]));
    expect(seen.get(publicFact)?.fact_entity).to.equal('user:a');
    expect(seen.get(foreignFact)?.fact_entity).to.equal('user:b');
    expect(seen.get(companyFact)).to.include({ ...HIDDEN, entity_uri: 'agent:w', source: 'agent:src' });
    const text = (await list('', auditor)).text;
    expect(text).not.to.contain('secret plan');
    const export_ = await list('/export', auditor);
    expect(export_.text).not.to.contain('secret plan');
  });

  it('contain no fact for a key that may read the log but no facts', async () => {
    const key = await node.addKey({ entityUri: 'agent:log', permissions: ['audit.read'] });
    const { body } = await list('?event_type=fact_write', key);
    expect(body.total).to.equal(3);
    for (const entry of body.entries) expect(entry).to.include(HIDDEN);
    const ofFact = await list(`/facts/${publicFact}`, key);
    expect(ofFact.body[0]).to.include(HIDDEN);
  });

  it('of one fact are returned as an array; an unknown fact gets the same answer as a hidden one', async () => {
    const own = await list(`/facts/${publicFact}`);
    expect(own.body.map(({ fact_id }: Entry) => fact_id)).to.deep.equal([publicFact]);
    const foreign = await list(`/facts/${foreignFact}`);
    const unknown = await list('/facts/3b4d2d50-9e0a-4b8e-9d0e-0f6f8b1f6f11');
    const strange = await list('/facts/no%20fact%2Fat%20all');
    for (const reply of [foreign, unknown, strange]) {
      expect([reply.status, reply.text]).to.deep.equal([200, '[]']);
    }
    expect((await list(`/facts/${foreignFact}`, auditor)).body).to.have.length(1);
  });

  it('are paged without repetition or gap, also among entries of one instant', async () => {
    const key = await node.addKey({ entityUri: 'agent:many' });
    const items = Array.from({ length: 11 }, (_, at) => ({
      entity: `user:m${at}`,
      relation: 'memory:n',
      value: { type: 'number', v: at },
      source: 'agent:many',
    }));
    expect((await node.request('POST', '/v1/facts/batch', { key, body: items })).body.accepted).to.equal(11);
    const all = (await list('?limit=500', key)).body.entries.map(({ id }: Entry) => id);
    expect(all).to.deep.equal([...all].sort().reverse());
    const paged: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { body } = await list(`?limit=4${query}`, key);
      expect(body.total).to.equal(11);
      paged.push(...body.entries.map(({ id }: Entry) => id));
      cursor = body.cursor;
    }
    expect(paged).to.deep.equal(all);
    const first = (await list('?limit=4', key)).body.cursor;
    for (const [query, by] of [
      [`?limit=4&cursor=${first}`, writer],
      [`?limit=4&event_type=fact_write&cursor=${first}`, key],
      [`?limit=4&cursor=${first}A`, key],
      ['?cursor=', key],
    ] as const) {
      const reply = await list(query, by);
      expect([reply.status, reply.body.code], query).to.deep.equal([400, 'invalid_cursor']);
    }
  });

  it('require a permission and well-formed parameters', async () => {
    const federate = await node.addKey({ entityUri: 'agent:f', permissions: ['federate', 'write'] });
    for (const path of ['', '/export', `/facts/${publicFact}`]) {
      expect((await list(path, federate)).status, path).to.equal(403);
      expect((await node.request('GET', `/v1/audit${path}`)).status, path).to.equal(401);
    }
    for (const query of ['limit=0', 'limit=501', 'since=x', 'until=2026-13-01T00:00:00Z', 'event_type=']) {
      expect((await list(`?${query}`)).status, query).to.equal(400);
    }
    expect((await list('/export?since=x')).status).to.equal(400);
  });
});

forEachStore('the export of audit entries', () => {
  it('is CSV with a header and every listed entry, and is safe in a spreadsheet', async () => {
    const node = await startTestNode({ plugins: ['keys', 'audit', 'facts'] });
    const key = await node.addKey({ entityUri: '=HYPERLINK("http://x")' });
    const count = 1_203;
    for (let from = 0; from < count; from += 401) {
      const items = Array.from({ length: 401 }, (_, at) => ({
        entity: '@sum, of "all"',
        relation: `memory:n${from + at}`,
        value: { type: 'text', v: '-1+1\r\nsecond line' },
        source: '+src',
      }));
      await node.clock.advance(1);
      await node.request('POST', '/v1/facts/batch', { key, body: items });
    }
    const reply = await node.request('GET', '/v1/audit/export', { key });
    expect(reply.status).to.equal(200);
    expect(reply.headers['content-type']).to.match(/^text\/csv\b/);
    expect(reply.headers['cache-control']).to.equal('no-store');
    expect(reply.text.startsWith('id,fact_id,event_type,entity_uri,oidc_sub,source,')).to.equal(true);
    expect(reply.text.slice(0, reply.text.indexOf('\r\n'))).to.match(
      /,fact_scope,principal_entity_uri,principal_oidc_sub$/,
    );
    const rows = reply.text.match(/^[0-9a-f-]{36},/gm) ?? [];
    expect(rows).to.have.length(count);
    expect(new Set(rows)).to.have.lengthOf(count);
    expect(reply.text).to.contain(`fact_write,"'=HYPERLINK(""http://x"")",,'+src,`);
    expect(reply.text).to.contain(
      `"'@sum, of ""all""",memory:n0,text,"'-1+1\r\nsecond line",local,"'=HYPERLINK(""http://x"")",\r\n`,
    );
    const narrowed = await node.request('GET', '/v1/audit/export?until=2026-03-02T09:00:00.001Z', { key });
    expect(narrowed.text.match(/^[0-9a-f-]{36},/gm)).to.have.length(401);
    await node.stop();
  });
});
