import { expect } from 'chai';
import fc from 'fast-check';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { factBody } from './fact-bodies.ts';

interface Shown {
  readonly id: string;
  readonly entity: string;
  readonly relation: string;
  readonly source: string;
  readonly timestamp: string;
  readonly valid_from: string | null;
}

const ENTITIES = ['user:alice', 'user:bob', 'project:atlas'] as const;
const RELATIONS = ['memory:role', 'memory:note', 'project:state'] as const;
const SOURCES = ['agent:one', 'agent:two', 'tool:mail'] as const;
const TIMES = ['2020-01-01T00:00:00Z', '2021-01-01T00:00:00Z', '2022-01-01T00:00:00Z'] as const;

forEachStore('facts filtered by time, entity, relation, source or session', () => {
  let node: TestNode;
  let key: string;

  before(async () => {
    node = await startTestNode({ plugins: ['facts', 'conflicts'] });
    key = await node.addKey({ scopes: ['team', 'company'] });
    const all = await node.addKey();
    for (let n = 0; n < 60; n += 1) {
      const body = factBody({
        entity: ENTITIES[n % 3],
        relation: RELATIONS[Math.floor(n / 3) % 3],
        value: { type: 'string', v: `value ${n}` },
        source: SOURCES[Math.floor(n / 2) % 3],
        scope: n % 5 === 0 ? 'public' : 'team',
        timestamp: TIMES[Math.floor(n / 4) % 3],
        ...(n % 7 === 0 && { valid_from: TIMES[n % 3] }),
      });
      const { status } = await node.request('POST', '/v1/facts', { key: all, body });
      expect(status).to.equal(201);
    }
  });

  after(() => node.stop());

  const get = (query: string, as = key) =>
    node.request('GET', `/v1/facts?include_contradicted=true&${query}`, { key: as });
  const found = async (query: string): Promise<readonly Shown[]> => {
    const { status, body } = await get(`limit=500&${query}`);
    expect(status, query).to.equal(200);
    expect(body.total).to.equal(body.facts.length);
    return body.facts;
  };

  const patterns = (names: readonly string[], others: readonly string[]) =>
    fc.option(fc.uniqueArray(fc.constantFrom(...names, ...others), { minLength: 1, maxLength: 3 }), { nil: undefined });
  const instants = fc.option(fc.constantFrom(...TIMES, '2020-06-01T00:00:00+02:00'), { nil: undefined });
  const fits = (list: readonly string[] | undefined, name: string): boolean =>
    list === undefined || list.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : one === name));

  it('are exactly those of the unfiltered answer that match, for every combination of filters', async () => {
    const whole = await found('');
    const narrowings = fc.record({
      after: instants,
      before: instants,
      entities: patterns(ENTITIES, ['user:*', 'u*', 'nobody:*']),
      relations: patterns(RELATIONS, ['memory:*', 'nothing']),
      sources: patterns(SOURCES, ['agent:*', 'agent:three']),
    });
    const isPossible = ({ after, before }: { after?: string | undefined; before?: string | undefined }): boolean =>
      after === undefined || before === undefined || Date.parse(after) < Date.parse(before);
    await fc.assert(
      fc.asyncProperty(narrowings.filter(isPossible), async ({ after, before, entities, relations, sources }) => {
        const query = new URLSearchParams();
        if (after !== undefined) query.set('after', after);
        if (before !== undefined) query.set('before', before);
        for (const [name, list] of Object.entries({ entities, relations, sources })) {
          for (const value of list ?? []) query.append(name, value);
        }
        const expected = whole.filter((fact) => {
          const ofMs = Date.parse(fact.valid_from ?? fact.timestamp);
          return (
            (after === undefined || ofMs > Date.parse(after)) &&
            (before === undefined || ofMs < Date.parse(before)) &&
            fits(entities, fact.entity) &&
            fits(relations, fact.relation) &&
            fits(sources, fact.source)
          );
        });
        expect((await found(query.toString())).map(({ id }) => id)).to.deep.equal(expected.map(({ id }) => id));
      }),
      { numRuns: RUNS },
    );
  });

  it('match names in any spelling', async () => {
    const plain = await found('entities=user:alice');
    expect(plain).to.not.be.empty;
    expect(await found('entities=User:ALICE')).to.deep.equal(plain);
    expect(await found('entities=USER:A*')).to.deep.equal(plain);
  });

  it('match a beginning with every name that goes on behind it, and with no other', async () => {
    const team = { scope: 'team', source: 'greek:one' } as const;
    const said = ['ΟΔΟΣ', 'ΟΔΟΣΑ', 'ΟΔΟΣ:1', 'bare', 'bare name', 'bareback', 'svc://my host/doc/my plan'];
    for (const entity of said) {
      expect((await node.request('POST', '/v1/facts', { key, body: factBody({ entity, ...team }) })).status).to.equal(
        201,
      );
    }
    const begun = async (beginning: string): Promise<string[]> =>
      (await found(`source=greek:one&entities=${encodeURIComponent(beginning)}`)).map(({ entity }) => entity).sort();
    for (const beginning of ['ΟΔΟΣ*', 'οδοΣ*']) {
      expect(await begun(beginning), beginning).to.deep.equal(['ΟΔΟΣ', 'ΟΔΟΣ:1', 'ΟΔΟΣΑ']);
    }
    expect(await begun('ΟΔΟΣ:*')).to.deep.equal(['ΟΔΟΣ:1']);
    expect(await begun('bare*')).to.deep.equal(['bare', 'bare name', 'bareback']);
    for (const beginning of ['bare *', ' Bare *'])
      expect(await begun(beginning), beginning).to.deep.equal(['bare name']);
    for (const beginning of ['svc://my *', 'svc://my host/d*', 'svc://my host/doc/my *']) {
      expect(await begun(beginning), beginning).to.deep.equal(['svc://my host/doc/my plan']);
    }
  });

  it('match a session only if the caller asserted them; an admin matches sessions of all callers', async () => {
    const sessions = await startTestNode({ plugins: ['facts', 'conflicts'] });
    try {
      const [one, two] = [
        await sessions.addKey({ entityUri: 'agent:one' }),
        await sessions.addKey({ entityUri: 'agent:two' }),
      ];
      const admin = await sessions.addKey({ permissions: ['read', 'write', 'admin'] });
      const say = async (as: string, session: string, entity: string): Promise<void> => {
        const headers = { 'svc-session': session };
        const { status } = await sessions.request('POST', '/v1/facts', {
          key: as,
          headers,
          body: factBody({ entity }),
        });
        expect(status).to.equal(201);
      };
      await say(one, 'sprint-1', 'user:a');
      await say(one, 'sprint-2', 'user:b');
      await say(one, 'other', 'user:c');
      await say(two, 'sprint-1', 'user:d');
      await say(two, 'sprint two', 'user:e');
      const entities = async (as: string, query: string): Promise<string[]> => {
        const { body } = await sessions.request('GET', `/v1/facts?${query}`, { key: as });
        return body.facts.map(({ entity }: Shown) => entity).sort();
      };
      expect(await entities(one, 'sessions=sprint-*')).to.deep.equal(['user:a', 'user:b']);
      expect(await entities(one, 'sessions=sprint-1&sessions=other')).to.deep.equal(['user:a', 'user:c']);
      expect(await entities(two, 'sessions=sprint-*')).to.deep.equal(['user:d']);
      expect(await entities(two, 'sessions=sprint%20*')).to.deep.equal(['user:e']);
      expect(await entities(admin, 'sessions=sprint-*')).to.deep.equal(['user:a', 'user:b', 'user:d']);
    } finally {
      await sessions.stop();
    }
  });

  const many = Array.from({ length: 101 }, (_, n) => `entities=user:${n}`).join('&');
  for (const [what, query, problem] of [
    ['a malformed instant', 'after=yesterday', 'query.after must be an RFC 3339 date-time'],
    ['a date without a time', 'before=2020-01-01', 'query.before must be an RFC 3339 date-time'],
    [
      'an empty span',
      'after=2021-01-01T00:00:00Z&before=2021-01-01T00:00:00Z',
      'query.before must be later than after',
    ],
    ['an empty name', 'entities=', 'query.entities[0] must be a name'],
    ['a star alone', 'sources=*', 'query.sources[0] must be a name before the star'],
    ['too many values', many, 'query.entities must not have more than 100 values'],
    [
      'a very long beginning',
      `entities=${'x'.repeat(301)}*`,
      'query.entities[0] must not be longer than 300 characters',
    ],
  ] as const) {
    it(`are refused for ${what}, with an example of a valid request`, async () => {
      const { status, body } = await get(query);
      expect([status, body.detail ?? body.error?.message ?? JSON.stringify(body)]).to.satisfy(
        ([given, text]: [number, string]) => given === 400 && text.includes(problem),
      );
      const working = /send for example \?(\S+)$/.exec(body.hint ?? '')?.[1];
      expect(working, 'a query that works').to.be.a('string');
      expect((await get(working as string)).status).to.equal(200);
    });
  }

  it('count instants of one millisecond as the same time', async () => {
    for (const timestamp of ['2019-01-01T00:00:00.0004Z', '2019-01-01T00:00:00.0009Z']) {
      const body = factBody({ entity: 'user:fine', value: { type: 'string', v: timestamp }, scope: 'team', timestamp });
      expect((await node.request('POST', '/v1/facts', { key, body })).status).to.equal(201);
    }
    expect(await found('entity=user:fine&after=2019-01-01T00:00:00Z')).to.have.length(0);
    expect(await found('entity=user:fine&before=2019-01-01T00:00:00.0009Z')).to.have.length(0);
    expect(await found('entity=user:fine&before=2019-01-01T00:00:00.001Z')).to.have.length(2);
  });

  it('continue on the next page only if the cursor belongs to the same filters', async () => {
    const { body } = await get('entities=user:*&limit=5');
    expect(body.cursor).to.be.a('string');
    const next = await get(`entities=user:*&limit=5&cursor=${encodeURIComponent(body.cursor)}`);
    expect(next.status).to.equal(200);
    const other = await get(`entities=project:*&limit=5&cursor=${encodeURIComponent(body.cursor)}`);
    expect(other.status).to.be.within(400, 499);
  });
});
