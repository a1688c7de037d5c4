import type { Hlc } from '../../../kernel/thread-api.ts';
import { PagedRows } from './paged-rows.ts';
import { SlotTable } from './slot-table.ts';
import { type Hash64, mix32 } from './text-hash.ts';

/** The number of the place outside gardens. Gardens are numbered from `FIRST_GARDEN` on. */
export const OUTSIDE_GARDENS = 0;
export const FIRST_GARDEN = 1;

/** The stamp of a cover, which ends facts with lower stamps, and the feed stamp from which the cover applies. */
export interface CoverStamps {
  readonly hlc: Hlc;
  readonly since: Hlc;
}

/** The facts that a cover ends: all of a triple and place, those of one speaker, or one named fact. */
export interface CoverKey {
  /** Tenant and scope. */
  readonly realm: number;
  readonly entity: Hash64;
  readonly relation: Hash64;
  readonly garden: number;
  /** The key of the only speaker whose facts end, or of a fact's name; zeros for the facts of all speakers. */
  readonly speaker: Hash64;
}

/** The newest cover of each key. It ends older facts even if they arrive after it, so older covers are not needed. */
export class CoverTable {
  readonly rows = new PagedRows(ROW_WORDS);
  readonly #table = new SlotTable();
  readonly #sought = new Uint32Array(KEY_WORDS);
  readonly #isSought = (row: number): boolean => {
    const words = this.rows.wordsOf(row);
    const at = this.rows.wordAt(row);
    for (let word = 0; word < KEY_WORDS; word += 1) if (words[at + word] !== this.#sought[word]) return false;
    return true;
  };

  /** Adds a cover. Ignores one that is older than the stored one. */
  raise(key: CoverKey, { hlc, since }: CoverStamps): void {
    let row = this.find(key);
    if (row < 0) {
      row = this.rows.append();
      this.rows.wordsOf(row).set(this.#sought, this.rows.wordAt(row));
      this.#table.add(this.#hash(), row);
    } else if (!this.#isNewer(row, hlc)) return;
    this.rows.touch(row);
    this.rows.doublesOf(row)[this.rows.doubleAt(row) + WALL] = hlc.wallMs;
    this.rows.wordsOf(row)[this.rows.wordAt(row) + COUNTER] = hlc.counter;
    this.rows.doublesOf(row)[this.rows.doubleAt(row) + SINCE_WALL] = since.wallMs;
    this.rows.wordsOf(row)[this.rows.wordAt(row) + SINCE_COUNTER] = since.counter;
  }

  /** Returns the row of the newest cover, or -1. */
  find({ realm, entity, relation, garden, speaker }: CoverKey): number {
    this.#sought[0] = entity.hi;
    this.#sought[1] = entity.lo;
    this.#sought[2] = relation.hi;
    this.#sought[3] = relation.lo;
    this.#sought[4] = realm;
    this.#sought[5] = garden;
    this.#sought[6] = speaker.hi;
    this.#sought[7] = speaker.lo;
    return this.#table.find(this.#hash(), this.#isSought);
  }

  wallOf(row: number): number {
    return this.rows.doublesOf(row)[this.rows.doubleAt(row) + WALL] as number;
  }

  counterOf(row: number): number {
    return this.rows.wordsOf(row)[this.rows.wordAt(row) + COUNTER] as number;
  }

  /** The feed stamp from which the cover holds. */
  sinceOf(row: number): Hlc {
    return {
      wallMs: this.rows.doublesOf(row)[this.rows.doubleAt(row) + SINCE_WALL] as number,
      counter: this.rows.wordsOf(row)[this.rows.wordAt(row) + SINCE_COUNTER] as number,
    };
  }

  /** Rebuilds the hash table of restored rows. */
  restoreKeys(): void {
    this.#table.reserve(this.rows.count);
    for (let row = 0; row < this.rows.count; row += 1) {
      const at = this.rows.wordAt(row);
      this.#sought.set(this.rows.wordsOf(row).subarray(at, at + KEY_WORDS));
      this.#table.add(this.#hash(), row);
    }
  }

  #isNewer(row: number, hlc: Hlc): boolean {
    const wall = this.wallOf(row);
    return hlc.wallMs > wall || (hlc.wallMs === wall && hlc.counter > this.counterOf(row));
  }

  #hash(): number {
    let hash = 0;
    for (let word = 0; word < KEY_WORDS; word += 1) hash = mix32(hash ^ (this.#sought[word] as number));
    return hash >>> 0;
  }
}

const KEY_WORDS = 8;
const COUNTER = 8;
const SINCE_COUNTER = 9;
const WALL = 5;
const SINCE_WALL = 6;
const ROW_WORDS = 14;
