import { compareHlc, type FactOutline, type PreparedFact } from '../../kernel/plugin-api.ts';

/** What adding facts to a triple needs of each: a stored outline and a fact that is only prepared both have it. */
export type Entry = Pick<PreparedFact, 'id' | 'valueKey' | 'confidence' | 'validUntilMs' | 'system'> &
  Partial<Pick<FactOutline, 'hlc'>>;

/**
 * Follows one triple in one place while facts are added to it within a transaction: which facts are live before each
 * addition.
 */
export class TripleHistory<T extends Entry> {
  #live: T[];
  readonly #nowMs: number;

  constructor(live: readonly T[], nowMs: number) {
    this.#live = [...live];
    this.#nowMs = nowMs;
  }

  /** Live facts so far. */
  get live(): readonly T[] {
    return this.#live;
  }

  /** Two live facts differ. */
  get isContested(): boolean {
    const [first] = this.#live;
    return this.#live.some(({ valueKey }) => valueKey !== first?.valueKey);
  }

  /** Whether a fact with confidence is live on arrival, as far as its own members tell. */
  startsLive(fact: T): boolean {
    return fact.confidence > 0 && (fact.validUntilMs === null || fact.validUntilMs > this.#nowMs);
  }

  rivalsOf(fact: T): T[] {
    return this.startsLive(fact) ? this.#live.filter((other) => other.valueKey !== fact.valueKey) : [];
  }

  /** Adds a fact; one with confidence 0 ends the earlier ones. */
  add(fact: T): void {
    if (fact.confidence === 0) this.endBefore(fact);
    else if (this.startsLive(fact)) this.#live.push(fact);
  }

  /** Ends every fact that is older than the cover. */
  endBefore(cover: Pick<Entry, 'hlc'>): void {
    this.#live = this.#live.filter((fact) => !isOlder(fact, cover));
  }
}

/**
 * A fact that has no stamp yet is newer than any that has one, and of two without, arrival decides: the later one
 * covers.
 */
const isOlder = (fact: Pick<Entry, 'hlc'>, than: Pick<Entry, 'hlc'>): boolean => {
  if (than.hlc === undefined) return true;
  if (fact.hlc === undefined) return false;
  return compareHlc(fact.hlc, than.hlc) < 0;
};
