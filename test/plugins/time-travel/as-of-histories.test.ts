import { expect } from 'chai';
import fc from 'fast-check';
import { contentId } from '../../../kernel/internal-api.ts';
import { type FactDraft, formatInstant, NodeSelf, nodePrincipal } from '../../../kernel/plugin-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import type { TestNode } from '../../kit/start-test-node.ts';
import { type GardenNode, startGardenNode } from '../gardens/garden-kit.ts';

/** The content of a fact. `names` are its sources: earlier or later facts of the history. */
interface Said {
  readonly v: string;
  readonly confidence: number;
  /** Milliseconds until the fact begins; without effect on a retraction. */
  readonly delay: number | null;
  readonly validFor: number | null;
  readonly scope: 'company' | 'team';
  readonly inGarden: boolean;
  readonly names: readonly number[];
}

type Op =
  /** Clients assert the facts in one request. */
  | { readonly kind: 'assert'; readonly facts: readonly Said[] }
  /** Facts of another node arrive in one transaction. `age` is the age of their stamps in milliseconds. */
  | { readonly kind: 'peer'; readonly facts: readonly (Said & { readonly age: number })[] }
  /** A time-to-live for a fact of the history, relative to now. */
  | { readonly kind: 'ttl'; readonly target: number; readonly livesFor: number }
  | { readonly kind: 'resolve' }
  | { readonly kind: 'wait'; readonly ms: number };

const saying = {
  v: fc.constantFrom('a', 'b', 'c'),
  confidence: fc.constantFrom(0, 0.5, 0.9, 0.9, 1),
  delay: fc.constantFrom(null, null, null, -1_000, 800, 1_500),
  validFor: fc.constantFrom(null, null, null, 1_500, 4_000),
  scope: fc.constantFrom('company' as const, 'company' as const, 'team' as const),
  inGarden: fc.constantFrom(false, false, false, true),
  names: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    fc.uniqueArray(fc.nat({ max: 7 }), { minLength: 2, maxLength: 3 }),
  ),
};
const op: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('assert' as const),
      facts: fc.array(fc.record(saying), { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('peer' as const),
      facts: fc.array(fc.record({ ...saying, age: fc.integer({ min: 1, max: 9_000 }) }), {
        minLength: 1,
        maxLength: 3,
      }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('ttl' as const),
      target: fc.nat({ max: 7 }),
      livesFor: fc.constantFrom(-1_000, 0, 1_000, 60_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('resolve' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(700, 2_000) }) },
);

const FLAGS = ['contradicted', 'expired', 'retracted'].map((flag) => `&include_${flag}=true`);
const QUERIES = [
  '',
  ...FLAGS,
  FLAGS.join(''),
  `${FLAGS[1]}${FLAGS[2]}`,
  '&min_confidence=0.6',
  '&limit=2',
  '&garden_id=herbs',
  '&scope=team',
  `&scope=company${FLAGS[0]}`,
];

forEachStore('the answer as of any past moment, for random histories', () => {
  let node: TestNode;
  let garden: GardenNode;
  let worlds = 0;

  before(async () => {
    garden = await startGardenNode({ plugins: ['gardens', 'keys', 'facts', 'conflicts', 'time-travel'] });
    node = garden.node;
  });
  after(() => garden.stop());

  const sayingOf = (world: number, n: number, { v, confidence, scope, inGarden }: Said) => ({
    entity: `user:w${world}`,
    relation: 'memory:role',
    value: { type: 'string', v, interpretAs: 'content' } as const,
    source: `agent:n${n % 2}`,
    confidence,
    // A garden has exactly one scope.
    scope: inGarden ? 'company' : scope,
  });

  /** Performs a history, and calls `between` after each step. */
  const play = async (ops: readonly Op[], between: (world: number) => Promise<void>): Promise<void> => {
    worlds += 1;
    const world = worlds;
    const said: Said[] = ops.flatMap((each) => ('facts' in each ? each.facts : []));
    const ids: string[] = [];
    const cids = said.map((fact, n) => contentId(sayingOf(world, n, fact)));
    let n = 0;
    for (const each of ops) {
      if (each.kind === 'wait') await node.clock.advance(each.ms);
      if (each.kind === 'ttl') await setLife(ids[each.target], each.livesFor);
      if (each.kind === 'resolve') await resolve(world);
      if (each.kind === 'assert') {
        const bodies = each.facts.map((fact) => bodyOf(world, n++, fact, cids));
        const { body } = await garden.ask('founder', 'POST', '/v1/facts/batch', { body: bodies });
        for (const { status, fact, error } of body.results) {
          expect(status, JSON.stringify(error)).to.be.oneOf([200, 201]);
          ids.push(fact.id);
        }
      }
      if (each.kind === 'peer') {
        const drafts = each.facts.map((fact) => draftOf(world, n++, fact, cids));
        const caller = nodePrincipal(node.kernel.get(NodeSelf).names);
        for (const { kind } of await node.facts.appendAll(drafts, caller, { origin: 'peer' })) {
          expect(kind).to.equal('stored');
        }
        ids.push(...drafts.map(({ id }) => id ?? ''));
      }
      await node.clock.advance(1);
      await between(world);
      await node.clock.advance(1);
    }
  };

  const instantIn = (ms: number): string => formatInstant(node.clock.nowMs() + ms);
  const beginOf = ({ delay, confidence }: Said): string | null =>
    delay === null || confidence === 0 ? null : instantIn(delay);
  const bodyOf = (world: number, n: number, fact: Said, cids: readonly string[]) => ({
    ...sayingOf(world, n, fact),
    value: { type: 'string', v: fact.v },
    valid_from: beginOf(fact),
    valid_until: fact.validFor === null ? null : instantIn(fact.validFor),
    garden_id: fact.inGarden ? garden.gardenId : null,
    derived_from: fact.names.flatMap((name) => (name < n && cids[name] !== cids[n] ? (cids[name] ?? []) : [])),
  });
  const draftOf = (
    world: number,
    n: number,
    fact: Said & { readonly age: number },
    cids: readonly string[],
  ): FactDraft => ({
    ...sayingOf(world, n, fact),
    id: `00000000-0000-4000-8000-${String(world * 100 + n).padStart(12, '0')}`,
    hlcText: `${node.clock.nowMs() - fact.age}.${n}`,
    timestamp: instantIn(-fact.age),
    validFrom: beginOf(fact),
    validUntil: fact.validFor === null ? null : instantIn(fact.validFor),
    gardenId: fact.inGarden ? garden.gardenId : null,
    receivedFrom: 'svc:node:far',
    derivedFrom: fact.names.flatMap((name) => (cids[name] === cids[n] ? [] : (cids[name] ?? []))),
  });
  const setLife = async (id: string | undefined, livesFor: number): Promise<void> => {
    if (id === undefined) return;
    const body = {
      entity: id,
      relation: 'svc:ttl',
      value: { type: 'datetime', v: instantIn(livesFor) },
      source: 'agent:test',
      scope: 'company',
    };
    const { status } = await garden.ask('operator', 'POST', '/v1/facts', { body });
    expect(status).to.be.oneOf([200, 201]);
  };
  const resolve = async (world: number): Promise<void> => {
    const { body } = await garden.ask('founder', 'GET', '/v1/conflicts?limit=50');
    const entity = `user:w${world}`;
    const open = body.conflicts.find(({ fact_a: fact }: { fact_a: { entity: string } }) => fact.entity === entity);
    if (open === undefined) return;
    const path = `/v1/conflicts/${encodeURIComponent(open.conflict_id)}/resolve`;
    const { status } = await garden.ask('founder', 'POST', path, { body: { winning_fact_id: open.fact_a.id } });
    expect(status).to.equal(200);
  };

  const seen = async (world: number, moment: string): Promise<unknown> => {
    const answers: unknown[] = [];
    for (const actor of ['reader', 'stranger'] as const) {
      for (const query of QUERIES) {
        if (actor === 'stranger' && query.includes('garden_id')) continue;
        const path = `/v1/facts?entity=user:w${world}${query}${moment}`;
        const { status, body } = await garden.ask(actor, 'GET', path);
        expect(status, path).to.equal(200);
        answers.push([query, { ...body, cursor: body.cursor === null }]);
      }
    }
    return answers;
  };

  it('equals the answer that the node gave at that moment', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(op, { minLength: 2, maxLength: 9 }), async (ops) => {
        const moments: { readonly at: string; readonly answers: unknown }[] = [];
        let world = 0;
        await play(ops, async (own) => {
          world = own;
          moments.push({ at: instantIn(0), answers: await seen(own, '') });
        });
        await node.clock.advance(120_000);
        for (const { at, answers } of moments) {
          expect(await seen(world, `&as_of=${at}`), `as of ${at}`).to.deep.equal(answers);
        }
      }),
      { numRuns: Math.ceil(RUNS / 8) },
    );
  });
});
