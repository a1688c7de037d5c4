import { compareHlc, type Hlc } from '../../../kernel/thread-api.ts';
import { IdTable } from './id-table.ts';
import { PagedRows } from './paged-rows.ts';

/**
 * Times-to-live of facts of all tenants, by tenant number, even for facts that the index does not know. The newest one
 * of a fact counts; of two with the same stamp, the earlier end.
 */
export class LifetimeTable {
  readonly rows = new PagedRows(ROW_WORDS);
  /** Replaced times-to-live. Those of a fact form a chain, the newest first. */
  readonly formers = new PagedRows(FORMER_WORDS);
  readonly ids: IdTable;

  constructor(seed: number) {
    this.ids = new IdTable(
      this.rows,
      ID,
      seed,
      (row) => this.rows.wordsOf(row)[this.rows.wordAt(row) + TENANT] as number,
    );
  }

  /** Stores a time-to-live. Returns true if it now counts for the fact. */
  set(tenant: number, factId: string, { expiresMs, hlc, since }: Lifetime): boolean {
    let row = this.ids.find(tenant, factId);
    if (row < 0) {
      row = this.rows.append();
      this.rows.wordsOf(row)[this.rows.wordAt(row) + TENANT] = tenant;
      this.ids.add(factId, row);
      this.#write(row, LIMIT, Number.POSITIVE_INFINITY);
    } else if (!this.#isNewer(row, expiresMs, hlc)) return false;
    this.#write(row, EXPIRES, expiresMs);
    this.#write(row, WALL, hlc.wallMs);
    this.rows.wordsOf(row)[this.rows.wordAt(row) + COUNTER] = hlc.counter;
    this.#write(row, SINCE_WALL, since.wallMs);
    this.rows.wordsOf(row)[this.rows.wordAt(row) + SINCE_COUNTER] = since.counter;
    return true;
  }

  /** Keeps a replaced time-to-live. Those of a fact come oldest first; one that is not newer is already known. */
  keepFormer(tenant: number, factId: string, expiresMs: number, since: Hlc): void {
    const row = this.ids.find(tenant, factId);
    const next = this.rows.wordsOf(row)[this.rows.wordAt(row) + FORMER] as number;
    if (next > 0 && compareHlc(this.#formerSince(next), since) >= 0) return;
    const former = this.formers.append();
    const doubles = this.formers.doublesOf(former);
    doubles[this.formers.doubleAt(former) + EXPIRES] = expiresMs;
    doubles[this.formers.doubleAt(former) + FORMER_SINCE_WALL] = since.wallMs;
    const words = this.formers.wordsOf(former);
    words[this.formers.wordAt(former) + FORMER_SINCE_COUNTER] = since.counter;
    words[this.formers.wordAt(former) + NEXT] = next;
    words[this.formers.wordAt(former) + JUMP] = this.#jumpFrom(next);
    words[this.formers.wordAt(former) + DEPTH] = this.#formerWord(next, DEPTH) + 1;
    this.rows.touch(row);
    this.rows.wordsOf(row)[this.rows.wordAt(row) + FORMER] = former + 1;
  }

  /** True if the fact's time-to-live replaced another one. */
  isReplacing(tenant: number, factId: string): boolean {
    const row = this.ids.find(tenant, factId);
    return this.rows.wordsOf(row)[this.rows.wordAt(row) + FORMER] !== 0;
  }

  /** Returns the expiry of a fact as known at a past moment. */
  expiryAt(tenant: number, factId: string, asOf: Hlc): number {
    const row = this.ids.find(tenant, factId);
    if (row < 0) return Number.POSITIVE_INFINITY;
    const limitMs = this.#read(row, LIMIT);
    const since = {
      wallMs: this.#read(row, SINCE_WALL),
      counter: this.rows.wordsOf(row)[this.rows.wordAt(row) + SINCE_COUNTER] as number,
    };
    if (compareHlc(since, asOf) <= 0) return Math.min(limitMs, this.#read(row, EXPIRES));
    let next = this.rows.wordsOf(row)[this.rows.wordAt(row) + FORMER] as number;
    while (next > 0 && compareHlc(this.#formerSince(next), asOf) > 0) {
      const jump = this.#formerWord(next, JUMP);
      const isPast = jump > 0 && compareHlc(this.#formerSince(jump), asOf) > 0;
      next = isPast ? jump : this.#formerWord(next, NEXT);
    }
    if (next === 0) return limitMs;
    const expiresMs = this.formers.doublesOf(next - 1)[this.formers.doubleAt(next - 1) + EXPIRES] as number;
    return Math.min(limitMs, expiresMs);
  }

  /** True if the fact was already over when its time-to-live was set. */
  isLate(tenant: number, factId: string): boolean {
    const row = this.ids.find(tenant, factId);
    return this.#read(row, EXPIRES) <= this.#read(row, SINCE_WALL);
  }

  /** The expiry by the fact's time-to-live in milliseconds; `Infinity` without one. */
  expiryOf(tenant: number, factId: string): number {
    if (this.rows.count === 0) return Number.POSITIVE_INFINITY;
    const row = this.ids.find(tenant, factId);
    return row < 0 ? Number.POSITIVE_INFINITY : this.#read(row, EXPIRES);
  }

  /** The fact's own expiry, which bounds its time-to-live. Stored only for facts that have one. */
  limitOf(tenant: number, factId: string): number {
    return this.#read(this.ids.find(tenant, factId), LIMIT);
  }

  setLimit(tenant: number, factId: string, limitMs: number): void {
    this.#write(this.ids.find(tenant, factId), LIMIT, limitMs);
  }

  /** Returns how far the successor of `next` jumps back, so that a search takes logarithmically many steps. */
  #jumpFrom(next: number): number {
    const jump = this.#formerWord(next, JUMP);
    const further = this.#formerWord(jump, JUMP);
    const depth = (place: number): number => this.#formerWord(place, DEPTH);
    return depth(next) - depth(jump) === depth(jump) - depth(further) ? further : next;
  }

  /** Reads a word of a replaced time-to-live by its number plus one; 0 for none. */
  #formerWord(place: number, member: number): number {
    return place === 0 ? 0 : (this.formers.wordsOf(place - 1)[this.formers.wordAt(place - 1) + member] as number);
  }

  #formerSince(place: number): Hlc {
    const wallMs = this.formers.doublesOf(place - 1)[this.formers.doubleAt(place - 1) + FORMER_SINCE_WALL] as number;
    return { wallMs, counter: this.#formerWord(place, FORMER_SINCE_COUNTER) };
  }

  #isNewer(row: number, expiresMs: number, hlc: Hlc): boolean {
    const byStamp =
      hlc.wallMs - this.#read(row, WALL) ||
      hlc.counter - (this.rows.wordsOf(row)[this.rows.wordAt(row) + COUNTER] as number);
    return byStamp === 0 ? expiresMs < this.#read(row, EXPIRES) : byStamp > 0;
  }

  #read(row: number, member: number): number {
    return this.rows.doublesOf(row)[this.rows.doubleAt(row) + member] as number;
  }

  #write(row: number, member: number, value: number): void {
    this.rows.touch(row);
    this.rows.doublesOf(row)[this.rows.doubleAt(row) + member] = value;
  }
}

/** A time-to-live from the feed. */
export interface Lifetime {
  readonly expiresMs: number;
  /** The stamp of the fact that set it. */
  readonly hlc: Hlc;
  /** The feed stamp from which it holds. */
  readonly since: Hlc;
}

const EXPIRES = 0;
const LIMIT = 1;
const WALL = 2;
const COUNTER = 6;
const ID = 7;
const TENANT = 11;
const SINCE_COUNTER = 12;
/** Number of the newest replaced time-to-live, plus one; 0 for none. */
const FORMER = 13;
const SINCE_WALL = 7;
const ROW_WORDS = 16;
const FORMER_SINCE_WALL = 1;
const FORMER_SINCE_COUNTER = 4;
/** Number of the replaced time-to-live before, plus one; 0 for none. */
const NEXT = 5;
/** Number of an older one, plus one; 0 for none. See `#jumpFrom`. */
const JUMP = 6;
/** The number of replaced times-to-live of the fact up to this one. */
const DEPTH = 7;
const FORMER_WORDS = 8;
