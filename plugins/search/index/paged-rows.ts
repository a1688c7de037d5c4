/**
 * Rows of equal size in pages that are never moved, so that a table grows without copying what it holds. A row is read
 * as words of 32 bits and as doubles over the same bytes.
 */
export class PagedRows {
  readonly rowWords: number;
  readonly #words: Uint32Array[] = [];
  readonly #doubles: Float64Array[] = [];
  #count = 0;
  /** Rows below existed when the changes were last read. */
  #written = 0;
  readonly #changed = new Set<number>();

  /** `rowWords` is even, so that a double is never cut. */
  constructor(rowWords: number) {
    this.rowWords = rowWords;
  }

  get count(): number {
    return this.#count;
  }

  /** Adds a row of zeros and returns its number. */
  append(): number {
    const row = this.#count;
    if (row >>> PAGE_BITS === this.#words.length) this.#addPage();
    this.#count = row + 1;
    return row;
  }

  wordsOf(row: number): Uint32Array {
    return this.#words[row >>> PAGE_BITS] as Uint32Array;
  }

  doublesOf(row: number): Float64Array {
    return this.#doubles[row >>> PAGE_BITS] as Float64Array;
  }

  /** Where the row begins among the words of its page. */
  wordAt(row: number): number {
    return (row & PAGE_MASK) * this.rowWords;
  }

  /** Where the row begins among the doubles of its page. */
  doubleAt(row: number): number {
    return ((row & PAGE_MASK) * this.rowWords) / 2;
  }

  /** Says that a row has changed which may have been written down. */
  touch(row: number): void {
    if (row < this.#written) this.#changed.add(row);
  }

  /** How many rows there were at the last call of `takeChanged`. */
  get written(): number {
    return this.#written;
  }

  /** The rows that have changed of those that were there at the last call, ascending. */
  takeChanged(): number[] {
    const changed = [...this.#changed].sort((a, b) => a - b);
    this.#changed.clear();
    this.#written = this.#count;
    return changed;
  }

  /** The bytes of the rows from one up to another one, page by page; they change with the rows. */
  *bytes(from: number, to: number): Generator<Uint8Array> {
    for (let row = from; row < to; ) {
      const next = Math.min(to, (row | PAGE_MASK) + 1);
      yield this.#bytesOf(row, next);
      row = next;
    }
  }

  /** Appends so many rows as `bytes` gave them: `read` fills the bytes of a page, or of its rest. */
  async restore(count: number, read: (into: Uint8Array) => Promise<void>): Promise<void> {
    const end = this.#count + count;
    // One piece of memory for all of them: each one that is made may begin a collection of garbage.
    const missing = Math.ceil(end / PAGE_ROWS) - this.#words.length;
    const pageBytes = PAGE_ROWS * this.rowWords * 4;
    const buffer = new ArrayBuffer(missing * pageBytes);
    for (let page = 0; page < missing; page += 1) this.#addPage(buffer, page * pageBytes);
    while (this.#count < end) {
      const row = this.#count;
      const next = Math.min(end, (row | PAGE_MASK) + 1);
      await read(this.#bytesOf(row, next));
      this.#count = next;
    }
  }

  /** Rows of one page. */
  #bytesOf(from: number, to: number): Uint8Array {
    const rowBytes = this.rowWords * 4;
    const { buffer, byteOffset } = this.wordsOf(from);
    return new Uint8Array(buffer, byteOffset + (from & PAGE_MASK) * rowBytes, (to - from) * rowBytes);
  }

  #addPage(buffer = new ArrayBuffer(PAGE_ROWS * this.rowWords * 4), at = 0): void {
    this.#words.push(new Uint32Array(buffer, at, PAGE_ROWS * this.rowWords));
    this.#doubles.push(new Float64Array(buffer, at, (PAGE_ROWS * this.rowWords) / 2));
  }
}

const PAGE_BITS = 12;
const PAGE_ROWS = 1 << PAGE_BITS;
const PAGE_MASK = PAGE_ROWS - 1;
