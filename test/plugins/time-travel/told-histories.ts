import { expect } from 'chai';
import fc from 'fast-check';
import { type FactDraft, NodeSelf, nodePrincipal, type Scope } from '../../../kernel/plugin-api.ts';
import { SearchIndex, type SearchView } from '../../../plugins/search/search-api.ts';
import { Embedder } from '../../../ports/ports.ts';
import { findNear, findNewest } from '../../contract/search-index/ask-index.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

/** The events on a node, in order. They share few names, so that they interact. */
export type Told =
  | {
      readonly kind: 'fact';
      readonly entity: string;
      readonly relation: string;
      readonly value: { readonly type: 'text' | 'ref'; readonly v: string };
      readonly confidence: number;
      readonly scope: string;
      readonly inGarden: boolean;
      readonly session: string | null;
      /** Milliseconds until its end. */
      readonly lifeMs: number | null;
      /** Milliseconds until the fact begins. */
      readonly delayMs: number | null;
    }
  | { readonly kind: 'batch'; readonly facts: readonly Saying[] }
  /**
   * A fact of another node with the age of its stamp. If derived from facts of the history, it may settle a dispute.
   */
  | {
      readonly kind: 'peer';
      readonly fact: Saying;
      readonly ageMs: number;
      readonly names: readonly number[];
    }
  | { readonly kind: 'retraction'; readonly of: number }
  | { readonly kind: 'ttl'; readonly of: number; readonly inMs: number }
  | { readonly kind: 'resolution'; readonly of: number }
  | { readonly kind: 'pause'; readonly ms: number };

type Saying = Extract<Told, { kind: 'fact' }>;

export const ENTITIES: readonly string[] = ['user:ann', 'user:bob', 'project:atlas'];
const RELATIONS = ['memory:role', 'memory:note'];
const TEXTS = ['grey cats', 'a small boat', 'cats and a boat', 'the harbour at night', 'keeps bees'];
export const SCOPES_TOLD: readonly string[] = ['company', 'team'];
const LIVES = [null, null, null, 500, 2_000];
const LONGEST_DELAY_MS = 450;
const DELAYS = [null, null, null, LONGEST_DELAY_MS, -100];

const facts = fc.record({
  kind: fc.constant('fact' as const),
  entity: fc.constantFrom(...ENTITIES),
  relation: fc.constantFrom(...RELATIONS, 'rel:knows', 'rel:knows'),
  text: fc.constantFrom(...TEXTS),
  target: fc.constantFrom(...ENTITIES),
  confidence: fc.constantFrom(1, 0.9, 0.9, 0.5),
  scope: fc.constantFrom('company', 'company', 'team'),
  inGarden: fc.constantFrom(false, false, true),
  session: fc.constantFrom(null, 'monday', 'tuesday'),
  lifeMs: fc.constantFrom(...LIVES),
  delayMs: fc.constantFrom(...DELAYS),
});
const assertions = facts.map(({ text, target, ...fact }): Saying => {
  const value =
    fact.relation === 'rel:knows' ? { type: 'ref' as const, v: target } : { type: 'text' as const, v: text };
  return { ...fact, value };
});

const others: fc.Arbitrary<Told> = fc.oneof(
  fc.record({ kind: fc.constant('batch' as const), facts: fc.array(assertions, { minLength: 2, maxLength: 4 }) }),
  fc.record({
    kind: fc.constant('peer' as const),
    fact: assertions,
    ageMs: fc.constantFrom(1, 500, 3_000, 60_000),
    names: fc.uniqueArray(fc.nat(8), { maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant('retraction' as const), of: fc.nat(20) }),
  fc.record({ kind: fc.constant('ttl' as const), of: fc.nat(20), inMs: fc.constantFrom(-1_000, 300, 1_500) }),
  fc.record({ kind: fc.constant('resolution' as const), of: fc.nat(3) }),
  fc.record({ kind: fc.constant('pause' as const), ms: fc.constantFrom(1, 400, 2_500) }),
);

export const histories: fc.Arbitrary<readonly Told[]> = fc.array(
  fc.oneof({ weight: 3, arbitrary: assertions as fc.Arbitrary<Told> }, { weight: 2, arbitrary: others }),
  { minLength: 6, maxLength: 14, size: 'max' },
);

/** Returns the history without contradictions: each value becomes part of the name of its relation. */
export const peaceful = (history: readonly Told[]): readonly Told[] =>
  history.map((step) => {
    if (step.kind === 'fact') return saidAlone(step);
    if (step.kind === 'batch') return { ...step, facts: step.facts.map(saidAlone) };
    return step.kind === 'peer' ? { ...step, fact: saidAlone(step.fact) } : step;
  });

const saidAlone = (fact: Saying): Saying => ({
  ...fact,
  relation: `${fact.relation}-${fact.value.v.replaceAll(/[^a-z]+/g, '-')}`,
});

const LOOKS_WITHOUT_REST = 200;
const EMBEDDING_RESTS_MS = 5_000;

interface Said {
  readonly id: string;
  readonly cid: string;
}

/** A node on which histories happen, with one reader in its garden and one outside. */
export class HistoryNode {
  readonly node: TestNode;
  readonly member: string;
  readonly stranger: string;
  readonly #gardenId: string;
  readonly #facts: { readonly id: string; readonly cid: string; readonly body: Readonly<Record<string, unknown>> }[] =
    [];
  #received = 0;

  private constructor(node: TestNode, member: string, stranger: string, gardenId: string) {
    this.node = node;
    this.#gardenId = gardenId;
    this.member = member;
    this.stranger = stranger;
  }

  static async start(): Promise<HistoryNode> {
    const plugins = [
      'keys',
      'audit',
      'facts',
      'conflicts',
      'gardens',
      'graph',
      'cards',
      'recall',
      'search',
      'time-travel',
    ];
    const node = await startTestNode({ plugins });
    const member = await node.addKey({ entityUri: 'agent:member' });
    const stranger = await node.addKey({ entityUri: 'agent:stranger' });
    const made = await node.request('POST', '/v1/gardens', { key: member, body: { slug: 'herbs', name: 'Herbs' } });
    expect(made.status, made.text).to.equal(201);
    return new HistoryNode(node, member, stranger, made.body.id);
  }

  stop(): Promise<void> {
    return this.node.stop();
  }

  /** Performs one step. A step that the node refuses changes nothing. */
  async tell(step: Told): Promise<void> {
    if (step.kind === 'pause') await this.node.clock.advance(step.ms);
    else if (step.kind === 'fact') await this.#assert(this.#bodyOf(step), step.session);
    else if (step.kind === 'batch') {
      const bodies = step.facts.map((fact) => this.#bodyOf(fact));
      const reply = await this.#post('/v1/facts/batch', bodies);
      const results = reply.body.results as readonly { readonly fact?: Said }[];
      for (const [at, { fact }] of results.entries()) this.#note(fact, bodies[at] ?? {});
    } else if (step.kind === 'resolution') await this.#resolve(step.of);
    else if (step.kind === 'peer') await this.#receive(step);
    else await this.#endOne(step);
    await this.#searchesAll();
  }

  /** Sends a read, as of now or of an instant. */
  async get(path: string, key: string, asOf?: string) {
    const moment = asOf === undefined ? '' : `${path.includes('?') ? '&' : '?'}as_of=${encodeURIComponent(asOf)}`;
    const reply = await this.node.request('GET', `${path}${moment}`, { key });
    return { status: reply.status, body: reply.body };
  }

  now(): string {
    return new Date(this.node.clock.nowMs()).toISOString();
  }

  async #receive({ fact, ageMs, names }: Extract<Told, { kind: 'peer' }>): Promise<void> {
    const { node } = this;
    const { entity, relation, source, confidence, scope, garden_id, valid_from, valid_until } = this.#bodyOf(fact);
    this.#received += 1;
    const draft: FactDraft = {
      entity,
      relation,
      source,
      confidence,
      scope: scope as Scope,
      value: { ...fact.value, interpretAs: 'content' },
      gardenId: garden_id === undefined ? null : this.#gardenId,
      validFrom: valid_from ?? null,
      validUntil: valid_until ?? null,
      id: `00000000-0000-4000-8000-${String(this.#received).padStart(12, '0')}`,
      hlcText: `${node.clock.nowMs() - ageMs}.${this.#received}`,
      timestamp: new Date(node.clock.nowMs() - ageMs).toISOString(),
      receivedFrom: 'svc:node:far',
      derivedFrom: names.flatMap((name) => this.#facts[name]?.cid ?? []),
    };
    const caller = nodePrincipal(node.kernel.get(NodeSelf).names);
    await node.facts.appendAll([draft], caller, { origin: 'peer' });
  }

  async #endOne(step: Extract<Told, { kind: 'retraction' | 'ttl' }>): Promise<void> {
    const target = this.#facts[step.of % Math.max(this.#facts.length, 1)];
    if (target === undefined) return;
    const { body } = target;
    if (step.kind === 'retraction')
      await this.#assert({ ...body, confidence: 0, valid_from: undefined, valid_until: undefined }, null);
    else {
      const v = new Date(this.node.clock.nowMs() + step.inMs).toISOString();
      const { scope, garden_id } = body;
      const ttl = { entity: target.id, relation: 'svc:ttl', value: { type: 'datetime', v }, source: 'agent:s' };
      await this.#post('/v1/facts', { ...ttl, scope, garden_id });
    }
  }

  async #resolve(of: number): Promise<void> {
    const { body } = await this.get('/v1/conflicts?status=open', this.member);
    const open = (body.conflicts ?? []) as readonly {
      readonly conflict_id: string;
      readonly fact_a: { readonly id: string };
    }[];
    const one = open[of % Math.max(open.length, 1)];
    if (one === undefined) return;
    await this.#post(`/v1/conflicts/${one.conflict_id}/resolve`, { new_value: { type: 'text', v: 'keeps bees' } });
  }

  #bodyOf({ entity, relation, value, confidence, scope, inGarden, lifeMs, delayMs }: Saying) {
    const after = (ms: number): string => new Date(this.node.clock.nowMs() + ms).toISOString();
    return {
      entity,
      relation,
      value,
      source: 'agent:s',
      confidence,
      scope,
      garden_id: inGarden ? 'herbs' : undefined,
      valid_from: delayMs === null ? undefined : after(delayMs),
      valid_until: lifeMs === null ? undefined : after(lifeMs),
    };
  }

  async #assert(body: Readonly<Record<string, unknown>>, session: string | null): Promise<void> {
    const headers = session === null ? {} : { 'Svc-Session': session };
    const reply = await this.#post('/v1/facts', body, headers);
    this.#note(reply.status === 201 ? reply.body : undefined, body);
  }

  #note(fact: Said | undefined, body: Readonly<Record<string, unknown>>): void {
    if (fact?.id !== undefined && body['confidence'] !== 0) this.#facts.push({ id: fact.id, cid: fact.cid, body });
  }

  async #post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    const reply = await this.node.request('POST', path, { key: this.member, body, headers });
    expect(reply.status, reply.text).to.be.below(500);
    return reply;
  }

  /** Waits for vectors, which are computed after the assertions. */
  async #searchesAll(): Promise<void> {
    const index = this.node.kernel.get(SearchIndex);
    await index.ready();
    const all: Omit<SearchView, 'nowMs'> = {
      tenantId: 'default',
      scopes: ['local', 'team', 'company', 'public'],
      gardens: 'all',
      minConfidence: 0.1,
    };
    const vector = new Float32Array(this.node.kernel.get(Embedder).dimensions).fill(0);
    vector[0] = 1;
    // Facts without a beginning are valid at the first instant, and other new facts at the second.
    for (const nowMs of [0, this.node.clock.nowMs() + LONGEST_DELAY_MS]) {
      const view = { ...all, nowMs };
      let looks = 0;
      await comesTrue(async () => {
        looks += 1;
        // After failures of a busy database, the embedding rests until a time of the node's clock.
        if (looks > LOOKS_WITHOUT_REST) await this.node.clock.advance(EMBEDDING_RESTS_MS);
        const [withVectors, known] = await Promise.all([
          findNear(index, vector, -1, view, 1_000),
          findNewest(index, view, 1_000),
        ]);
        return withVectors.length === known.length;
      });
    }
  }
}
