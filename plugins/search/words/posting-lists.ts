import { SlotTable } from '../index/slot-table.ts';
import { mix32 } from '../index/text-hash.ts';
import { LARGEST_CLASS, LARGEST_RUN, offsetOf, PostingArena } from './posting-arena.ts';

/**
 * Lists of documents in ascending order, each under a key of a part: the occurrences of a term, or the facts of a
 * session. A posting holds the document number and the term's count in it, in 32 bits. Short lists share an arena, and
 * long ones own an array. Additions append in place, so that the very next query finds a document, without rebuilds or
 * merges.
 */
export class PostingLists {
  readonly #table = new SlotTable();
  readonly #arena = new PostingArena();
  readonly #long: Uint32Array[] = [];
  readonly #headers: Uint32Array[] = [];
  #count = 0;
  #soughtPart = 0;
  #soughtHi = 0;
  #soughtLo = 0;
  readonly #isSought = (list: number): boolean => {
    const header = this.#headers[list >>> HEADER_BITS] as Uint32Array;
    const at = (list & HEADER_MASK) * HEADER;
    return (
      header[at + LO] === this.#soughtLo && header[at + HI] === this.#soughtHi && header[at + PART] === this.#soughtPart
    );
  };

  get count(): number {
    return this.#count;
  }

  /** Returns the list under a key, or -1. */
  find(part: number, hi: number, lo: number): number {
    this.#soughtPart = part;
    this.#soughtHi = hi;
    this.#soughtLo = lo;
    return this.#table.find(slotHash(part, hi, lo), this.#isSought);
  }

  /**
   * Appends a document to the list under a key, and creates the list if it is missing. Documents come in ascending
   * order.
   */
  add(part: number, hi: number, lo: number, document: number, times: number, norm: number): void {
    let list = this.find(part, hi, lo);
    if (list < 0) list = this.#create(part, hi, lo);
    this.append(list, document * TIMES_RANGE + Math.min(times, MOST_TIMES), norm);
  }

  /** Appends a packed posting. */
  append(list: number, posting: number, norm: number): void {
    const header = this.#headers[list >>> HEADER_BITS] as Uint32Array;
    const at = (list & HEADER_MASK) * HEADER;
    const length = header[at + LENGTH] as number;
    this.#makeRoom(header, at, length);
    const start = header[at + START] as number;
    const bounds = header[at + BOUNDS] as number;
    if ((bounds & 0xff) > LARGEST_CLASS) (this.#long[start] as Uint32Array)[length] = posting;
    else this.#arena.pageOf(start)[offsetOf(start) + length] = posting;
    header[at + LENGTH] = length + 1;
    const times = posting & MOST_TIMES;
    if (times > bounds >>> 8) header[at + BOUNDS] = (bounds & 0xff) | (times << 8);
    const shift = shortestShift(times);
    const shortest = header[at + SHORTEST] as number;
    if (norm < ((shortest >>> shift) & 0xff)) header[at + SHORTEST] = (shortest & ~(0xff << shift)) | (norm << shift);
  }

  lengthOf(list: number): number {
    return this.#memberOf(list, LENGTH);
  }

  /** Returns the last posting; 0 for an empty list. */
  lastOf(list: number): number {
    const header = this.#headers[list >>> HEADER_BITS] as Uint32Array;
    const at = (list & HEADER_MASK) * HEADER;
    const start = header[at + START] as number;
    const last = (header[at + LENGTH] as number) - 1;
    if (last < 0) return 0;
    if (((header[at + BOUNDS] as number) & 0xff) > LARGEST_CLASS)
      return (this.#long[start] as Uint32Array)[last] as number;
    return this.#arena.pageOf(start)[offsetOf(start) + last] as number;
  }

  /** Returns the present postings; later ones are appended outside of this view. */
  postingsOf(list: number): Uint32Array {
    const header = this.#headers[list >>> HEADER_BITS] as Uint32Array;
    const at = (list & HEADER_MASK) * HEADER;
    const start = header[at + START] as number;
    const length = header[at + LENGTH] as number;
    if (((header[at + BOUNDS] as number) & 0xff) > LARGEST_CLASS) {
      return (this.#long[start] as Uint32Array).subarray(0, length);
    }
    return this.#arena.pageOf(start).subarray(offsetOf(start), offsetOf(start) + length);
  }

  /** Returns the highest count of the term in one document. */
  mostTimesOf(list: number): number {
    return this.#memberOf(list, BOUNDS) >>> 8;
  }

  /**
   * Returns the norms of the shortest documents in which the term occurs once, twice, three times and more often: 8
   * bits each, the first ones lowest.
   */
  shortestOf(list: number): number {
    return this.#memberOf(list, SHORTEST);
  }

  /** Returns the part and the key of a list, for snapshots. */
  keyOf(list: number): ListKey {
    const header = this.#headers[list >>> HEADER_BITS] as Uint32Array;
    const at = (list & HEADER_MASK) * HEADER;
    return { part: header[at + PART] as number, hi: header[at + HI] as number, lo: header[at + LO] as number };
  }

  /** Reserves room for this many lists in an empty table. */
  reserve(count: number): void {
    this.#table.reserve(count);
    const pages = new Uint32Array(Math.ceil(count / (HEADER_MASK + 1)) * HEADER_PAGE);
    for (let at = 0; at < pages.length; at += HEADER_PAGE) this.#headers.push(pages.subarray(at, at + HEADER_PAGE));
  }

  /**
   * Restores a list from a snapshot: its postings are the words from `from` up to `to`. The key must be new, and the
   * postings ascending.
   */
  restore(key: ListKey, bounds: ListBounds, words: Uint32Array, from: number, to: number): void {
    const list = this.#create(key.part, key.hi, key.lo);
    const header = this.#headers[list >>> HEADER_BITS] as Uint32Array;
    const at = (list & HEADER_MASK) * HEADER;
    const length = to - from;
    const sizeClass = length > LARGEST_RUN ? LONG : length <= 1 ? 0 : 32 - Math.clz32(length - 1);
    if (sizeClass > 0) this.#arena.release(header[at + START] as number, 0);
    if (sizeClass === LONG) {
      // Leaves the usual room for further postings; longer lists are reallocated.
      const own = new Uint32Array(length + (length >>> SPARE_SHIFT));
      own.set(words.subarray(from, to));
      header[at + START] = this.#long.push(own) - 1;
    } else {
      if (sizeClass > 0) header[at + START] = this.#arena.allocate(sizeClass);
      const start = header[at + START] as number;
      const page = this.#arena.pageOf(start);
      const offset = offsetOf(start) - from;
      for (let place = from; place < to; place += 1) page[offset + place] = words[place] as number;
    }
    header[at + LENGTH] = length;
    header[at + BOUNDS] = sizeClass | (bounds.mostTimes << 8);
    header[at + SHORTEST] = bounds.shortest;
  }

  /** Appends the postings of a later snapshot segment to a list. */
  extend(list: number, { mostTimes, shortest }: ListBounds, words: Uint32Array, from: number, to: number): void {
    for (let place = from; place < to; place += 1) this.append(list, words[place] as number, LONGEST_NORM);
    const header = this.#headers[list >>> HEADER_BITS] as Uint32Array;
    const at = (list & HEADER_MASK) * HEADER;
    header[at + BOUNDS] = ((header[at + BOUNDS] as number) & 0xff) | (mostTimes << 8);
    header[at + SHORTEST] = shortest;
  }

  #create(part: number, hi: number, lo: number): number {
    const list = this.#count;
    if (list >>> HEADER_BITS === this.#headers.length) this.#headers.push(new Uint32Array(HEADER_PAGE));
    const header = this.#headers[list >>> HEADER_BITS] as Uint32Array;
    const at = (list & HEADER_MASK) * HEADER;
    header[at + HI] = hi;
    header[at + LO] = lo;
    header[at + PART] = part;
    header[at + START] = this.#arena.allocate(0);
    header[at + SHORTEST] = 0xffffffff;
    this.#count = list + 1;
    this.#table.add(slotHash(part, hi, lo), list);
    return list;
  }

  #makeRoom(header: Uint32Array, at: number, length: number): void {
    const sizeClass = (header[at + BOUNDS] as number) & 0xff;
    const start = header[at + START] as number;
    if (sizeClass === LONG) {
      const own = this.#long[start] as Uint32Array;
      if (length < own.length) return;
      const larger = new Uint32Array(Math.ceil(length * (length < LARGE_LIST ? 1.5 : 1.25)));
      larger.set(own);
      this.#long[start] = larger;
      return;
    }
    if (length < 1 << sizeClass) return;
    const page = this.#arena.pageOf(start);
    const from = offsetOf(start);
    let target: Uint32Array;
    let to = 0;
    if (sizeClass === LARGEST_CLASS) {
      target = new Uint32Array(LARGEST_RUN * 2);
      header[at + START] = this.#long.push(target) - 1;
    } else {
      const larger = this.#arena.allocate(sizeClass + 1);
      target = this.#arena.pageOf(larger);
      to = offsetOf(larger);
      header[at + START] = larger;
    }
    for (let place = 0; place < length; place += 1) target[to + place] = page[from + place] as number;
    header[at + BOUNDS] = (header[at + BOUNDS] as number) + 1;
    this.#arena.release(start, sizeClass);
  }

  #memberOf(list: number, member: number): number {
    return (this.#headers[list >>> HEADER_BITS] as Uint32Array)[(list & HEADER_MASK) * HEADER + member] as number;
  }
}

/** The part of a list, and its key in that part. */
export interface ListKey {
  readonly part: number;
  readonly hi: number;
  readonly lo: number;
}

/** Bounds of the postings of a list: see `mostTimesOf` and `shortestOf`. */
export interface ListBounds {
  readonly mostTimes: number;
  readonly shortest: number;
}

/** The number of bits of a posting for the count of the term; the other bits hold the document. */
export const TIMES_BITS = 5;
export const MOST_TIMES = (1 << TIMES_BITS) - 1;
const TIMES_RANGE = 1 << TIMES_BITS;
/** The number of documents that the postings of one index can name. */
export const MOST_DOCUMENTS = 2 ** (32 - TIMES_BITS);

const LONG = LARGEST_CLASS + 1;
const LARGE_LIST = 4_096;
/** The spare room of a list, as a shift: a sixteenth of its length. */
const SPARE_SHIFT = 4;
/** The norm of a list without documents, which changes no bound. */
const LONGEST_NORM = 0xff;

/** The number of term counts with a shortest norm of their own; the last one stands for all higher counts. */
export const TOLD_APART = 4;
const shortestShift = (times: number): number => (times < TOLD_APART ? Math.max(times, 1) - 1 : TOLD_APART - 1) * 8;

/** Members of a header, 32 bits each. `BOUNDS` holds the size class and, above 8 bits, the highest count. */
const HI = 0;
const LO = 1;
const PART = 2;
const START = 3;
const LENGTH = 4;
const BOUNDS = 5;
const SHORTEST = 6;
const HEADER = 7;
const HEADER_BITS = 12;
const HEADER_MASK = (1 << HEADER_BITS) - 1;
const HEADER_PAGE = HEADER << HEADER_BITS;

const slotHash = (part: number, hi: number, lo: number): number =>
  mix32(hi ^ Math.imul(part + 1, 0x9e3779b1) ^ lo) >>> 0;
