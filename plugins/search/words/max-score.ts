import type { TopDocuments } from '../index/top-documents.ts';
import { termScore } from './bm25.ts';
import { MOST_TIMES, TIMES_BITS } from './posting-lists.ts';

/** One term of a query in one part. */
export interface TermPostings {
  /** Document postings, ascending. */
  readonly postings: Uint32Array;
  /** The highest score of the term in any document. */
  readonly weight: number;
  /** The highest score of the term in any document of the list. */
  readonly bound: number;
}

/**
 * Scores the documents of one part and offers them to `top`, by MaxScore (H. Turtle, J. Flood, "Query evaluation:
 * strategies and optimizations", 1995) over windows of documents. Terms whose bounds together cannot reach the
 * threshold are only looked up for documents that other terms found. The result equals that of scoring every document.
 * Terms come in ascending weight. A score is summed from the heaviest term to the lightest, so that it does not depend
 * on skipped documents.
 */
export const searchPart = (
  terms: readonly TermPostings[],
  norms: Uint8Array,
  lengthPenalty: Float64Array,
  accepts: (document: number) => boolean,
  top: TopDocuments,
): void => {
  const cursors = terms.map((term) => new Cursor(term));
  const restBounds: number[] = [0];
  for (const { bound } of terms) restBounds.push((restBounds.at(-1) as number) + bound);
  for (;;) {
    let needed = 0;
    const threshold = top.threshold * (1 - ROUNDING);
    while (needed < cursors.length && (restBounds[needed + 1] as number) < threshold) needed += 1;
    let first = END;
    for (let at = needed; at < cursors.length; at += 1) first = Math.min(first, (cursors[at] as Cursor).document);
    if (first === END) return;
    const end = first + WINDOW;
    for (let at = cursors.length - 1; at >= needed; at -= 1) {
      (cursors[at] as Cursor).addUntil(end, first, norms, lengthPenalty);
    }
    drain(first, cursors, needed, restBounds, norms, lengthPenalty, accepts, top);
  }
};

/** Offers the documents that needed terms found in a window, after adding the scores of the other terms. */
// biome-ignore lint/complexity/useMaxParams: the innermost loop; an object for each window costs more than the window
const drain = (
  base: number,
  cursors: readonly Cursor[],
  needed: number,
  restBounds: readonly number[],
  norms: Uint8Array,
  lengthPenalty: Float64Array,
  accepts: (document: number) => boolean,
  top: TopDocuments,
): void => {
  let threshold = top.threshold * (1 - ROUNDING);
  for (let word = 0; word < touched.length; word += 1) {
    let bits = touched[word] as number;
    if (bits === 0) continue;
    touched[word] = 0;
    for (; bits !== 0; bits &= bits - 1) {
      const place = (word << 5) + 31 - Math.clz32(bits & -bits);
      let score = sums[place] as number;
      sums[place] = 0;
      if (score + (restBounds[needed] as number) < threshold) continue;
      const document = base + place;
      let at = needed;
      while (at > 0 && score + (restBounds[at] as number) >= threshold) {
        at -= 1;
        score += (cursors[at] as Cursor).scoreOf(document, norms, lengthPenalty);
      }
      if (at > 0 || score < threshold || !accepts(document)) continue;
      top.offer(document, score);
      threshold = top.threshold * (1 - ROUNDING);
    }
  }
};

/** The number of documents per window, whose sums are held at once. */
const WINDOW = 8_192;
const END = 2 ** 32;
/** A tolerance for different rounding of bounds and sums, so that no document is lost. */
const ROUNDING = 1e-9;

/** Shared by all searches, because each runs to its end before the next one. */
const sums = new Float64Array(WINDOW);
const touched = new Int32Array(WINDOW >>> 5);

class Cursor {
  /** The next document, `END` after the last. */
  document: number;
  readonly #postings: Uint32Array;
  readonly #weight: number;
  #at = 0;

  constructor(term: TermPostings) {
    this.#postings = term.postings;
    this.#weight = term.weight;
    this.document = term.postings.length > 0 ? (term.postings[0] as number) >>> TIMES_BITS : END;
  }

  /** Adds the term's scores to the sums of all documents before `end`. */
  addUntil(end: number, base: number, norms: Uint8Array, lengthPenalty: Float64Array): void {
    if (this.document >= end) return;
    const postings = this.#postings;
    const weight = this.#weight;
    const { length } = postings;
    let at = this.#at;
    if (this.document < base) at = seek(postings, at, base);
    let document = END;
    for (; at < length; at += 1) {
      const posting = postings[at] as number;
      document = posting >>> TIMES_BITS;
      if (document >= end) break;
      const place = document - base;
      const times = posting & MOST_TIMES;
      sums[place] =
        (sums[place] as number) + termScore(weight, times, lengthPenalty[norms[document] as number] as number);
      touched[place >>> 5] = (touched[place >>> 5] as number) | (1 << (place & 31));
    }
    this.#at = at;
    this.document = at < length ? document : END;
  }

  /** The score of the term in one document. Callers must pass documents in ascending order. */
  scoreOf(document: number, norms: Uint8Array, lengthPenalty: Float64Array): number {
    if (this.document < document) {
      this.#at = seek(this.#postings, this.#at, document);
      this.document = this.#at < this.#postings.length ? (this.#postings[this.#at] as number) >>> TIMES_BITS : END;
    }
    if (this.document !== document) return 0;
    const times = (this.#postings[this.#at] as number) & MOST_TIMES;
    return termScore(this.#weight, times, lengthPenalty[norms[document] as number] as number);
  }
}

/**
 * Returns the index of the first posting at or after a document, by a search in growing steps from an earlier index.
 */
export const seek = (postings: Uint32Array, from: number, document: number): number => {
  const { length } = postings;
  let step = 1;
  let low = from;
  let high = from;
  while (high < length && (postings[high] as number) >>> TIMES_BITS < document) {
    low = high + 1;
    high += step;
    step *= 2;
  }
  high = Math.min(high, length);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((postings[middle] as number) >>> TIMES_BITS < document) low = middle + 1;
    else high = middle;
  }
  return low;
};
