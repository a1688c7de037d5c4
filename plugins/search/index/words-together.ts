import type { Hit } from '../search-api.ts';
import { seek } from '../words/max-score.ts';
import { TIMES_BITS } from '../words/posting-lists.ts';
import { postingsOf } from '../words/postings-then.ts';
import { type QueryTerm, queryTermsIn } from '../words/search-words.ts';
import type { IndexState } from './index-state.ts';
import type { SessionSides } from './session-sides.ts';
import type { ViewFilter } from './view-filter.ts';

/**
 * The weight of a word of the query by the distance of the fact that holds it: a question in one
 * sentence often has its answer in several.
 */
export const TOGETHER_WEIGHTS: readonly [number, ...number[]] = [1, 0.7, 0.4];

/** How far away a word still counts. */
const REACH = TOGETHER_WEIGHTS.length - 1;
/** Places of a fact's surroundings: itself, then those before and after it by their distance. */
const PLACES = 1 + 2 * REACH;

/**
 * The given facts that have others beside them in their sessions, each with the share of the query that it covers with
 * them. Sessions count what the view may find, and words weigh what they weigh over the opened parts. `sides` reach as
 * far as the weights at least.
 */
export const wordsTogether = (
  state: IndexState,
  query: string,
  { ids, tenantId }: { readonly ids: readonly string[]; readonly tenantId: string },
  filter: ViewFilter,
  sides: SessionSides,
): Hit[] => {
  const surrounded = ids.flatMap((id) => surroundingsOf(id, tenantId, sides));
  const words = byWord(queryTermsIn(state, query, filter));
  const total = words.reduce((sum, [{ weight }]) => sum + weight, 0);
  if (total === 0) return surrounded.map(({ id }) => ({ id, score: 0 }));
  const near = new NearDocuments(surrounded.map(({ documents }) => documents));
  const shares = new Float64Array(surrounded.length);
  for (const forms of words) {
    near.forget();
    for (const { lists } of forms) for (const list of lists.values()) near.mark(postingsOf(state, list, filter));
    const [{ weight }] = forms;
    for (let at = 0; at < shares.length; at += 1) {
      const distance = near.nearestMark(at);
      if (distance >= 0) shares[at] = (shares[at] as number) + (TOGETHER_WEIGHTS[distance] as number) * weight;
    }
  }
  return surrounded.map(({ id }, at) => ({ id, score: Math.min(1, (shares[at] as number) / total) }));
};

type Forms = [QueryTerm, ...QueryTerm[]];

/** The forms of each word, which weigh the same. */
const byWord = (terms: readonly QueryTerm[]): readonly Forms[] => {
  const words = new Map<number, Forms>();
  for (const term of terms) {
    const forms = words.get(term.word);
    if (forms === undefined) words.set(term.word, [term]);
    else forms.push(term);
  }
  return [...words.values()];
};

/** A fact with documents around it, by their place: -1 where there is none. */
interface Surrounded {
  readonly id: string;
  readonly documents: Int32Array;
}

const surroundingsOf = (id: string, tenantId: string, sides: SessionSides): Surrounded | readonly [] => {
  const document = sides.documentOf(tenantId, id);
  if (document < 0) return [];
  const { before, after } = sides.of(document);
  if (before.length === 0 && after.length === 0) return [];
  const documents = new Int32Array(PLACES).fill(-1);
  documents[0] = document;
  for (let at = 0; at < REACH; at += 1) {
    documents[2 * at + 1] = before[at] ?? -1;
    documents[2 * at + 2] = after[at] ?? -1;
  }
  return { id, documents };
};

/** The documents around all facts, each once, and which of them hold the word that is looked at. */
class NearDocuments {
  /** Ascending, shifted as postings are, so that both are sought alike. */
  readonly #documents: Uint32Array;
  readonly #isMarked: Uint8Array;
  /** For each fact the places of its surroundings among the documents, -1 for none. */
  readonly #places: Int32Array;

  constructor(surroundings: readonly Int32Array[]) {
    const slots = surroundings.length * PLACES;
    this.#places = new Int32Array(slots).fill(-1);
    // Each document with the slot that it stands in, as one number: sorting brings equal documents together.
    const placed = new Float64Array(slots);
    let count = 0;
    for (let fact = 0; fact < surroundings.length; fact += 1) {
      const documents = surroundings[fact] as Int32Array;
      for (let at = 0; at < PLACES; at += 1) {
        const document = documents[at] as number;
        if (document < 0) continue;
        placed[count] = document * slots + fact * PLACES + at;
        count += 1;
      }
    }
    const sorted = placed.subarray(0, count).sort();
    const distinct = new Uint32Array(count);
    let last = -1;
    for (let at = 0; at < count; at += 1) {
      const document = Math.floor((sorted[at] as number) / slots);
      const shifted = (document << TIMES_BITS) >>> 0;
      if (last < 0 || distinct[last] !== shifted) {
        last += 1;
        distinct[last] = shifted;
      }
      this.#places[(sorted[at] as number) - document * slots] = last;
    }
    this.#documents = distinct.subarray(0, last + 1);
    this.#isMarked = new Uint8Array(last + 1);
  }

  forget(): void {
    this.#isMarked.fill(0);
  }

  /** Marks the documents of the list: each of the two leaps to where the other one is. */
  mark(postings: Uint32Array): void {
    const documents = this.#documents;
    for (let place = 0, at = 0; place < documents.length; ) {
      const document = (documents[place] as number) >>> TIMES_BITS;
      at = seek(postings, at, document);
      if (at === postings.length) return;
      const found = (postings[at] as number) >>> TIMES_BITS;
      if (found === document) this.#isMarked[place] = 1;
      place = found === document ? place + 1 : seek(documents, place, found);
    }
  }

  /** How far from a fact the nearest marked document is, -1 where there is none. */
  nearestMark(fact: number): number {
    for (let at = 0; at < PLACES; at += 1) {
      const place = this.#places[fact * PLACES + at] as number;
      if (place >= 0 && this.#isMarked[place] === 1) return (at + 1) >> 1;
    }
    return -1;
  }
}
