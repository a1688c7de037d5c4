/**
 * Rows of equal size, in pages that never move, so that a table grows without copying its content. A row is readable as
 * 32-bit words and as doubles over the same bytes.
 */
export class PagedRows {
  readonly rowWords: number;
  readonly #words: Uint32Array[] = [];
  readonly #doubles: Float64Array[] = [];
  #count = 0;
  /** Rows below this number existed at the last call of `takeChanged`. */
  #written = 0;
  readonly #changed = new Set<number>();

  /** `rowWords` must be even, so that no double spans two rows. */
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

  /** Returns the offset of the row among the words of its page. */
  wordAt(row: number): number {
    return (row & PAGE_MASK) * this.rowWords;
  }

  /** Returns the offset of the row among the doubles of its page. */
  doubleAt(row: number): number {
    return ((row & PAGE_MASK) * this.rowWords) / 2;
  }

  /** Marks a row as changed since the last snapshot. */
  touch(row: number): void {
    if (row < this.#written) this.#changed.add(row);
  }

  /** The number of rows at the last call of `takeChanged`. */
  get written(): number {
    return this.#written;
  }

  /** Returns the rows changed since the last call, among those that existed then, ascending. */
  takeChanged(): number[] {
    const changed = [...this.#changed].sort((a, b) => a - b);
    this.#changed.clear();
    this.#written = this.#count;
    return changed;
  }

  /** Yields the bytes of the rows from `from` up to `to`, page by page, without copying them. */
  *bytes(from: number, to: number): Generator<Uint8Array> {
    for (let row = from; row < to; ) {
      const next = Math.min(to, (row | PAGE_MASK) + 1);
      yield this.#bytesOf(row, next);
      row = next;
    }
  }

  /** Appends rows from the output of `bytes`. `read` fills the bytes of a page, or of its rest. */
  async restore(count: number, read: (into: Uint8Array) => Promise<void>): Promise<void> {
    const end = this.#count + count;
    // One allocation serves all pages, because each allocation may start a garbage collection.
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

  /** Returns the bytes of consecutive rows of one page. */
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
