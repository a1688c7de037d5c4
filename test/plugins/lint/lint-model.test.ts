import { expect } from 'chai';
import fc from 'fast-check';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { LintModel, type ModelQuestion, type SaidFact } from './lint-model.ts';
import { type LintedNode, type ListedFinding, startLintedNode } from './linted-node.ts';

const HOUR_MS = 3_600_000;
const NEVER = Number.MAX_SAFE_INTEGER;
const CHECKS = ['contradiction', 'stale', 'orphan', 'broken_ref', 'namespacing'];
const ENTITIES = ['user:a', 'USER:A', 'user:b', 'user:c'];
const RELATIONS = ['memory:role', 'Memory:Role', 'role', 'rel:knows', 'intent:handoff_to'];
const PLACES = [
  { scope: 'company', garden: null },
  { scope: 'team', garden: null },
  { scope: 'company', garden: 'g' },
];

const saying = fc.record({
  kind: fc.constant('say' as const),
  entity: fc.constantFrom(...ENTITIES),
  relation: fc.constantFrom(...RELATIONS),
  value: fc.oneof(
    fc.constantFrom('one', 'two').map((v) => ({ type: 'string', v })),
    fc.constantFrom('user:a', 'User:B', 'user:c', 'user:none').map((v) => ({ type: 'ref', v })),
    fc.constant({ type: 'number', v: 1 }),
  ),
  place: fc.constantFrom(...PLACES),
  source: fc.constantFrom('agent:a', 'agent:b'),
  confidence: fc.constantFrom(0, 0.4, 0.9, 0.9),
  hours: fc.constantFrom(null, null, null, -1, 1, 3),
});
/** A time-to-live for one of the earlier facts, if any. */
const ending = fc.record({ kind: fc.constant('ttl' as const), of: fc.nat(), hours: fc.constantFrom(-1, 1, 2, 5) });
const waiting = fc.record({ kind: fc.constant('wait' as const), hours: fc.constantFrom(1, 2) });
const steps = fc.array(
  fc.oneof({ weight: 8, arbitrary: saying }, { weight: 2, arbitrary: ending }, { weight: 1, arbitrary: waiting }),
  { minLength: 1, maxLength: 24, size: 'max' },
);
const questions = fc.array(
  fc.record({
    scope: fc.constantFrom('all', 'all', 'company', 'team'),
    checks: fc.oneof(fc.constant([]), fc.subarray(CHECKS, { minLength: 1 })),
    entity: fc.option(fc.constantFrom(...ENTITIES), { nil: undefined, freq: 3 }),
    relation: fc.option(fc.constantFrom(...RELATIONS), { nil: undefined, freq: 3 }),
    lookaheadMs: fc.constantFrom(0, HOUR_MS, 4 * HOUR_MS),
  }),
  { minLength: 4, maxLength: 6 },
);

type Made<A> = A extends fc.Arbitrary<infer T> ? T : never;
type Saying = Made<typeof saying>;
type Ending = Made<typeof ending>;
type Step = Saying | Ending | Made<typeof waiting>;

/** A store, both on the node and in the model. */
class Told {
  readonly facts: SaidFact[] = [];
  readonly #at: LintedNode;

  constructor(at: LintedNode) {
    this.#at = at;
  }

  async take(step: Step): Promise<void> {
    if (step.kind === 'wait') await this.#at.node.clock.advance(step.hours * HOUR_MS);
    else if (step.kind === 'say') await this.#say(step);
    else await this.#end(step);
  }

  async #say({ entity, relation, value, place, source, confidence, hours }: Saying): Promise<void> {
    const { scope, garden } = place;
    const until = hours === null ? {} : { valid_until: this.#at.inHours(hours) };
    const where = garden === null ? { scope } : { scope, garden_id: garden };
    const id = await this.#at.say({ entity, relation, value, source, confidence, ...where, ...until });
    // Each fact is added once.
    if (this.facts.some((fact) => fact.id === id)) return;
    const validUntilMs = hours === null ? NEVER : this.#inHours(hours);
    this.facts.push({ id, entity, relation, value, scope, garden, confidence, validUntilMs, ttlMs: NEVER });
  }

  async #end({ of, hours }: Ending): Promise<void> {
    const fact = this.facts[of % Math.max(1, this.facts.length)];
    if (fact === undefined) return;
    const value = { type: 'datetime', v: this.#at.inHours(hours) };
    await this.#at.say({ entity: fact.id, relation: 'svc:ttl', value, scope: fact.scope });
    fact.ttlMs = this.#inHours(hours);
  }

  #inHours(hours: number): number {
    return this.#at.node.clock.nowMs() + hours * HOUR_MS;
  }
}

forEachStore('Lint of random stores, beside a simple model', () => {
  it('has the same findings as the model, for readers with different rights', async function () {
    this.timeout(600_000);
    await fc.assert(
      fc.asyncProperty(steps, questions, async (given, asked) => {
        const at = await startLintedNode();
        try {
          const garden = { slug: 'g', name: 'g', scope: 'company' };
          expect((await at.node.request('POST', '/v1/gardens', { key: at.key, body: garden })).status).to.equal(201);
          const narrow = await at.node.addKey({ entityUri: 'agent:narrow', scopes: ['company'] });
          const told = new Told(at);
          for (const step of given) await told.take(step);
          for (const question of asked) {
            await agrees(at, at.key, told.facts, question);
            const seen = told.facts.filter(({ scope, garden: slug }) => scope === 'company' && slug === null);
            if (question.scope !== 'team') await agrees(at, narrow, seen, question);
          }
        } finally {
          await at.node.stop();
        }
      }),
      { numRuns: Math.ceil(RUNS / 8) },
    );
  });
});

const agrees = async (at: LintedNode, key: string, seen: readonly SaidFact[], question: ModelQuestion) => {
  const { scope, checks, entity, relation, lookaheadMs } = question;
  const model = new LintModel(seen, at.node.clock.nowMs());
  const body = { scope, checks, entity, relation, stale_lookahead_s: lookaheadMs / 1000 };
  const reply = await at.lint(body, key);
  expect(reply.status, reply.text).to.equal(200);
  const shown = reply.body.findings.map(({ detail: _, ...finding }: ListedFinding) => ({
    ...finding,
    entity: finding.entity.toLowerCase(),
    relation: finding.relation?.toLowerCase() ?? null,
  }));
  expect(shown).to.deep.equal(model.findings(question));
  expect(reply.body.fact_count).to.equal(model.factCount(question));
};
