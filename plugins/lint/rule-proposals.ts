import { tripleId } from '../../kernel/internal-api.ts';
import type { FactOutline } from '../../kernel/plugin-api.ts';
import type { RuleProposal } from './lint-api.ts';

/** The minimum number of entities with different values for a proposal. */
const LEAST_ENTITIES = 5;
const LEAST_AGE_MS = 7 * 24 * 3_600_000;

/** The maximum number of relations that a run observes, and of sources that it compares in one triple. */
const MOST_RELATIONS = 100;
const MOST_SOURCES = 100;

interface Spoken {
  readonly id: string;
  readonly valueKey: string;
}

interface Sign {
  readonly relation: string;
  lastEntityKey: string;
  /** Two facts of each entity. */
  readonly factIds: string[];
}

/** Plain JSON, for checkpoints. */
export interface ProposalState {
  readonly triple: string;
  readonly spoken: readonly (readonly [source: string, Spoken])[];
  readonly signs: readonly (readonly [relationKey: string, Sign])[];
}

/**
 * Finds relations that behave as if they held many values: at least five entities have, from one source and for a week,
 * live facts that differ. Facts arrive in the order of triples.
 */
export class RuleProposals {
  #triple: string;
  #spoken: Map<string, Spoken>;
  readonly #signs: Map<string, Sign>;

  constructor(state?: ProposalState) {
    this.#triple = state?.triple ?? '';
    this.#spoken = new Map(state?.spoken);
    this.#signs = new Map(state?.signs.map(([key, sign]) => [key, { ...sign, factIds: [...sign.factIds] }]));
  }

  /** Takes a live fact whose relation has no rule. */
  take(fact: FactOutline, nowMs: number): void {
    if (fact.hlc.wallMs > nowMs - LEAST_AGE_MS) return;
    const triple = tripleId(fact);
    if (triple !== this.#triple) {
      this.#triple = triple;
      this.#spoken = new Map();
    }
    const { id, source, valueKey } = fact;
    const earlier = this.#spoken.get(source);
    if (earlier !== undefined && earlier.valueKey !== valueKey) this.#note(fact, earlier);
    else if (earlier === undefined && this.#spoken.size < MOST_SOURCES) this.#spoken.set(source, { id, valueKey });
  }

  /** The relations, by match key. */
  get found(): readonly RuleProposal[] {
    return [...this.#signs]
      .filter(([, { factIds }]) => factIds.length === 2 * LEAST_ENTITIES)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, { relation, factIds }]) => ({ relation, factIds: factIds.toSorted() }));
  }

  get state(): ProposalState {
    return { triple: this.#triple, spoken: [...this.#spoken], signs: [...this.#signs] };
  }

  #note({ id, entityKey, relation, relationKey }: FactOutline, earlier: Spoken): void {
    let sign = this.#signs.get(relationKey);
    if (sign === undefined) {
      if (this.#signs.size === MOST_RELATIONS) return;
      sign = { relation, lastEntityKey: '', factIds: [] };
      this.#signs.set(relationKey, sign);
    }
    if (sign.lastEntityKey === entityKey || sign.factIds.length === 2 * LEAST_ENTITIES) return;
    sign.lastEntityKey = entityKey;
    sign.factIds.push(earlier.id, id);
  }
}
