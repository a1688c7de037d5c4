import type { TriplePosition } from '../../kernel/internal-api.ts';
import type { FactOutline } from '../../kernel/plugin-api.ts';
import { FindingList, type FindingListState } from './finding-list.ts';
import type { JudgedFact } from './judge-page.ts';
import type { Check, RuleProposal } from './lint-api.ts';
import { type ProposalState, RuleProposals } from './rule-proposals.ts';

/** The rules of a question that apply after its facts are found. */
export interface WalkRules {
  readonly checks: ReadonlySet<Check>;
  readonly lookaheadMs: number;
  /** The maximum size of the findings in bytes. */
  readonly maxBytes: number;
  /** Returns true if different values of the relation do not contradict each other. */
  holdsMany(relationKey: string): boolean;
  /** Returns true if the relation could have a rule, and has none. */
  lacksRule(relationKey: string): boolean;
}

/** The live facts of one triple and place, which arrive weakest first. */
interface Rivals {
  count: number;
  /** The ids of the strongest facts. */
  readonly ids: string[];
  strongestValue: string;
  strongestId: string;
  /** The strongest fact whose value differs from the strongest value. */
  rivalId: string | null;
}

interface EntityState {
  readonly key: string;
  name: string;
  witness: string;
  hasLive: boolean;
}

/** An entity whose checked facts have all ended. */
export interface Candidate {
  readonly key: string;
  readonly name: string;
  readonly witness: string;
}

/** Plain JSON, for checkpoints. */
export interface WalkState {
  readonly after: TriplePosition | null;
  readonly last: Pick<FactOutline, 'entity' | 'relation'> | null;
  readonly factCount: number;
  readonly rivals: Rivals | null;
  readonly entity: EntityState | null;
  readonly list: FindingListState;
  readonly proposals: ProposalState;
}

/** The maximum number of ids in one finding. */
export const MAX_IDS = 100;

/** Relations that hand work over to another entity. If the target does not exist, the work is lost. */
const HANDOVERS: ReadonlySet<string> = new Set(['intent:handoff_to', 'intent:context_ref']);

/**
 * Derives findings from facts in the order of triples. So it holds only one triple, one entity and the findings in
 * memory.
 */
export class LintWalk {
  readonly #rules: WalkRules;
  readonly #list: FindingList;
  readonly #proposals: RuleProposals;
  #after: TriplePosition | null;
  #last: Pick<FactOutline, 'entity' | 'relation'> | null;
  #factCount: number;
  #rivals: Rivals | null;
  #entity: EntityState | null;
  #candidates: Candidate[] = [];

  constructor(rules: WalkRules, state?: WalkState) {
    this.#rules = rules;
    this.#list = new FindingList(rules.maxBytes, state?.list);
    this.#proposals = new RuleProposals(state?.proposals);
    this.#after = state?.after ?? null;
    this.#last = state?.last ?? null;
    this.#factCount = state?.factCount ?? 0;
    this.#rivals = state?.rivals ?? null;
    this.#entity = state?.entity ?? null;
  }

  get after(): TriplePosition | undefined {
    return this.#after ?? undefined;
  }

  get factCount(): number {
    return this.#factCount;
  }

  get list(): FindingList {
    return this.#list;
  }

  get proposals(): readonly RuleProposal[] {
    return this.#proposals.found;
  }

  /** The state between two pages, after the candidates were taken. */
  get state(): WalkState {
    return {
      after: this.#after,
      last: this.#last,
      factCount: this.#factCount,
      rivals: this.#rivals,
      entity: this.#entity,
      list: this.#list.state,
      proposals: this.#proposals.state,
    };
  }

  take(facts: readonly JudgedFact[], nowMs: number): void {
    for (const judged of facts) {
      this.#enter(judged.fact);
      this.#inspect(judged, nowMs);
      this.#factCount += 1;
    }
  }

  /** Must be called after the last fact. */
  end(): void {
    this.#endPlace();
    this.#list.endGroup();
    this.#endEntity();
  }

  /** Possible orphans, each once, in order: entities without live facts among the checked ones. */
  takeCandidates(): readonly Candidate[] {
    return this.#candidates.splice(0);
  }

  addOrphan({ name, witness }: Candidate): void {
    const detail = 'the entity has facts, and none of them is live';
    this.#list.append({
      check: 'orphan',
      severity: 'info',
      entity: name,
      relation: null,
      factIds: [],
      detail,
      witness,
    });
  }

  #enter({ entityKey, relationKey, scope, gardenId, confidence, hlc, id, entity, relation }: FactOutline): void {
    const after = this.#after;
    const isSameRelation = after?.entityKey === entityKey && after.relationKey === relationKey;
    if (!isSameRelation || after.scope !== scope || after.gardenId !== gardenId) this.#endPlace();
    if (!isSameRelation) this.#list.endGroup();
    if (after?.entityKey !== entityKey) {
      this.#endEntity();
      this.#entity = { key: entityKey, name: entity, witness: id, hasLive: false };
    }
    this.#after = { entityKey, relationKey, scope, gardenId, confidence, hlc, id };
    this.#last = { entity, relation };
  }

  #inspect({ fact, isAsserted, isLive, isBroken, untilMs }: JudgedFact, nowMs: number): void {
    const { entity, relation, id } = fact;
    const about = { entity, relation, factIds: [id] };
    const { checks, lookaheadMs } = this.#rules;
    if (isAsserted && checks.has('stale') && untilMs <= nowMs + lookaheadMs) {
      const found = isLive ? EXPIRES_SOON : HAS_EXPIRED;
      this.#list.add({ check: 'stale', ...found, ...about });
    }
    if (!isLive) return;
    if (this.#entity !== null) this.#entity.hasLive = true;
    if (checks.has('contradiction')) {
      if (!this.#rules.holdsMany(fact.relationKey)) this.#addRival(fact);
      if (this.#rules.lacksRule(fact.relationKey)) this.#proposals.take(fact, nowMs);
    }
    if (isBroken && checks.has('broken_ref')) {
      const severity = HANDOVERS.has(fact.relationKey) ? 'error' : 'warning';
      const detail = 'the value refers to an entity without any live fact';
      this.#list.add({ check: 'broken_ref', severity, ...about, detail });
    }
    if (checks.has('namespacing') && !relation.includes(':')) {
      const detail = 'the relation has no namespace: write it as namespace:name';
      this.#list.add({ check: 'namespacing', severity: 'warning', ...about, detail });
    }
  }

  #addRival({ id, valueKey }: FactOutline): void {
    this.#rivals ??= { count: 0, ids: [], strongestValue: valueKey, strongestId: id, rivalId: null };
    const rivals = this.#rivals;
    rivals.count += 1;
    rivals.ids.push(id);
    if (rivals.ids.length > MAX_IDS) rivals.ids.shift();
    if (valueKey !== rivals.strongestValue) rivals.rivalId = rivals.strongestId;
    rivals.strongestValue = valueKey;
    rivals.strongestId = id;
  }

  #endPlace(): void {
    const rivals = this.#rivals;
    this.#rivals = null;
    if (rivals === null || rivals.rivalId === null || this.#last === null || this.#after === null) return;
    // Makes sure that the named facts include two with different values.
    const { ids, rivalId } = rivals;
    const named = ids.includes(rivalId) ? ids : [rivalId, ...ids.slice(1)];
    const where = this.#after.gardenId === null ? '' : ' in one garden';
    const detail = `${rivals.count} live facts of scope ${this.#after.scope}${where} say different things`;
    const factIds = named.toSorted();
    this.#list.add({ check: 'contradiction', severity: 'error', ...this.#last, factIds, detail });
  }

  #endEntity(): void {
    const ended = this.#entity;
    this.#entity = null;
    if (ended === null || ended.hasLive || !this.#rules.checks.has('orphan')) return;
    this.#candidates.push({ key: ended.key, name: ended.name, witness: ended.witness });
  }
}

const HAS_EXPIRED = { severity: 'warning', detail: 'the fact has expired' } as const;
const EXPIRES_SOON = { severity: 'info', detail: 'the fact expires soon' } as const;
