import type { Hit } from '../search-api.ts';
import { seek } from '../words/max-score.ts';
import { TIMES_BITS } from '../words/posting-lists.ts';
import { postingsOf } from '../words/postings-then.ts';
import { type QueryTerm, queryTermsIn } from '../words/search-words.ts';
import type { IndexState } from './index-state.ts';
import type { SessionSides } from './session-sides.ts';
import type { ViewFilter } from './view-filter.ts';

/**
 * The weight of a query word by the distance of the fact that contains it. Several neighbouring facts together often
 * answer a question.
 */
export const TOGETHER_WEIGHTS: readonly [number, ...number[]] = [1, 0.7, 0.4];

/** The greatest distance at which a word still counts. */
const REACH = TOGETHER_WEIGHTS.length - 1;
/** The number of slots of a fact's surroundings: the fact itself, and its neighbours on both sides. */
const PLACES = 1 + 2 * REACH;

/**
 * Returns those of the given facts that have neighbours in their sessions, each with the share of the query that it and
 * its neighbours contain together. Only facts that the view may find count as neighbours. Words have the weights of the
 * opened parts. `sides` must reach at least as far as the weights.
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

/** Groups the forms of each word, which have the same weight. */
const byWord = (terms: readonly QueryTerm[]): readonly Forms[] => {
  const words = new Map<number, Forms>();
  for (const term of terms) {
    const forms = words.get(term.word);
    if (forms === undefined) words.set(term.word, [term]);
    else forms.push(term);
  }
  return [...words.values()];
};

/** A fact with the documents around it, by slot; -1 for an empty slot. */
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

/** The documents around all facts, each once, and marks on those that hold the current word. */
class NearDocuments {
  /** Ascending, and shifted as postings are, so that the same search works on both. */
  readonly #documents: Uint32Array;
  readonly #isMarked: Uint8Array;
  /** For each slot of a fact's surroundings, the index of its document; -1 for an empty slot. */
  readonly #places: Int32Array;

  constructor(surroundings: readonly Int32Array[]) {
    const slots = surroundings.length * PLACES;
    this.#places = new Int32Array(slots).fill(-1);
    // Packs document and slot into one number, so that sorting brings equal documents together.
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

  /** Marks the documents of the list. Each of the two ascending lists skips ahead to the other's current document. */
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

  /** Returns the distance from a fact to the nearest marked document, or -1 if there is none. */
  nearestMark(fact: number): number {
    for (let at = 0; at < PLACES; at += 1) {
      const place = this.#places[fact * PLACES + at] as number;
      if (place >= 0 && this.#isMarked[place] === 1) return (at + 1) >> 1;
    }
    return -1;
  }
}
