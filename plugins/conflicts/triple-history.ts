import { isNamed, type NamedFact, namedBy, type PreparedFact } from '../../kernel/internal-api.ts';
import { compareHlc, type FactOutline } from '../../kernel/plugin-api.ts';

/** The members of a fact that a triple's history needs, for stored facts and prepared ones. */
export type HistoryEntry = Pick<
  PreparedFact,
  'id' | 'valueKey' | 'confidence' | 'validUntilMs' | 'system' | 'originNodeId' | 'originId' | 'replaces'
> &
  Partial<Pick<FactOutline, 'hlc' | 'speaker'>>;

/** The present moment, and the node id of this node. */
export interface HistoryContext {
  readonly nowMs: number;
  readonly nodeId: string;
}

/**
 * Tracks the facts of one triple in one garden while a transaction adds facts: those that are live, and those that
 * begin later.
 */
export class TripleHistory<T extends HistoryEntry> {
  #live: T[];
  readonly #context: HistoryContext;

  constructor(live: readonly T[], context: HistoryContext) {
    this.#live = [...live];
    this.#context = context;
  }

  get live(): readonly T[] {
    return this.#live;
  }

  /** True if two live facts have different values. */
  get isContested(): boolean {
    const [first] = this.#live;
    return this.#live.some(({ valueKey }) => valueKey !== first?.valueKey);
  }

  /** Returns true if the fact's own members allow it to be live: its confidence and its expiry. */
  startsLive(fact: T): boolean {
    return fact.confidence > 0 && (fact.validUntilMs === null || fact.validUntilMs > this.#context.nowMs);
  }

  /** Returns the live facts with another value that the fact does not end by name. */
  rivalsOf(fact: T): T[] {
    if (!this.startsLive(fact)) return [];
    const named = this.#namedBy(fact);
    return this.#live.filter((other) => other.valueKey !== fact.valueKey && !named.some((one) => isNamed(one, other)));
  }

  /**
   * Adds a fact, and ends the facts that it covers. A fact with names ends the named facts. A fact with confidence 0
   * ends all earlier facts. If `speaker` is not null, only facts of this speaker end.
   */
  add(fact: T, speaker: string | null = null): void {
    const named = this.#namedBy(fact);
    if (named.length > 0 || fact.confidence === 0) this.endBefore(fact, speaker, named);
    if (this.startsLive(fact)) this.#live.push(fact);
  }

  /**
   * Ends the facts older than `cover`, or only the named ones if there are names. If `speaker` is not null, only facts
   * of this speaker end.
   */
  endBefore(cover: Pick<HistoryEntry, 'hlc'>, speaker: string | null, named: readonly NamedFact[] = []): void {
    this.#live = this.#live.filter((fact) => {
      if (!isOlder(fact, cover) || (speaker !== null && fact.speaker !== speaker)) return true;
      return named.length > 0 && !named.some((one) => isNamed(one, fact));
    });
  }

  #namedBy(fact: T): readonly NamedFact[] {
    return namedBy(fact, this.#context.nodeId);
  }
}

/**
 * Returns true if one fact is older than the other. A fact without a stamp is newer than every fact with a stamp. Of
 * two facts without stamps, the later arrival is newer.
 */
const isOlder = (fact: Pick<HistoryEntry, 'hlc'>, than: Pick<HistoryEntry, 'hlc'>): boolean => {
  if (than.hlc === undefined) return true;
  if (fact.hlc === undefined) return false;
  return compareHlc(fact.hlc, than.hlc) < 0;
};
