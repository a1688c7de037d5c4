import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { factBody } from './fact-bodies.ts';

forEachStore('querying facts', () => {
  let node: TestNode;
  let key: string;

  beforeEach(async () => {
    node = await startTestNode({ plugins: ['facts', 'conflicts'] });
    key = await node.addKey();
  });

  afterEach(() => node.stop());

  const assert = async (changes: Record<string, unknown> = {}, as = key) => {
    const { status, body } = await node.request('POST', '/v1/facts', { key: as, body: factBody(changes) });
    expect(status).to.equal(201);
    await node.clock.advance(1000);
    return body;
  };
  const get = (query: string, as = key) => node.request('GET', `/v1/facts${query}`, { key: as });
  const idsOf = async (query: string, as = key): Promise<string[]> => {
    const { status, body } = await get(query, as);
    expect(status, query).to.equal(200);
    return body.facts.map(({ id }: { id: string }) => id);
  };

  it('returns an empty page for no match', async () => {
    const reply = await get('');
    expect(reply.body).to.deep.equal({ facts: [], total: 0, cursor: null, tombstone_notices: [] });
    expect(reply.headers['x-total-count']).to.equal('0');
  });

  it('lists the fact objects of assertions, newest first', async () => {
    const first = await assert();
    const second = await assert({ entity: 'user:bob' });
    const { body, headers } = await get('');
    expect(body.facts).to.deep.equal([second, first]);
    expect([body.total, headers['x-total-count']]).to.deep.equal([2, '2']);
  });

  it('matches entity, relation and source by their keys, and never by pattern', async () => {
    const { id } = await assert({ entity: 'svc://Host/User/Zoë B', relation: 'memory:Role', source: 'Agent:W1' });
    await assert({ entity: 'a_b' });
    const other = await assert({ entity: 'aXb' });
    expect(await idsOf('?entity=svc://host/user/zo%C3%AB-b')).to.deep.equal([id]);
    expect(
      await idsOf('?entity=svc%3A%2F%2FHOST%2Fuser%2FZO%C3%8B+b&relation=memory:role&source=agent:w1'),
    ).to.deep.equal([id]);
    expect(await idsOf('?entity=a%5FB')).to.not.include(other.id);
    for (const none of ['?entity=%25', '?entity=a%25', '?relation=nothing:here', '?source=agent:w3']) {
      expect(await idsOf(none), none).to.deep.equal([]);
    }
  });

  it('filters by scope, confidence and time', async () => {
    const weak = await assert({ confidence: 0.2, scope: 'team' });
    const strong = await assert({ confidence: 0.8, scope: 'public' });
    expect(await idsOf('?scope=team')).to.deep.equal([weak.id]);
    expect(await idsOf('?min_confidence=0.8')).to.deep.equal([strong.id]);
    expect(await idsOf('?min_confidence=0.81')).to.deep.equal([]);
    expect(await idsOf(`?after=${weak.timestamp}`)).to.deep.equal([strong.id]);
    expect(await idsOf('?after=2026-03-02T10:00:00.999%2B01:00')).to.deep.equal([strong.id]);
    expect(await idsOf(`?after=${weak.hlc}`)).to.deep.equal([strong.id]);
    expect(await idsOf(`?after=${strong.hlc}`)).to.deep.equal([]);
  });

  it('shows only visible facts, and refuses a scope outside the key', async () => {
    const ids: Record<string, string> = {};
    for (const scope of ['local', 'team', 'company', 'public']) ids[scope] = (await assert({ scope })).id;
    const narrow = await node.addKey({ permissions: ['read', 'admin'], scopes: ['public'] });
    expect(await idsOf('', narrow)).to.deep.equal([ids['public']]);
    expect((await get('?entity=user:alice', narrow)).body.total).to.equal(1);
    expect(await idsOf('?scope=public', narrow)).to.deep.equal([ids['public']]);
    const refused = await get('?scope=company', narrow);
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'authorization']);
    const byId = await node.request('GET', `/v1/facts/${ids['company']}`, { key: narrow });
    expect(byId.status).to.equal(404);
    expect((await get('')).body.total).to.equal(4);
  });

  it('hides expired, retracted and contradicted losing facts unless the query includes them', async () => {
    const brief = await assert({ entity: 'user:brief', valid_until: '2026-03-02T09:00:02Z' });
    expect(await idsOf('?entity=user:brief')).to.deep.equal([brief.id]);
    await node.clock.advance(2000);
    expect(await idsOf('?entity=user:brief')).to.deep.equal([]);
    expect(await idsOf('?entity=user:brief&include_expired=TRUE')).to.deep.equal([brief.id]);
    const gone = await assert({ entity: 'user:gone' });
    const last = await assert({ entity: 'user:gone', confidence: 0 });
    expect(await idsOf('?entity=user:gone')).to.deep.equal([last.id]);
    expect(await idsOf('?entity=user:gone&min_confidence=0.1')).to.deep.equal([]);
    expect(await idsOf('?entity=user:gone&include_retracted=1')).to.deep.equal([last.id, gone.id]);
    const loser = await assert({ confidence: 0.4 });
    const winner = await assert({ confidence: 0.9, value: { type: 'string', v: 'CTO' } });
    const { body } = await get('?entity=user:alice');
    expect(body.facts).to.have.lengthOf(1);
    expect(body.facts[0]).to.include({ id: winner.id, contradicted: true });
    expect(await idsOf('?entity=user:alice&include_contradicted=true')).to.deep.equal([winner.id, loser.id]);
  });

  it('hides a retraction after its own expiry, and still hides the facts that it ended', async () => {
    await assert();
    const until = new Date(node.clock.nowMs() + 60_000).toISOString();
    const { id } = await assert({ confidence: 0, valid_until: until });
    expect(await idsOf('')).to.deep.equal([id]);
    await node.clock.advance(60_000);
    expect(await idsOf('')).to.deep.equal([]);
    expect(await idsOf('?include_expired=true')).to.deep.equal([id]);
  });

  it('lists every fact once over all pages, and states the total on each page', async () => {
    const ids: string[] = [];
    for (let at = 0; at < 7; at += 1) ids.unshift((await assert({ entity: `user:${at}` })).id);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const { body } = await get(`?limit=3${cursor === null ? '' : `&cursor=${cursor}`}`);
      expect(body.total).to.equal(7);
      seen.push(...body.facts.map(({ id }: { id: string }) => id));
      cursor = body.cursor;
    } while (cursor !== null);
    expect(seen).to.deep.equal(ids);
  });

  it('accepts a cursor only from the same caller with the same filters', async () => {
    for (let at = 0; at < 3; at += 1) await assert({ entity: `user:${at}` });
    const { cursor } = (await get('?limit=1&scope=company')).body;
    const other = await node.addKey({ entityUri: 'agent:other' });
    const flipped = `${cursor.slice(0, 9)}${cursor[9] === 'A' ? 'B' : 'A'}${cursor.slice(10)}`;
    for (const reply of [
      await get(`?limit=1&scope=company&cursor=${cursor}`, other),
      await get(`?limit=1&cursor=${cursor}`),
      await get(`?limit=1&scope=company&min_confidence=0.1&cursor=${cursor}`),
      await get(`?limit=1&scope=company&cursor=${flipped}`),
      await get('?limit=1&scope=company&cursor='),
    ]) {
      expect([reply.status, reply.body.code]).to.deep.equal([400, 'invalid_cursor']);
    }
    await node.clock.advance(10 * 24 * 60 * 60 * 1000);
    expect(await idsOf(`?limit=2&scope=company&cursor=${cursor}`)).to.have.lengthOf(2);
  });

  it('refuses malformed and unknown parameters with 400', async () => {
    for (const query of [
      'limit=0',
      'limit=501',
      'limit=-1',
      'limit=abc',
      'limit=1e2',
      'limit=1.5',
      'limit=1&limit=1',
      'scope=galaxy',
      'scope=Public',
      'scope=local&scope=team',
      'min_confidence=NaN',
      'min_confidence=2',
      'min_confidence=-1',
      'include_expired=yes',
      'include_retracted=',
      'after=yesterday',
      'after=',
      'after=2026-02-30T00:00:00Z',
      'after=1.2.3',
      'entity=',
      'entity=%20',
      'entity=%00',
      'entity=%E0%A4%A',
      'relation=a%20b',
      'source=',
      'as_of=2026-03-02T09:00:00Z',
      'valid_at=2026-03-02T09:00:00Z',
    ]) {
      const reply = await get(`?${query}`);
      expect(reply.status, query).to.equal(400);
      expect(reply.body.detail, query).to.be.a('string');
    }
    const undeclared = await get('?limit[]=1&entitty=x&limit=500');
    expect([undeclared.status, undeclared.body.errors]).to.deep.equal([
      400,
      [
        { path: 'query["limit[]"]', message: 'is not a known parameter; did you mean limit?' },
        { path: 'query.entitty', message: 'is not a known parameter; did you mean entity?' },
      ],
    ]);
  });

  it('replies 403 for an inaccessible garden, and 404 to an admin', async () => {
    const admin = await node.addKey({ permissions: ['read', 'admin'] });
    expect((await get('?garden_id=x')).status).to.equal(403);
    expect((await get('?garden_id=x', admin)).status).to.equal(404);
  });

  it('shows system facts only if the query names their entity or relation', async () => {
    await assert();
    await assert({ value: { type: 'string', v: 'CTO' } });
    const { body } = await get('?relation=svc:conflict:status');
    expect(body.total).to.equal(1);
    expect((await get('?include_contradicted=true')).body.total).to.equal(2);
  });

  it('requires the read permission', async () => {
    const writer = await node.addKey({ permissions: ['write'] });
    expect((await get('', writer)).status).to.equal(403);
    expect((await node.request('GET', '/v1/facts')).status).to.equal(401);
  });
});
