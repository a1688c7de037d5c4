import { seek } from '../words/max-score.ts';
import { TIMES_BITS } from '../words/posting-lists.ts';
import { postingsOf } from '../words/postings-then.ts';
import { PART, SESSION } from './document-table.ts';
import type { IndexState } from './index-state.ts';
import type { ViewFilter } from './view-filter.ts';

/** The maximum number of facts outside the view that are skipped on one side. */
const MOST_PASSED = 256;

/** Documents before and after a document in its session, nearest first. */
export interface Sides {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/**
 * Finds the neighbours of documents in their sessions, among those that a view may find, over all opened parts. Looks
 * up each session and each document once.
 */
export class SessionSides {
  /** The maximum number of documents on each side. */
  readonly reach: number;
  readonly #state: IndexState;
  readonly #filter: ViewFilter;
  readonly #open: ReadonlySet<number>;
  /** The postings of each session in the opened parts. */
  readonly #sessions = new Map<string, readonly Uint32Array[]>();
  readonly #known = new Map<number, Sides>();

  constructor(state: IndexState, filter: ViewFilter, reach: number) {
    this.#state = state;
    this.#filter = filter;
    this.reach = reach;
    this.#open = new Set(filter.parts.map(({ number }) => number));
  }

  /** Returns the document of an identifier, or -1 if no opened part holds it or searches may not find it for now. */
  documentOf(tenantId: string, id: string): number {
    const document = this.#state.documentOf({ tenantId, id });
    if (document < 0 || document >= this.#filter.end || this.#state.withheld.has(document)) return -1;
    return this.#open.has(this.#state.documents.word(document, PART)) ? document : -1;
  }

  of(document: number): Sides {
    const known = this.#known.get(document);
    if (known !== undefined) return known;
    const lists = this.#listsOf(document);
    const sides = { before: this.#nearest(lists, document, -1), after: this.#nearest(lists, document, 1) };
    this.#known.set(document, sides);
    return sides;
  }

  #listsOf(document: number): readonly Uint32Array[] {
    const hi = this.#state.documents.word(document, SESSION);
    const lo = this.#state.documents.word(document, SESSION + 1);
    if (hi === 0 && lo === 0) return NO_SESSION;
    const key = `${hi}:${lo}`;
    const known = this.#sessions.get(key);
    if (known !== undefined) return known;
    const lists: Uint32Array[] = [];
    for (const { number } of this.#filter.parts) {
      const list = this.#state.lists.find(number, hi, lo);
      if (list >= 0) lists.push(postingsOf(this.#state, list, this.#filter));
    }
    this.#sessions.set(key, lists);
    return lists;
  }

  #nearest(lists: readonly Uint32Array[], document: number, direction: -1 | 1): readonly number[] {
    const found: number[] = [];
    for (const list of lists) {
      const from = direction < 0 ? seek(list, 0, document) - 1 : seek(list, 0, document + 1);
      this.#take(list, from, direction, found);
    }
    if (lists.length < 2) return found;
    return found.sort((a, b) => direction * (a - b)).slice(0, this.reach);
  }

  /** Adds the documents of one list, from an index on. */
  #take(list: Uint32Array, from: number, direction: -1 | 1, found: number[]): void {
    let taken = 0;
    let at = from;
    for (let step = 0; step < MOST_PASSED && taken < this.reach && at >= 0 && at < list.length; step += 1) {
      const other = (list[at] as number) >>> TIMES_BITS;
      at += direction;
      if (!this.#filter.accepts(other)) continue;
      found.push(other);
      taken += 1;
    }
  }
}

const NO_SESSION: readonly Uint32Array[] = [];
