import { mostSimilar, similarityOf, type TextSignature } from './text-signature.ts';

/** An item with a cost in tokens and a rank. */
export interface Packable {
  /** The rank: above 0, or 0 for an item of no use. */
  readonly rank: number;
  readonly tokens: number;
  /** Returns the words of the item, to compare it with packed ones. */
  signature(): TextSignature;
  /** True if only the rank counts, not the similarity to packed facts. */
  readonly byScore: boolean;
}

export interface PackOptions {
  readonly budget: number;
  readonly limit: number;
  /** 1 always takes the best score; lower values prefer facts that add something new. */
  readonly lambda: number;
}

/**
 * Fills the budget by Maximal Marginal Relevance (Carbonell and Goldstein 1998). A fact that does not fit is skipped,
 * and smaller ones are still tried. So the best candidate that fits is always included. `unfit` are the skipped ones.
 * `candidates` come best first, and this order breaks ties.
 */
export const packByMmr = <T extends Packable>(
  candidates: readonly T[],
  { budget, limit, lambda }: PackOptions,
): { readonly packed: T[]; readonly unfit: readonly T[] } => {
  const packed: T[] = [];
  const signatures: TextSignature[] = [];
  const best = candidates[0]?.rank || 1;
  const waiting = candidates.map((candidate) => new Waiting(candidate, candidate.rank / best));
  const unfit: T[] = [];
  let left = budget;
  while (packed.length < limit) {
    dropUnfit(waiting, left, unfit);
    let chosen = -1;
    let most = Number.NEGATIVE_INFINITY;
    for (let at = 0; at < waiting.length; at += 1) {
      const one = waiting[at] as Waiting<T>;
      if (lambda * one.worth <= most) break;
      // Packing never raises the value of a candidate, so one that was too low before is not compared again.
      if (one.value(lambda) <= most) continue;
      if (lambda < 1) one.compare(signatures);
      if (one.value(lambda) <= most) continue;
      most = one.value(lambda);
      chosen = at;
    }
    const [one] = chosen < 0 ? [] : waiting.splice(chosen, 1);
    if (one === undefined) break;
    packed.push(one.candidate);
    left -= one.candidate.tokens;
    if (lambda < 1) signatures.push(one.signature);
  }
  return { packed, unfit };
};

/** Moves the items that cost more than the rest of the budget to `unfit`, and keeps the order of the others. */
const dropUnfit = <T extends Packable>(waiting: Waiting<T>[], left: number, unfit: T[]): void => {
  let kept = 0;
  for (const one of waiting) {
    if (one.candidate.tokens > left) {
      unfit.push(one.candidate);
      continue;
    }
    waiting[kept] = one;
    kept += 1;
  }
  waiting.length = kept;
};

/** A candidate that may still be packed, with its known similarity to packed facts. */
class Waiting<T extends Packable> {
  readonly candidate: T;
  readonly worth: number;
  #signature: TextSignature | undefined;
  #compared = 0;
  #likeness = 0;

  constructor(candidate: T, worth: number) {
    this.candidate = candidate;
    this.worth = worth;
  }

  get signature(): TextSignature {
    this.#signature ??= this.candidate.signature();
    return this.#signature;
  }

  /** Returns the present value, which never rises with further comparisons. */
  value(lambda: number): number {
    return lambda * this.worth - (this.candidate.byScore ? 0 : (1 - lambda) * this.#likeness);
  }

  /** Compares the candidate with the facts packed since the last comparison. */
  compare(packed: readonly TextSignature[]): void {
    if (this.candidate.byScore) return;
    const own = this.signature;
    for (; this.#compared < packed.length; this.#compared += 1) {
      const other = packed[this.#compared] as TextSignature;
      if (mostSimilar(own, other) <= this.#likeness) continue;
      const likeness = similarityOf(own, other);
      if (likeness > this.#likeness) this.#likeness = likeness;
    }
  }
}
