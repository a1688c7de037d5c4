/**
 * Rows of equal size in pages that are never moved, so that a table grows without copying what it holds. A row is read
 * as words of 32 bits and as doubles over the same bytes.
 */
export class PagedRows {
  readonly rowWords: number;
  readonly #words: Uint32Array[] = [];
  readonly #doubles: Float64Array[] = [];
  #count = 0;

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
    if ((row & PAGE_MASK) === 0) this.#addPage();
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

  /** The bytes of the first `count` rows, page by page; they change with the rows. */
  *bytes(count: number): Generator<Uint8Array> {
    for (let row = 0; row < count; row += PAGE_ROWS) {
      const words = this.wordsOf(row);
      yield new Uint8Array(words.buffer, 0, Math.min(PAGE_ROWS, count - row) * this.rowWords * 4);
    }
  }

  /** Appends rows as `bytes` gave them, page by page, to an empty table. */
  async restore(count: number, read: () => Promise<Uint8Array>): Promise<void> {
    for (let row = 0; row < count; row += PAGE_ROWS) {
      const rows = Math.min(PAGE_ROWS, count - row);
      const bytes = await read();
      this.#addPage();
      new Uint8Array(this.wordsOf(row).buffer).set(bytes);
      this.#count += rows;
    }
  }

  #addPage(): void {
    const buffer = new ArrayBuffer(PAGE_ROWS * this.rowWords * 4);
    this.#words.push(new Uint32Array(buffer));
    this.#doubles.push(new Float64Array(buffer));
  }
}

const PAGE_BITS = 12;
const PAGE_ROWS = 1 << PAGE_BITS;
const PAGE_MASK = PAGE_ROWS - 1;
