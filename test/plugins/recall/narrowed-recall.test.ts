import { expect } from 'chai';
import fc from 'fast-check';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const PLUGINS = ['facts', 'conflicts', 'recall', 'search', 'node-info', 'cards', 'graph', 'time-travel'];
const ENTITIES = ['boat:1', 'boat:2', 'pier:1'] as const;
const RELATIONS = ['memory:said', 'memory:saw', 'log:line'] as const;
const SOURCES = ['agent:one', 'agent:two', 'tool:mail'] as const;
const SESSIONS = ['sprint-1', 'sprint-2', 'other'] as const;
const TIMES = ['2020-01-01T00:00:00Z', '2021-01-01T00:00:00Z', '2022-01-01T00:00:00Z'] as const;

interface Recalled {
  readonly score: number;
  readonly from_card: boolean;
  readonly fact: {
    readonly id: string;
    readonly entity: string;
    readonly relation: string;
    readonly source: string;
    readonly session_id?: string | null;
    readonly timestamp: string;
    readonly valid_from: string | null;
    readonly value: { readonly v: string };
  };
}

/** Facts of many kinds, each with words of its own, so that none repeats another. */
const sayings = Array.from({ length: 48 }, (_, n) => ({
  session: SESSIONS[Math.floor(n / 5) % 3] as string,
  body: {
    entity: ENTITIES[n % 3],
    relation: RELATIONS[Math.floor(n / 3) % 3],
    value: { type: 'text', v: `ferry ${'dawn '.repeat(n % 4)} pier${n} mast${n * 7} rope${n * 11} oar${n * 13}` },
    source: SOURCES[Math.floor(n / 2) % 3],
    scope: 'team',
    timestamp: TIMES[Math.floor(n / 4) % 3],
    ...(n % 7 === 0 && { valid_from: TIMES[n % 3] }),
  },
}));

const startNode = async (hidden: boolean) => {
  const node = await startTestNode({ plugins: PLUGINS });
  const key = await node.addKey({ scopes: ['team'], entityUri: 'agent:me' });
  const other = await node.addKey({ entityUri: 'agent:other' });
  const say = async (as: string, session: string, body: object): Promise<void> => {
    const headers = { 'svc-session': session };
    const reply = await node.request('POST', '/v1/facts', { key: as, headers, body });
    expect(reply.status, reply.text).to.equal(201);
  };
  for (const [n, { session, body }] of sayings.entries()) {
    if (hidden) {
      const value = { type: 'text', v: `ferry dawn hidden${n} ${body.value.v}` };
      await say(other, session, { ...body, value, scope: 'company', entity: `boat:hidden${n}` });
    }
    await say(key, session, body);
  }
  return { node, key, other };
};

forEachStore('a recall filtered by time, entity, relation, source or session', () => {
  let node: TestNode;
  let key: string;
  let other: string;

  before(async () => {
    ({ node, key, other } = await startNode(true));
  });

  after(() => node.stop());

  const recall = async (members: object, as = key, at = node): Promise<readonly Recalled[]> => {
    const usual = { query: 'ferry at dawn', token_budget: 200_000, limit: 500, include_contradicted: true };
    const body = { ...usual, lambda_mmr: 1, ...members };
    const reply = await at.request('POST', '/v1/recall', { key: as, body });
    expect(reply.status, reply.text).to.equal(200);
    return reply.body.facts;
  };
  const refusal = (members: object) =>
    node.request('POST', '/v1/recall', { key, body: { query: 'ferry', token_budget: 100, ...members } });

  const lists = (names: readonly string[], others: readonly string[]) =>
    fc.option(fc.uniqueArray(fc.constantFrom(...names, ...others), { minLength: 1, maxLength: 3 }), { nil: undefined });
  const instants = fc.option(fc.constantFrom(...TIMES, '2020-06-01T00:00:00Z'), { nil: undefined });
  const narrowings = fc
    .record({
      after: instants,
      before: instants,
      entities: lists(ENTITIES, ['boat:*', 'b*', 'nobody:*']),
      relations: lists(RELATIONS, ['memory:*', 'nothing']),
      sources: lists(SOURCES, ['agent:*']),
      sessions: lists(SESSIONS, ['sprint-*', 'none']),
    })
    .filter(
      ({ after, before }) => after === undefined || before === undefined || Date.parse(after) < Date.parse(before),
    );
  type Narrowing = typeof narrowings extends fc.Arbitrary<infer N> ? N : never;

  const fits = (n: number, narrowing: Narrowing): boolean => {
    const { session, body } = sayings[n] as (typeof sayings)[number];
    const ofMs = Date.parse((body as { valid_from?: string }).valid_from ?? (body.timestamp as string));
    const isListed = (list: readonly string[] | undefined, name = ''): boolean =>
      list === undefined || list.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : one === name));
    return (
      (narrowing.after === undefined || ofMs > Date.parse(narrowing.after)) &&
      (narrowing.before === undefined || ofMs < Date.parse(narrowing.before)) &&
      isListed(narrowing.entities, body.entity) &&
      isListed(narrowing.relations, body.relation) &&
      isListed(narrowing.sources, body.source) &&
      isListed(narrowing.sessions, session)
    );
  };
  const numberOf = ({ fact }: Recalled): number => Number(/ pier(\d+)/.exec(fact.value.v)?.[1]);

  it('finds exactly the matching facts, in the order of the unfiltered recall', async () => {
    const weights = { lexical: 1 };
    const whole = await recall({ weights, depth: 0 });
    expect(whole).to.have.length(sayings.length);
    await fc.assert(
      fc.asyncProperty(narrowings, async (narrowing) => {
        const found = await recall({ weights, depth: 0, ...narrowing });
        const expected = whole.filter((one) => fits(numberOf(one), narrowing));
        expect(found.map(numberOf)).to.deep.equal(expected.map(numberOf));
      }),
      { numRuns: RUNS },
    );
  });

  it('returns no fact that does not match, with all stages and graph steps', async () => {
    await fc.assert(
      fc.asyncProperty(narrowings, async (narrowing) => {
        const found = await recall({ depth: 2, ...narrowing });
        for (const one of found) expect(fits(numberOf(one), narrowing)).to.equal(true);
        expect(found).to.have.length(sayings.filter((_, n) => fits(n, narrowing)).length);
      }),
      { numRuns: RUNS },
    );
  });

  it('has the same result and scores whether or not hidden facts exist', async () => {
    const plain = await startNode(false);
    try {
      await fc.assert(
        fc.asyncProperty(narrowings, async (narrowing) => {
          const shown = (facts: readonly Recalled[]) => facts.map((one) => [numberOf(one), one.score.toFixed(6)]);
          const weights = { lexical: 0.5, vector: 0.3, graph: 0.2 };
          const here = await recall({ weights, ...narrowing });
          const there = await recall({ weights, ...narrowing }, plain.key, plain.node);
          expect(shown(here)).to.deep.equal(shown(there));
        }),
        { numRuns: RUNS },
      );
    } finally {
      await plain.node.stop();
    }
  });

  it('matches a session only for facts that the caller asserted, unless an admin asks', async () => {
    const sessions = ['sprint-*'];
    expect(await recall({ sessions })).to.not.be.empty;
    const found = await recall({ sessions }, other);
    expect(found).to.not.be.empty;
    for (const { fact } of found) expect(fact.entity).to.match(/^boat:hidden/);
    const admin = await node.addKey({ permissions: ['read', 'admin'], entityUri: 'agent:admin' });
    expect((await recall({ sessions }, admin)).length).to.be.above(found.length);
  });

  it('finds one matching fact behind a thousand facts with better scores', async () => {
    const crowd = await startTestNode({ plugins: PLUGINS });
    try {
      const writer = await crowd.addKey();
      const facts = Array.from({ length: 1_000 }, (_, n) => ({
        entity: `crowd:${n}`,
        relation: 'memory:said',
        value: { type: 'text', v: `ferry dawn ferry dawn ${n}` },
        source: 'agent:crowd',
      }));
      for (let at = 0; at < facts.length; at += 100) {
        const body = facts.slice(at, at + 100);
        const reply = await crowd.request('POST', '/v1/facts/batch', { key: writer, body });
        expect(reply.status, reply.text).to.be.within(200, 299);
      }
      const one = {
        entity: 'lone:1',
        relation: 'memory:saw',
        value: { type: 'text', v: 'a ferry that nobody has ever seen at this time of the day in the harbour' },
        source: 'tool:mail',
        timestamp: TIMES[0],
      };
      const { body } = await crowd.request('POST', '/v1/facts', { key: writer, body: one });
      for (const narrowing of [
        { entities: ['lone:*'] },
        { relations: ['memory:saw'] },
        { sources: ['tool:mail'] },
        { before: TIMES[1] },
      ]) {
        const found = await recall({ limit: 1, token_budget: 100, ...narrowing }, writer, crowd);
        expect(found.map(({ fact }) => fact.id)).to.deep.equal([body.id]);
      }
    } finally {
      await crowd.stop();
    }
  });

  it('reaches the only neighbour with a fact that matches, however weak its edge is', async () => {
    const hub = await startTestNode({ plugins: PLUGINS });
    try {
      const as = await hub.addKey({ scopes: ['team'] });
      const common = { source: 'agent:one', scope: 'team' };
      const edges = Array.from({ length: 60 }, (_, at) => ({
        ...common,
        ...{ entity: 'hub:one', relation: 'rel:knows', value: { type: 'ref', v: `person:${at}` } },
        confidence: 1 - at / 100,
      }));
      const notes = Array.from({ length: 60 }, (_, at) => ({
        ...common,
        ...{ entity: `person:${at}`, relation: at === 59 ? 'memory:rare' : 'memory:common' },
        value: { type: 'text', v: `note ${at}` },
      }));
      const body = [...edges, ...notes];
      expect((await hub.request('POST', '/v1/facts/batch', { key: as, body })).body.accepted).to.equal(120);
      const found = await recall({ query: null, entity: 'hub:one', relations: ['memory:rare'] }, as, hub);
      expect(found.map(({ fact }) => fact.entity)).to.deep.equal(['person:59']);
    } finally {
      await hub.stop();
    }
  });

  it('walks the graph from a requested entity, even if none of its own facts matches', async () => {
    const harbour = await startTestNode({ plugins: PLUGINS });
    try {
      const as = await harbour.addKey({ scopes: ['team'] });
      const say = async (entity: string, relation: string, type: string, v: string, valid_from: string) => {
        const body = { entity, relation, value: { type, v }, source: 'agent:one', scope: 'team', valid_from };
        expect((await harbour.request('POST', '/v1/facts', { key: as, body })).status).to.equal(201);
      };
      await say('harbour:east', 'rel:master', 'ref', 'person:ines', TIMES[0]);
      await say('harbour:east', 'log:line', 'text', 'the crane was painted', TIMES[0]);
      await say('person:ines', 'memory:said', 'text', 'we close the lock on Sunday', TIMES[2]);
      const whole = { query: null, entity: 'harbour:east' };
      for (const members of [{ after: TIMES[1] }, { relations: ['memory:*'] }, { relation: 'memory:said' }]) {
        const found = await recall({ ...whole, ...members }, as, harbour);
        expect(
          found.map(({ fact }) => fact.entity),
          JSON.stringify(members),
        ).to.deep.equal(['person:ines']);
      }
      expect(await recall({ ...whole, depth: 0, after: TIMES[1] }, as, harbour)).to.have.lengthOf(0);
      const unknown = await recall({ ...whole, entity: 'harbour:west', after: TIMES[1] }, as, harbour);
      expect(unknown).to.have.lengthOf(0);
    } finally {
      await harbour.stop();
    }
  });

  it('returns single facts, never a card', async () => {
    await node.request('GET', '/v1/cards/boat:1?scope=team', { key });
    const [whole] = await recall({ entity: 'boat:1' });
    expect(whole?.from_card).to.equal(true);
    for (const members of [{ before: TIMES[1] }, { exclude_relations: ['memory:said'] }]) {
      const narrow = await recall({ entity: 'boat:1', ...members });
      expect(narrow).to.not.be.empty;
      for (const { from_card } of narrow) expect(from_card).to.equal(false);
    }
  });

  for (const [what, members, problem] of [
    ['a malformed instant', { after: 'yesterday' }, 'body.after must be an RFC 3339 date-time'],
    ['an empty span', { after: TIMES[1], before: TIMES[0] }, 'body.before must be later than after'],
    ['an empty list', { sources: [] }, 'body.sources must not be empty'],
    ['an empty name', { sessions: [' '] }, 'body.sessions[0] must be a name'],
    ['a star alone', { relations: ['*'] }, 'body.relations[0] must be a name before the star'],
    [
      'too many values',
      { entities: sayings.flatMap((_, n) => [`a:${n}`, `b:${n}`, `c:${n}`]) },
      'more than 100 values',
    ],
  ] as const) {
    it(`refuses ${what}, with an example of a valid request`, async () => {
      const { status, text } = await refusal(members);
      expect(status).to.equal(422);
      expect(text).to.include(problem).and.to.include('send for example');
    });
  }

  it('accepts the same filters as query parameters', async () => {
    const query =
      'query=ferry+at+dawn&token_budget=2000&include_contradicted=true&sources=tool:mail&sources=agent:o*&entities=boat:1';
    const { status, body } = await node.request('GET', `/v1/recall?${query}`, { key });
    expect(status).to.equal(200);
    expect(body.facts).to.not.be.empty;
    for (const { fact } of body.facts) {
      expect(fact.entity).to.equal('boat:1');
      expect(fact.source).to.be.oneOf(['tool:mail', 'agent:one']);
    }
  });
});
