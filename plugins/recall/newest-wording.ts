import { textOf } from './fact-text.ts';
import type { ScoredFact } from './recall-api.ts';
import { isSamePlace, isSameTriple } from './say-once.ts';
import { mostSimilar, similarityOf } from './text-signature.ts';

/** A fact whose `rank` decides its place in the answer: its own score, or that of an older wording. */
export type Ranked = ScoredFact & { readonly rank: number };

/**
 * Puts the newer of two texts that say nearly the same before the older one, by their timestamps. The newer takes the
 * rank of the older. `scored` and the result are best first. Compares the first `MOST_COMPARED` facts only, because an
 * answer rarely holds more.
 */
export const newestWordingFirst = <T extends Ranked>(scored: readonly T[]): T[] => {
  const head = scored.slice(0, MOST_COMPARED);
  const placed = new Set<T>();
  const ranked: T[] = [];
  for (const [at, one] of head.entries()) {
    if (placed.has(one)) continue;
    const newer = head.filter((two, place) => place > at && !placed.has(two) && rewords(two, one));
    for (const next of newer.sort((a, b) => timeOf(b) - timeOf(a))) {
      placed.add(next);
      ranked.push({ ...next, rank: one.score });
    }
    ranked.push(one);
  }
  return [...ranked, ...scored.slice(MOST_COMPARED)];
};

const MOST_COMPARED = 48;
/** Two texts with at least this share of common words count as wordings of one statement. */
const NEARLY_SAME = 0.6;
/**
 * A newer fact about another entity must have at least this share of the older score, because the query may name the
 * older fact's entity.
 */
const COMPARABLE = 0.8;

const timeOf = ({ view }: ScoredFact): number => view.fact.timestampMs;

const rewords = (newer: ScoredFact, older: ScoredFact): boolean => {
  if (newer.fromCard || older.fromCard || timeOf(newer) <= timeOf(older)) return false;
  const [one, other] = [newer.view.fact, older.view.fact];
  if (one.value.type !== other.value.type || !isSamePlace(one, other)) return false;
  const [text, otherText] = [textOf(one), textOf(other)];
  const [a, b] = [text.signature(), otherText.signature()];
  if (mostSimilar(a, b) < NEARLY_SAME || similarityOf(a, b) < NEARLY_SAME) return false;
  const areSentences = text.isSentence && otherText.isSentence;
  return isSameTriple(one, other) || (areSentences && newer.score >= COMPARABLE * older.score);
};
