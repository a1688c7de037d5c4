import { mostSimilar, similarityOf, type TextSignature } from './text-signature.ts';

/** Something that costs tokens and is worth its score. */
export interface Packable {
  /** Above 0 for all, or 0 for those that are worth nothing. */
  readonly score: number;
  readonly tokens: number;
  /** Its words, to judge whether it says something new. */
  signature(): TextSignature;
  /** Only its score counts, not its likeness to chosen facts. */
  readonly byScore: boolean;
}

export interface PackOptions {
  readonly budget: number;
  readonly limit: number;
  /** 1 takes the best score each time; below it, what says something new is preferred. */
  readonly lambda: number;
}

/**
 * Fills the budget by Maximal Marginal Relevance (Carbonell and Goldstein 1998). A fact that does not fit is passed
 * over, and smaller ones are still tried, so that the best-scored candidate that fits is always in; `unfit` counts
 * those that were passed over. `candidates` come best first; equal worth is decided by that order.
 */
export const packByMmr = <T extends Packable>(
  candidates: readonly T[],
  { budget, limit, lambda }: PackOptions,
): { readonly packed: T[]; readonly unfit: number } => {
  const packed: T[] = [];
  const signatures: TextSignature[] = [];
  const best = candidates[0]?.score || 1;
  const waiting = candidates.map((candidate) => new Waiting(candidate, candidate.score / best));
  let left = budget;
  let unfit = 0;
  while (packed.length < limit) {
    const before = waiting.length;
    dropUnfit(waiting, left);
    unfit += before - waiting.length;
    let chosen = -1;
    let most = Number.NEGATIVE_INFINITY;
    for (let at = 0; at < waiting.length; at += 1) {
      const one = waiting[at] as Waiting<T>;
      if (lambda * one.worth <= most) break;
      // Packing makes no candidate worth more: one that was not worth enough before needs no closer look.
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

/** Takes out what costs more than is left; the others keep their order. */
const dropUnfit = (waiting: Waiting<Packable>[], left: number): void => {
  let kept = 0;
  for (const one of waiting) {
    if (one.candidate.tokens > left) continue;
    waiting[kept] = one;
    kept += 1;
  }
  waiting.length = kept;
};

/** A candidate that may still get in, and how much it is known to be like the chosen ones. */
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

  /** Falls, if it changes, with every comparison. */
  value(lambda: number): number {
    return lambda * this.worth - (this.candidate.byScore ? 0 : (1 - lambda) * this.#likeness);
  }

  /** Compares it with the facts that were packed since the last comparison. */
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
