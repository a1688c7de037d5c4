import { loadScanner, type Scanner } from './load-scanner.ts';
import { type PackedRow, pack, unpack } from './packed-row.ts';

/**
 * Rows stored one after another at one address: first the signs, then the sizes of the components, the scales, and a
 * bit for each used row.
 */
export interface Block {
  readonly address: number;
  readonly size: number;
  /** Ordinal of the first row. */
  readonly base: number;
}

export const LARGEST_BLOCK = 1_024;

const PAGE = 65_536;
const MOST_PAGES = 65_535;
const MOST_BYTES = MOST_PAGES * PAGE;
/**
 * Memory grows by at least this many pages, and by at least a quarter, because each growth creates new views. Pages
 * that were never written take no memory.
 */
const GROWTH_PAGES = 16;
const GROWTH = 0.25;
const ROW_UNIT = 16;
/** The number of components whose sizes fill one unit of a row. */
const SIZES_PER_UNIT = 4 * ROW_UNIT;

/** The number of components of a stored code, with padding. */
export const rowLength = (dimensions: number): number => roundUp(dimensions, SIZES_PER_UNIT);
const MASK_BYTES = LARGEST_BLOCK / 8;

/**
 * The memory of the code scanner, cut into blocks, and the scanner's functions on them. All rows have the same number
 * of dimensions.
 */
export class CodeMemory {
  readonly dimensions: number;
  /** The number of components of one row, with padding. */
  readonly rowComponents: number;
  /** The number of bytes of one row of sizes, and of signs. */
  readonly #rowSizes: number;
  readonly #rowSigns: number;
  readonly #scanner: Scanner;
  readonly #spare = new Map<number, number[]>();
  #views: Views;
  #end = ROW_UNIT;
  /** Addresses of the buffers that a search uses. */
  readonly #signs: number;
  readonly #components: number;
  readonly #mask: number;
  readonly #histogram: number;
  #list: Area = { address: 0, capacity: 0 };
  #blocks: Area = { address: 0, capacity: 0 };

  /** Throws if the code scanner is missing or belongs to another build. */
  constructor(dimensions: number, load?: () => Uint8Array) {
    this.#scanner = loadScanner(load);
    this.#views = viewsOf(this.#scanner.memory);
    this.dimensions = dimensions;
    this.rowComponents = rowLength(dimensions);
    this.#rowSizes = this.rowComponents / 4;
    this.#rowSigns = roundUp(Math.ceil(dimensions / 8), ROW_UNIT);
    this.#signs = this.#take(this.#rowSigns);
    this.#components = this.#take(this.rowComponents * 2);
    this.#mask = this.#take(MASK_BYTES);
    this.#histogram = this.#take((this.#rowSigns * 8 + 1) * 4);
  }

  get bytes(): number {
    return this.#scanner.memory.buffer.byteLength;
  }

  /** Returns the number of bytes of a whole block. */
  blockBytes(size: number): number {
    return size * (this.#rowSigns + this.#rowSizes + 4) + roundUp(maskWords(size) * 4, ROW_UNIT);
  }

  /**
   * Grows once for blocks of this many bytes in all, if there is room, because each growth makes V8 collect garbage.
   */
  reserve(bytes: number): void {
    this.#grow(Math.min(MOST_BYTES, this.#end + bytes));
  }

  /**
   * Returns the address of a block for this many rows, none of them in use. Throws a RangeError if 4 GiB are not
   * enough.
   */
  allocate(size: number): number {
    const used = this.#spare.get(size)?.pop();
    if (used === undefined) return this.#take(this.blockBytes(size));
    this.#views.bytes.fill(0, used, used + this.blockBytes(size));
    return used;
  }

  /** Frees a block for reuse by others of its size. */
  free({ address, size }: Place): void {
    const ofSize = this.#spare.get(size);
    if (ofSize === undefined) this.#spare.set(size, [address]);
    else ofSize.push(address);
  }

  write(block: Block, row: number, code: Int8Array, scale: number): void {
    const { scales, words } = this.#views;
    pack(code, this.#packedRow(block, row));
    scales[this.#scaleOf(block, row)] = scale;
    const word = this.#liveWord(block, row);
    words[word] = (words[word] as number) | (1 << (row & 31));
  }

  isLive(block: Block, row: number): boolean {
    return ((this.#views.words[this.#liveWord(block, row)] as number) >>> (row & 31)) % 2 === 1;
  }

  read(block: Block, row: number): { code: Int8Array; scale: number } | undefined {
    if (!this.isLive(block, row)) return undefined;
    const scale = this.#views.scales[this.#scaleOf(block, row)] as number;
    return { code: unpack(this.#packedRow(block, row), this.dimensions), scale };
  }

  /** Marks a row as unused. Returns false if it was unused already. */
  drop(block: Block, row: number): boolean {
    const was = this.isLive(block, row);
    const { words } = this.#views;
    const word = this.#liveWord(block, row);
    words[word] = (words[word] as number) & ~(1 << (row & 31));
    return was;
  }

  /** Returns the bytes of a whole block without copying. They are valid until memory grows or the block changes. */
  bytesOf({ address, size }: Place): Uint8Array {
    return this.#views.bytes.subarray(address, address + this.blockBytes(size));
  }

  /** Returns the number of used rows of a block. */
  liveIn(block: Block): number {
    const { words } = this.#views;
    const from = this.#liveOf(block) / 4;
    return words.subarray(from, from + maskWords(block.size)).reduce((sum, word) => sum + bitsOf(word), 0);
  }

  /** Starts a search over at most `capacity` blocks. */
  begin(components: Int16Array, wanted: number, capacity: number, blocks: number): void {
    this.#list = this.#roomFor(this.#list, capacity, 8);
    this.#blocks = this.#roomFor(this.#blocks, blocks, 8);
    const { bytes } = this.#views;
    bytes.fill(0, this.#signs, this.#signs + this.#rowSigns);
    for (let at = 0; at < components.length; at += 1) {
      if ((components[at] as number) >= 0) continue;
      const place = this.#signs + (at >>> 3);
      bytes[place] = (bytes[place] as number) | (1 << (at & 7));
    }
    this.#views.components.set(components, this.#components / 2);
    this.#scanner.begin(this.#signs, this.#rowSigns / 8, this.#list.address, capacity, wanted, this.#histogram);
  }

  /**
   * Scans one block. `number` identifies it in the tags of its candidates. Returns false if the block has no accepted
   * row.
   */
  scan(block: Block, accepts: Uint32Array | undefined, number: number): boolean {
    const { words } = this.#views;
    if (accepts !== undefined && !copyMask(accepts, block, words, this.#mask / 4)) return false;
    const place = this.#blocks.address / 4 + number * 2;
    words[place] = block.address;
    words[place + 1] = this.#sizesOf(block, 0);
    const mask = accepts === undefined ? 0 : this.#mask;
    this.#scanner.scan(block.address, this.#liveOf(block), mask, maskWords(block.size), number * LARGEST_BLOCK);
    return true;
  }

  /** Ends the scan and returns the number of candidates. */
  finish(): number {
    const count = this.#scanner.finish();
    this.#scanner.score(this.#blocks.address, this.#components, this.rowComponents);
    return count;
  }

  /** The tag of a candidate: the number of its block times the size of the largest block, plus its row. */
  tagOf(at: number): number {
    return this.#views.words[this.#list.address / 4 + at * 2 + 1] as number;
  }

  /** The scale of the candidate's row, times its integer product with the query. */
  product(at: number, block: Place, row: number): number {
    const { products, scales } = this.#views;
    return (products[this.#list.address / 4 + at * 2] as number) * (scales[this.#scaleOf(block, row)] as number);
  }

  /** Allocates memory that is filled with zeros. */
  #take(length: number): number {
    const address = this.#end;
    const past = address + roundUp(length, ROW_UNIT);
    if (past > MOST_BYTES) throw new RangeError('the vectors do not fit into 4 GiB of memory');
    const bytes = this.bytes;
    if (past > bytes) this.#grow(Math.max(past, bytes + Math.max(GROWTH_PAGES * PAGE, bytes * GROWTH)));
    this.#end = past;
    return address;
  }

  #grow(bytes: number): void {
    const { memory } = this.#scanner;
    const pages = memory.buffer.byteLength / PAGE;
    const missing = Math.min(MOST_PAGES, Math.ceil(bytes / PAGE)) - pages;
    if (missing <= 0) return;
    memory.grow(missing);
    this.#views = viewsOf(memory);
  }

  /**
   * Returns an area for this many entries. The memory cannot free an outgrown area. So capacities are powers of two,
   * and all earlier areas together are smaller than the present one.
   */
  #roomFor(area: Area, needed: number, entryBytes: number): Area {
    if (needed <= area.capacity) return area;
    const capacity = 2 ** Math.ceil(Math.log2(needed));
    return { address: this.#take(capacity * entryBytes), capacity };
  }

  #packedRow(block: Place, row: number): PackedRow {
    const { bytes } = this.#views;
    const [signs, sizes] = [block.address + row * this.#rowSigns, this.#sizesOf(block, row)];
    return {
      signs: bytes.subarray(signs, signs + this.#rowSigns),
      sizes: bytes.subarray(sizes, sizes + this.#rowSizes),
    };
  }

  #sizesOf({ address, size }: Place, row: number): number {
    return address + size * this.#rowSigns + row * this.#rowSizes;
  }

  #scaleOf({ address, size }: Place, row: number): number {
    return (address + size * (this.#rowSigns + this.#rowSizes)) / 4 + row;
  }

  #liveOf({ address, size }: Place): number {
    return address + size * (this.#rowSigns + this.#rowSizes + 4);
  }

  #liveWord(block: Place, row: number): number {
    return this.#liveOf(block) / 4 + (row >>> 5);
  }
}

type Place = Pick<Block, 'address' | 'size'>;

/** A memory area for a number of entries. */
interface Area {
  readonly address: number;
  readonly capacity: number;
}

const roundUp = (length: number, unit: number): number => Math.ceil(length / unit) * unit;
const maskWords = (size: number): number => Math.ceil(size / 32);

type Views = ReturnType<typeof viewsOf>;

const viewsOf = ({ buffer }: Scanner['memory']) => ({
  bytes: new Uint8Array(buffer),
  components: new Int16Array(buffer),
  words: new Uint32Array(buffer),
  products: new Int32Array(buffer),
  scales: new Float32Array(buffer),
});

/**
 * Copies the row bits of a block to the scanner's input. Returns false if no bit is set. Blocks of less than 32 rows
 * lie inside one word.
 */
const copyMask = (accepts: Uint32Array, { base, size }: Block, words: Uint32Array, to: number): boolean => {
  let any = 0;
  for (let word = 0; word < maskWords(size); word++) {
    const bits = ((accepts[(base >>> 5) + word] ?? 0) >>> (base & 31)) & (size < 32 ? (1 << size) - 1 : -1);
    words[to + word] = bits;
    any |= bits;
  }
  return any !== 0;
};

const bitsOf = (word: number): number => {
  let count = 0;
  for (let left = word; left !== 0; left &= left - 1) count++;
  return count;
};
