import type { PreparedFact } from '../../kernel/internal-api.ts';
import { compareHlc, type FactOutline } from '../../kernel/plugin-api.ts';

/** The members of a fact that a triple's history needs, for stored facts and prepared ones. */
export type HistoryEntry = Pick<PreparedFact, 'id' | 'valueKey' | 'confidence' | 'validUntilMs' | 'system'> &
  Partial<Pick<FactOutline, 'hlc' | 'speaker'>>;

/** Tracks the facts of one triple in one garden that are live or have yet to begin, while a transaction adds facts. */
export class TripleHistory<T extends HistoryEntry> {
  #live: T[];
  readonly #nowMs: number;

  constructor(live: readonly T[], nowMs: number) {
    this.#live = [...live];
    this.#nowMs = nowMs;
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
    return fact.confidence > 0 && (fact.validUntilMs === null || fact.validUntilMs > this.#nowMs);
  }

  rivalsOf(fact: T): T[] {
    return this.startsLive(fact) ? this.#live.filter((other) => other.valueKey !== fact.valueKey) : [];
  }

  /** Adds a fact. A fact with confidence 0 ends the earlier ones, of one speaker alone if `speaker` is not null. */
  add(fact: T, speaker: string | null = null): void {
    if (fact.confidence === 0) this.endBefore(fact, speaker);
    else if (this.startsLive(fact)) this.#live.push(fact);
  }

  /** Ends the facts older than the given one: those of one speaker, or those of all if `speaker` is null. */
  endBefore(cover: Pick<HistoryEntry, 'hlc'>, speaker: string | null): void {
    this.#live = this.#live.filter((fact) => !isOlder(fact, cover) || (speaker !== null && fact.speaker !== speaker));
  }
}

/**
 * Returns true if one fact is older than the other. A fact without a stamp is newer than any with one. Of two without a
 * stamp, the later arrival is newer.
 */
const isOlder = (fact: Pick<HistoryEntry, 'hlc'>, than: Pick<HistoryEntry, 'hlc'>): boolean => {
  if (than.hlc === undefined) return true;
  if (fact.hlc === undefined) return false;
  return compareHlc(fact.hlc, than.hlc) < 0;
};
