import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const PLUGINS = ['keys', 'facts', 'conflicts', 'gardens', 'node-info', 'federation', 'tombstones'] as const;
const HOUR_MS = 3_600_000;

interface KindsReply {
  readonly kinds: readonly { readonly kind: string; readonly entities: number; readonly is_more: boolean }[];
  readonly cursor: string | null;
}

forEachStore('the kinds of entities', () => {
  let node: TestNode;
  let admin: string;
  beforeEach(async () => {
    node = await startTestNode({ plugins: PLUGINS, settings: { tombstones: { enabled: true } } });
    admin = await node.addKey({ entityUri: 'user:admin', permissions: ['read', 'write', 'admin', 'federate'] });
  });
  afterEach(() => node.stop());

  const say = async (entity: string, members: object = {}): Promise<{ readonly id: string }> => {
    const usual = { relation: 'memory:note', value: { type: 'text', v: 'so' }, source: 'agent:s', scope: 'company' };
    const { status, body, text } = await node.request('POST', '/v1/facts', {
      key: admin,
      body: { entity, ...usual, ...members },
    });
    expect(status, text).to.equal(201);
    return body;
  };
  const sayMany = async (entities: readonly string[], scope = 'company'): Promise<void> => {
    const facts = entities.map((entity) => ({
      ...{ entity, relation: 'memory:note', value: { type: 'text', v: 'so' }, source: 'agent:s', scope },
    }));
    for (let at = 0; at < facts.length; at += 500) {
      const { body } = await node.request('POST', '/v1/facts/batch', { key: admin, body: facts.slice(at, at + 500) });
      expect(body.rejected).to.equal(0);
    }
  };
  const pageOf = async (key: string, query = ''): Promise<KindsReply> => {
    const { status, body, text } = await node.request('GET', `/v1/entities/kinds${query}`, { key });
    expect(status, text).to.equal(200);
    return body;
  };
  /** All pages for a caller. */
  const pagesOf = async (key: string, limit = 500): Promise<readonly KindsReply['kinds'][]> => {
    const pages: KindsReply['kinds'][] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: KindsReply = await pageOf(key, `?limit=${limit}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
      pages.push(page.kinds);
      cursor = page.cursor;
    }
    return pages;
  };
  const kindsOf = async (key: string): Promise<object> => {
    const kinds = (await pagesOf(key)).flat();
    return Object.fromEntries(kinds.map(({ kind, entities, is_more: isMore }) => [kind, isMore ? 'more' : entities]));
  };
  /** The kinds of the entities in the default list of facts. */
  const listedFor = async (key: string): Promise<object> => {
    const { body } = await node.request('GET', '/v1/facts?limit=500', { key });
    const names = new Set((body.facts as readonly { entity: string }[]).map(({ entity }) => entity.toLowerCase()));
    const counts: Record<string, number> = {};
    for (const name of names) {
      const kind = name.slice(0, Math.max(0, name.indexOf(':')));
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
    return counts;
  };

  it('are counted by the names before the colon, each entity once', async () => {
    for (const entity of [
      'user:alice',
      'User:Alice',
      'user:bob',
      'project:atlas',
      'svc://node/doc/1',
      'lone',
      'user',
    ]) {
      await say(entity);
    }
    await say('user:bob', { relation: 'memory:role' });
    expect(await kindsOf(admin)).to.deep.equal({ user: 2, project: 1, svc: 1, '': 2 });
  });

  it('are those of the default list of facts for each caller, however an entity is hidden', async () => {
    const narrow = await node.addKey({ entityUri: 'agent:narrow', permissions: ['read'], scopes: ['public'] });
    const company = await node.addKey({ entityUri: 'agent:company', permissions: ['read'], scopes: ['company'] });
    const { body: garden } = await node.request('POST', '/v1/gardens', {
      key: admin,
      body: { slug: 'herbs', name: 'Herbs' },
    });
    await say('secret:in-a-garden', { garden_id: garden.slug });
    await say('user:open', { scope: 'public' });
    await say('team:of-the-company');
    await say('term:short', { valid_until: new Date(node.clock.nowMs() + HOUR_MS).toISOString() });
    await say('plan:later', { valid_from: new Date(node.clock.nowMs() + HOUR_MS).toISOString() });
    await say('gone:hidden');
    const hidden = { key: admin, body: { entity_uri: 'gone:hidden' } };
    expect((await node.request('POST', '/v1/tombstones', hidden)).status).to.equal(201);
    await say('end:retracted', { value: { type: 'text', v: 'before' } });
    await say('end:retracted', { confidence: 0, value: { type: 'text', v: 'before' } });
    for (const key of [admin, company, narrow]) expect(await kindsOf(key)).to.deep.equal(await listedFor(key));
    expect(await kindsOf(narrow)).to.deep.equal({ user: 1 });
    expect(await kindsOf(admin))
      .to.include({ secret: 1, term: 1 })
      .and.not.have.any.keys('gone', 'plan');
    expect(await kindsOf(company))
      .to.include({ team: 1, term: 1 })
      .and.not.have.any.keys('gone', 'plan', 'secret');
    await node.clock.advance(2 * HOUR_MS);
    for (const key of [admin, company, narrow]) expect(await kindsOf(key)).to.deep.equal(await listedFor(key));
    expect(await kindsOf(company))
      .to.include({ plan: 1 })
      .and.not.have.any.keys('term');
  });

  it('are counted up to a bound, and marked if the kind has more', async () => {
    const numbered = (kind: string, count: number) => Array.from({ length: count }, (_, n) => `${kind}${n}`);
    await sayMany([...numbered('bird:', 1_000), ...numbered('fish:', 1_700), ...numbered('plain', 1_001), 'zebra:1']);
    expect(await kindsOf(admin)).to.deep.equal({ bird: 1_000, fish: 'more', '': 'more', zebra: 1 });
    const kinds = (await pagesOf(admin)).flat();
    expect(kinds.find(({ kind }) => kind === 'fish')).to.include({ entities: 1_000, is_more: true });
  });

  it('are counted on all pages where names begin with a colon', async () => {
    const numbered = (start: string, count: number) => Array.from({ length: count }, (_, n) => `${start}${n}`);
    await sayMany([...numbered('!a:', 990), ...numbered('!b:', 560), ...numbered(':c', 900)]);
    expect(await kindsOf(admin)).to.deep.equal({ '!a': 990, '!b': 560, '': 900 });
  });

  it('come in pages, whose ends hidden entities do not move', async () => {
    const narrow = await node.addKey({ entityUri: 'agent:narrow', permissions: ['read'], scopes: ['public'] });
    await sayMany(['a:1', 'b:1', 'bare', 'c:1', 'c:2', 'd:1', 'last'], 'public');
    const before = await pagesOf(narrow, 2);
    expect(before.map((kinds) => kinds.map(({ kind }) => kind))).to.deep.equal([['a', 'b'], ['c', 'd'], ['']]);
    expect(before.at(-1)?.[0]).to.deep.equal({ kind: '', entities: 2, is_more: false });
    await sayMany(['a:0', 'a:9', 'aa:1', 'b', 'bb:1', 'ca:1', 'e:1', 'zz:1']);
    expect(await pagesOf(narrow, 2)).to.deep.equal(before);
  });
});
