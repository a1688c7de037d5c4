import type { ListedFinding } from './linted-node.ts';

/** An asserted fact, in the order of assertions. */
export interface SaidFact {
  readonly id: string;
  readonly entity: string;
  readonly relation: string;
  readonly value: { readonly type: string; readonly v: unknown };
  readonly scope: string;
  readonly garden: string | null;
  readonly confidence: number;
  readonly validUntilMs: number;
  /** The newest `svc:ttl` of the fact. */
  ttlMs: number;
}

export interface ModelQuestion {
  readonly scope: string;
  readonly checks: readonly string[];
  readonly entity?: string | undefined;
  readonly relation?: string | undefined;
  readonly lookaheadMs: number;
}

/** The expected findings without `detail`. Names are in lower case. */
export type ModelFinding = Omit<ListedFinding, 'detail'>;

const ORDER = ['contradiction', 'stale', 'orphan', 'broken_ref', 'namespacing'];

/** A simple and slow form of the five checks, over all facts that a reader sees. */
export class LintModel {
  readonly #visible: readonly SaidFact[];
  readonly #nowMs: number;

  constructor(visible: readonly SaidFact[], nowMs: number) {
    this.#visible = visible;
    this.#nowMs = nowMs;
  }

  factCount(question: ModelQuestion): number {
    return this.#asked(question).length;
  }

  findings(question: ModelQuestion): readonly ModelFinding[] {
    const asked = this.#asked(question);
    const live = asked.filter((fact) => this.#isLive(fact));
    const found = [
      ...contradictions(live),
      ...asked.flatMap((fact) => this.#stale(fact, question.lookaheadMs)),
      ...this.#orphans(asked, question),
      ...live.flatMap((fact) => this.#brokenRef(fact)),
      ...live.filter(({ relation }) => !relation.includes(':')).map((fact) => about(fact, 'namespacing', 'warning')),
    ];
    const isAsked = (check: string) => question.checks.length === 0 || question.checks.includes(check);
    return found.filter(({ check }) => isAsked(check)).sort(byPlaceInList);
  }

  #asked({ scope, entity, relation }: ModelQuestion): readonly SaidFact[] {
    return this.#visible.filter(
      (fact) =>
        (scope === 'all' || fact.scope === scope) &&
        (entity === undefined || isSame(fact.entity, entity)) &&
        (relation === undefined || isSame(fact.relation, relation)),
    );
  }

  #isAsserted(fact: SaidFact): boolean {
    const later = this.#visible.slice(this.#visible.indexOf(fact) + 1);
    return fact.confidence > 0 && !later.some((other) => other.confidence === 0 && placeOf(other) === placeOf(fact));
  }

  #isLive(fact: SaidFact): boolean {
    return this.#isAsserted(fact) && untilMs(fact) > this.#nowMs;
  }

  #stale(fact: SaidFact, lookaheadMs: number): ModelFinding[] {
    if (!this.#isAsserted(fact)) return [];
    if (untilMs(fact) <= this.#nowMs) return [about(fact, 'stale', 'warning')];
    return untilMs(fact) <= this.#nowMs + lookaheadMs ? [about(fact, 'stale', 'info')] : [];
  }

  #orphans(asked: readonly SaidFact[], { scope }: ModelQuestion): ModelFinding[] {
    const inScope = this.#visible.filter((fact) => scope === 'all' || fact.scope === scope);
    const entities = [...new Set(asked.map(({ entity }) => lower(entity)))];
    return entities
      .filter((entity) => !inScope.some((fact) => isSame(fact.entity, entity) && this.#isLive(fact)))
      .map((entity) => ({ check: 'orphan', severity: 'info', entity, relation: null, fact_ids: [] }));
  }

  #brokenRef(fact: SaidFact): ModelFinding[] {
    if (fact.value.type !== 'ref') return [];
    const target = String(fact.value.v);
    if (this.#visible.some((other) => isSame(other.entity, target) && this.#isLive(other))) return [];
    const isHandover = ['intent:handoff_to', 'intent:context_ref'].includes(lower(fact.relation));
    return [about(fact, 'broken_ref', isHandover ? 'error' : 'warning')];
  }
}

const contradictions = (live: readonly SaidFact[]): ModelFinding[] =>
  [...new Set(live.map(placeOf))].flatMap((place) => {
    const rivals = live.filter((fact) => placeOf(fact) === place);
    const [first] = rivals;
    if (first === undefined || new Set(rivals.map(meaningOf)).size < 2) return [];
    return [{ ...about(first, 'contradiction', 'error'), fact_ids: rivals.map(({ id }) => id).sort() }];
  });

const about = ({ id, entity, relation }: SaidFact, check: string, severity: string): ModelFinding => ({
  check,
  severity,
  entity: lower(entity),
  relation: lower(relation),
  fact_ids: [id],
});

const byPlaceInList = (one: ModelFinding, other: ModelFinding): number => {
  const place = ({ check, entity, relation, fact_ids }: ModelFinding) => [
    String(ORDER.indexOf(check)),
    entity,
    relation ?? '',
    fact_ids[0] ?? '',
  ];
  const [a, b] = [place(one), place(other)];
  const at = a.findIndex((part, index) => part !== b[index]);
  if (at < 0) return 0;
  return (a[at] as string) < (b[at] as string) ? -1 : 1;
};

const lower = (name: string): string => name.toLowerCase();
const isSame = (one: string, other: string): boolean => lower(one) === lower(other);
const untilMs = ({ validUntilMs, ttlMs }: SaidFact): number => Math.min(validUntilMs, ttlMs);
const placeOf = ({ entity, relation, scope, garden }: SaidFact): string =>
  [lower(entity), lower(relation), scope, garden].join(' ');
/** Returns equal texts for equal values: refs are compared as names. */
const meaningOf = ({ value: { type, v } }: SaidFact): string => `${type} ${type === 'ref' ? lower(String(v)) : v}`;
