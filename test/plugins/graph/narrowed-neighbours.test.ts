import { expect } from 'chai';
import fc from 'fast-check';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const SOURCES = ['agent:one', 'agent:two', 'tool:mail'] as const;
const RELATIONS = ['rel:knows', 'rel:likes', 'at:work'] as const;
const TIMES = ['2020-01-01T00:00:00Z', '2021-01-01T00:00:00Z', '2022-01-01T00:00:00Z'] as const;

forEachStore('cards and neighbours filtered by time, relation or source', () => {
  let node: TestNode;
  let key: string;

  const edges = Array.from({ length: 30 }, (_, n) => ({
    entity: 'user:hub',
    relation: RELATIONS[n % 3] as string,
    value: { type: 'ref', v: `user:n${n}` },
    source: SOURCES[Math.floor(n / 3) % 3] as string,
    timestamp: TIMES[Math.floor(n / 2) % 3] as string,
  }));

  before(async () => {
    node = await startTestNode({ plugins: ['facts', 'conflicts', 'graph', 'cards', 'relations'] });
    key = await node.addKey();
    for (const body of edges) {
      const { status, text } = await node.request('POST', '/v1/facts', { key, body: { ...body, scope: 'team' } });
      expect(status, text).to.equal(201);
    }
  });

  after(() => node.stop());

  const neighbours = async (query: string): Promise<string[]> => {
    const names: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = `${query}&limit=4${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
      const reply = await node.request('GET', `/v1/graph/neighbors?entity=user:hub&${page}`, { key });
      expect(reply.status, reply.text).to.equal(200);
      names.push(...reply.body.neighbors.map(({ entity }: { entity: string }) => entity));
      cursor = reply.body.next_cursor;
    }
    return names.sort();
  };
  const fits = (list: readonly string[] | undefined, name: string): boolean =>
    list === undefined || list.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : one === name));
  const lists = (names: readonly string[]) =>
    fc.option(fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 2 }), { nil: undefined });
  const narrowings = fc.record({
    sources: lists([...SOURCES, 'agent:*']),
    relations: lists([...RELATIONS, 'rel:*']),
    before: fc.option(fc.constantFrom(...TIMES), { nil: undefined }),
  });
  type Narrowing = typeof narrowings extends fc.Arbitrary<infer N> ? N : never;

  const queryOf = ({ sources = [], relations = [], before }: Narrowing): string => {
    const query = new URLSearchParams(before === undefined ? {} : { before });
    for (const source of sources) query.append('sources', source);
    for (const relation of relations) query.append('relations', relation);
    return query.toString();
  };
  const fitting = ({ sources, relations, before }: Narrowing) =>
    edges.filter(
      ({ source, relation, timestamp }) =>
        fits(sources, source) && fits(relations, relation) && (before === undefined || timestamp < before),
    );

  it('follow exactly the edges that match, on all pages', async () => {
    await fc.assert(
      fc.asyncProperty(narrowings, async (narrowing) => {
        const expected = fitting(narrowing).map(({ value }) => value.v);
        expect(await neighbours(queryOf(narrowing))).to.deep.equal(expected.sort());
      }),
      { numRuns: RUNS },
    );
  });

  it('sum up exactly the facts that match, and the unfiltered card stays stored', async () => {
    const card = (query: string) => node.request('GET', `/v1/cards/user:hub?scope=team&${query}`, { key });
    const whole = (await card('')).body;
    const narrow = await card('sources=tool:mail&relations=at:*');
    expect(narrow.status).to.equal(200);
    const expected = fitting({ sources: ['tool:mail'], relations: ['at:*'], before: undefined });
    expect(narrow.body.fact_hashes).to.have.length(expected.length);
    for (const { value } of expected) expect(narrow.body.summary).to.include(value.v);
    expect((await card('')).body.summary).to.equal(whole.summary);
    expect((await card('sources=agent:nobody')).status).to.equal(404);
  });

  it('are refused for an invalid filter, with an example of a valid request', async () => {
    for (const path of ['/v1/graph/neighbors?entity=user:hub&', '/v1/cards/user:hub?scope=team&']) {
      const { status, text } = await node.request('GET', `${path}after=yesterday`, { key });
      expect(status).to.equal(400);
      expect(text).to.include('query.after must be an RFC 3339 date-time').and.to.include('send for example');
    }
  });
});
