import { expect } from 'chai';
import fc from 'fast-check';
import { similarityOf, textSignature } from '../../../plugins/recall/text-signature.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const PLUGINS = ['keys', 'facts', 'conflicts', 'graph', 'recall', 'search'];
const WORDS = ['harbour', 'lantern', 'orchard', 'violin', 'glacier', 'pepper', 'saddle', 'compass', 'counselling'];
const MAX_BUDGET = 200_000;
const BETA = 0.1;
/** The reader sees fewer facts than a search returns at first, so every request ranks the same facts. */
const FACTS = 56;
const CLOSE = 1e-9;

interface Scored {
  readonly fact: {
    readonly id: string;
    readonly entity: string;
    readonly relation: string;
    readonly value: { readonly v: unknown };
    readonly hlc: string;
    readonly scope: string;
    readonly confidence: number;
    readonly contradicted: boolean;
  };
  readonly score: number;
  readonly token_estimate: number;
  readonly score_breakdown: Readonly<Record<string, number>>;
}
interface Answer {
  readonly facts: readonly Scored[];
  readonly tokens_used: number;
  readonly truncated: boolean;
  readonly total_scored: number;
}

/**
 * Facts of every kind, the same in each run: contradictions, sessions, references, low confidences, long texts,
 * retractions.
 */
const samples = fc.sample(
  fc.record({
    entity: fc.integer({ min: 0, max: 40 }).map((n) => `thing:${n}`),
    relation: fc.constantFrom('memory:note', 'memory:plan', 'memory:mood'),
    value: fc.oneof(
      {
        weight: 5,
        arbitrary: fc
          .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 40 })
          .map((words) => ({ type: 'text', v: words.join(' ') })),
      },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 40 }).map((n) => ({ type: 'ref', v: `thing:${n}` })) },
      { weight: 1, arbitrary: fc.integer().map((v) => ({ type: 'number', v })) },
    ),
    confidence: fc.constantFrom(0, 0.05, 0.3, 0.8, 1),
    scope: fc.constantFrom('local', 'team', 'company', 'public'),
    session: fc.constantFrom('', '', 's1', 's2'),
  }),
  { numRuns: FACTS, seed: 20 },
);

const LAST = {
  entity: 'end:1',
  relation: 'memory:note',
  value: { type: 'text', v: 'xylophones quiver beyond midnight' },
  confidence: 1,
  scope: 'local',
  session: '',
};

const parts = fc
  .tuple(...Array.from({ length: 5 }, () => fc.integer({ min: 0, max: 8 })))
  .filter((shares) => shares.some((share) => share > 0));
const weightsOf = (shares: readonly number[]): Record<string, number> => {
  const sum = shares.reduce((total, share) => total + share, 0);
  const names = ['lexical', 'vector', 'graph', 'source_trust', 'recency'];
  return Object.fromEntries(names.map((name, at) => [name, (shares[at] as number) / sum]));
};

const recalls = fc
  .record(
    {
      query: fc.array(fc.constantFrom(...WORDS, 'thing:3', 'note', 'violn', '"', 'zzz'), {
        minLength: 1,
        maxLength: 6,
      }),
      entity: fc.integer({ min: 0, max: 41 }).map((n) => `thing:${n}`),
      relation: fc.constantFrom('memory:note', 'MEMORY:plan'),
      scope: fc.constantFrom('global', 'local', 'team'),
      token_budget: fc.oneof(fc.integer({ min: 1, max: 120 }), fc.integer({ min: 1, max: 4_000 })),
      depth: fc.integer({ min: 0, max: 2 }),
      weights: parts.map(weightsOf),
      lambda_mmr: fc.constantFrom(0, 0.3, 0.7, 1),
      min_confidence: fc.constantFrom(0, 0.1, 0.5, 0.9),
      include_contradicted: fc.boolean(),
      limit: fc.integer({ min: 1, max: 30 }),
    },
    { requiredKeys: ['token_budget'] },
  )
  .filter(({ query, entity }) => query !== undefined || entity !== undefined)
  .map(({ query, ...others }) => ({ ...others, ...(query === undefined ? {} : { query: query.join(' ') }) }));

forEachStore('a recall within its token budget', () => {
  let node: TestNode;
  let writer: string;
  let reader: string;
  before(async () => {
    node = await startTestNode({ plugins: PLUGINS });
    writer = await node.addKey();
    reader = await node.addKey({ scopes: ['local', 'team', 'company'] });
    for (const { session, ...sample } of [...samples, LAST]) {
      const body = { ...sample, source: 'agent:s' };
      const reply = await node.request('POST', '/v1/facts', { key: writer, body, headers: { 'Svc-Session': session } });
      expect(reply.status, reply.text).to.equal(201);
      await node.clock.advance(60_000);
    }
    // Facts are embedded in feed order, so the last one is embedded last.
    await comesTrue(async () => {
      await node.clock.advance(2_000);
      const { total_scored } = await ask({ query: LAST.value.v, token_budget: MAX_BUDGET, weights: { vector: 1 } });
      return total_scored > 0;
    });
  });
  after(() => node.stop());

  const ask = async (body: object): Promise<Answer> => {
    const reply = await node.request('POST', '/v1/recall', { key: reader, body });
    expect(reply.status, reply.text).to.equal(200);
    return { ...reply.body, recall_id: '' };
  };
  /** Returns everything that the stages found, best first. */
  const rankingOf = (body: object): Promise<Answer> =>
    ask({ ...body, token_budget: MAX_BUDGET, limit: 500, lambda_mmr: 1 });

  const holds = (check: (body: Readonly<Record<string, unknown>>) => Promise<void>): Promise<void> =>
    fc.assert(fc.asyncProperty(recalls, check), { numRuns: RUNS });

  it('reports the sum of the estimated tokens, which never exceeds the budget', () =>
    holds(async (body) => {
      const { facts, tokens_used } = await ask(body);
      expect(facts.reduce((sum, { token_estimate }) => sum + token_estimate, 0)).to.equal(tokens_used);
      expect(tokens_used).to.be.at.most(body['token_budget'] as number);
      expect(facts.length).to.be.at.most((body['limit'] as number | undefined) ?? 100);
      for (const { fact, token_estimate } of facts) {
        const line = `${fact.entity} ${fact.relation} ${String(fact.value.v)}`;
        expect(token_estimate).to.equal(Math.max(1, Math.ceil(Buffer.byteLength(line) / 4)));
      }
    }));

  it('includes the fact with the best score that fits, and reports the facts left out', () =>
    holds(async (body) => {
      const ranking = await rankingOf(body);
      const { facts, truncated, total_scored } = await ask(body);
      const fitting = ranking.facts.find(({ token_estimate }) => token_estimate <= (body['token_budget'] as number));
      if (fitting !== undefined) expect(facts.map(({ fact }) => fact.id)).to.include(fitting.fact.id);
      else expect(facts).to.deep.equal([]);
      expect(total_scored).to.equal(ranking.facts.length);
      if (facts.length < Math.min(total_scored, (body['limit'] as number | undefined) ?? 100)) {
        expect(truncated).to.equal(true);
      }
      if (facts.length === total_scored) expect(truncated).to.equal(false);
    }));

  it('takes facts strictly by their score when lambda is 1', () =>
    holds(async (body) => {
      const ranking = await rankingOf(body);
      let left = body['token_budget'] as number;
      const greedy: string[] = [];
      for (const { fact, token_estimate } of ranking.facts) {
        if (greedy.length >= ((body['limit'] as number | undefined) ?? 100) || token_estimate > left) continue;
        greedy.push(fact.id);
        left -= token_estimate;
      }
      const { facts } = await ask({ ...body, lambda_mmr: 1 });
      expect(facts.map(({ fact }) => fact.id)).to.deep.equal(greedy);
    }));

  it('returns scores that equal the product of their factors, in range and in order', () =>
    holds(async (body) => {
      const { facts } = await ask(body);
      for (const { score, score_breakdown: said } of facts) expectExplained(score, said, body);
      for (const [at, one] of facts.entries()) {
        const next = facts[at + 1];
        if (next === undefined || isBefore(one, next)) continue;
        // The older wording may exceed the budget, so that only the whole ranking shows it.
        const ranking = await rankingOf(body);
        const older = ranking.facts.some((other) => !isBefore(one, other) && isNewerWording(one, other));
        expect(older, `${one.fact.id} before ${next.fact.id}`).to.equal(true);
      }
    }));

  it('returns only live facts that the caller may see and requested', async () => {
    const visible = new Map<string, Scored['fact']>();
    let cursor = '';
    do {
      const path = `/v1/facts?limit=500&min_confidence=0&include_contradicted=true${cursor}`;
      const { body } = await node.request('GET', path, { key: reader });
      for (const fact of body.facts) visible.set(fact.id, fact);
      cursor = body.cursor === null ? '' : `&cursor=${body.cursor}`;
    } while (cursor !== '');
    await holds(async (body) => {
      const { facts } = await ask(body);
      for (const { fact } of facts) {
        expect(visible.get(fact.id)).to.deep.equal(fact);
        expect(fact.confidence).to.be.at.least((body['min_confidence'] as number | undefined) ?? 0.1);
        if (body['include_contradicted'] !== true) expect(fact.contradicted).to.equal(false);
        if (typeof body['relation'] === 'string') expect(fact.relation).to.equal(body['relation'].toLowerCase());
        if (body['scope'] === 'local' || body['scope'] === 'team') expect(fact.scope).to.equal(body['scope']);
      }
    });
  });

  it('returns the same answer to the same question', () =>
    holds(async (body) => {
      expect(await ask(body)).to.deep.equal(await ask(body));
    }));
});

const isBefore = (a: Scored, b: Scored): boolean =>
  (b.score - a.score || compareStamps(b.fact.hlc, a.fact.hlc) || (a.fact.id < b.fact.id ? -1 : 1)) < 0;

const isNewerWording = (one: Scored, other: Scored): boolean => {
  const [a, b] = [textSignature(String(one.fact.value.v)), textSignature(String(other.fact.value.v))];
  return compareStamps(one.fact.hlc, other.fact.hlc) > 0 && similarityOf(a, b) >= NEARLY_SAME;
};
const NEARLY_SAME = 0.6;

const compareStamps = (a: string, b: string): number => {
  const [one, other] = [a.split('.').map(Number), b.split('.').map(Number)];
  return (one[0] as number) - (other[0] as number) || (one[1] as number) - (other[1] as number);
};

/** Recomputes a score from its parts (docs/reference/recall.md, "Score"). */
const expectExplained = (score: number, said: Readonly<Record<string, number>>, body: object): void => {
  const part = (name: string): number => said[name] as number;
  for (const name of ['lexical', 'semantic', 'graph', 'fused', 'confidence', 'access', 'garden_tier']) {
    expect(part(name), name).to.be.within(0, 1 + CLOSE);
  }
  expect(part('recency')).to.be.above(0).and.at.most(1);
  expect(part('source_trust')).to.be.within(0.5, 1);
  expect([0.7, 1]).to.include(part('contradiction'));
  const { weights, query } = body as { weights?: Record<string, number>; query?: string };
  const w = weights ?? { lexical: 0.3, vector: 0.5, graph: 0.2, source_trust: 0, recency: 0 };
  const stages: readonly (readonly [string, string])[] = [
    ['lexical', 'lexical'],
    ['vector', 'semantic'],
    ['graph', 'graph'],
    ['source_trust', 'source_trust'],
    ['recency', 'recency'],
  ];
  const sum = stages.reduce((total, [weight, name]) => total + (w[weight] ?? 0) * part(name), 0);
  expect(part('fused')).to.be.closeTo(query === undefined ? part('graph') : sum, CLOSE);
  const sway = ['recency', 'confidence', 'access'].reduce((p, name) => p * (1 + BETA * (2 * part(name) - 1)), 1);
  const tier = Math.max(0.05, part('garden_tier'));
  const product = part('fused') * sway * part('contradiction') * tier * part('source_trust');
  expect(score).to.be.closeTo(product, CLOSE);
  expect(part('weighted_total')).to.equal(score);
  expect(score).to.be.above(0);
};
