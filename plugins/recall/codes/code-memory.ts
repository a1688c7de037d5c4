import { type Kernel, loadKernel } from './load-kernel.ts';

/** Rows that share an address; their signs come first, then codes, scales, and a bit for each row that is in use. */
export interface Block {
  readonly address: number;
  readonly size: number;
  /** Ordinal of its first row. */
  readonly base: number;
}

/** The memory of the scan kernel, cut into blocks, and the kernel's functions on them. Rows are those of one number of dimensions. */
export interface CodeMemory {
  readonly dimensions: number;
  /** Bytes of a row of codes. */
  readonly rowCodes: number;
  readonly bytes: number;
  /** Address of a block for so many rows, none of them in use. Throws a RangeError when 4 GiB are not enough. */
  allocate(size: number): number;
  /** Gives a block back for others of its size. */
  free(block: Pick<Block, 'address' | 'size'>): void;
  write(block: Block, row: number, code: Int8Array, scale: number): void;
  isLive(block: Block, row: number): boolean;
  read(block: Block, row: number): { code: Int8Array; scale: number } | undefined;
  /** Takes a row out of use; false when it was not in use. */
  drop(block: Block, row: number): boolean;
  /** Bytes of a whole block, and how to put them back, which answers the number of rows in use. */
  dump(block: Block): Uint8Array;
  load(block: Block, dumped: Uint8Array): number;
  blockBytes(size: number): number;
  /** Starts a search over at most so many blocks. */
  begin(components: Int16Array, wanted: number, capacity: number, blocks: number): void;
  /** Scans one block under a number of the caller's; false when nothing in it is accepted. */
  scan(block: Block, accepts: Uint32Array | undefined, number: number): boolean;
  /** How many candidates there are. */
  finish(): number;
  /** Number of a candidate's block times the size of the largest block, plus its row. */
  tagOf(at: number): number;
  /** Scale of the candidate's row × integer product with the query. */
  product(at: number, block: Pick<Block, 'address' | 'size'>, row: number): number;
}

export const LARGEST_BLOCK = 1_024;

const PAGE = 65_536;
const MOST_BYTES = 65_535 * PAGE;
/** Memory grows by this much at least: each growth makes all views anew. */
const GROWTH_PAGES = 16;
const ROW_UNIT = 16;
const MASK_BYTES = LARGEST_BLOCK / 8;

export const createCodeMemory = (dimensions: number, load?: () => Uint8Array): CodeMemory => {
  const kernel = loadKernel(load);
  const rowCodes = roundUp(dimensions, ROW_UNIT);
  const rowSigns = roundUp(Math.ceil(dimensions / 8), ROW_UNIT);
  const rowBits = rowSigns * 8;
  let views = viewsOf(kernel.memory);
  let end = ROW_UNIT;
  const spare = new Map<number, number[]>();

  const take = (length: number): number => {
    const address = end;
    const past = address + roundUp(length, ROW_UNIT);
    if (past > MOST_BYTES) throw new RangeError('the vectors do not fit into 4 GiB of memory');
    const missing = Math.ceil((past - kernel.memory.buffer.byteLength) / PAGE);
    if (missing > 0) {
      const room = (MOST_BYTES - kernel.memory.buffer.byteLength) / PAGE;
      kernel.memory.grow(Math.min(room, Math.max(missing, GROWTH_PAGES)));
      views = viewsOf(kernel.memory);
    }
    end = past;
    return address;
  };
  const signsAt = take(rowSigns);
  const componentsAt = take(rowCodes * 2);
  const maskAt = take(MASK_BYTES);
  const histogramAt = take((rowBits + 1) * 4);
  let listAt = 0;
  let listCapacity = 0;
  let blocksAt = 0;
  let blocksCapacity = 0;

  const codesOf = (block: Pick<Block, 'address' | 'size'>, row: number): number =>
    block.address + block.size * rowSigns + row * rowCodes;
  const scaleOf = ({ address, size }: Pick<Block, 'address' | 'size'>, row: number): number =>
    (address + size * (rowSigns + rowCodes)) / 4 + row;
  const liveOf = ({ address, size }: Pick<Block, 'address' | 'size'>): number =>
    address + size * (rowSigns + rowCodes + 4);
  const liveWord = (block: Block, row: number): number => liveOf(block) / 4 + (row >>> 5);
  const isLive = (block: Block, row: number): boolean =>
    ((views.words[liveWord(block, row)] as number) >>> (row & 31)) % 2 === 1;
  const blockBytes = (size: number): number =>
    size * (rowSigns + rowCodes + 4) + roundUp(maskWords(size) * 4, ROW_UNIT);

  return {
    dimensions,
    rowCodes,
    get bytes() {
      return kernel.memory.buffer.byteLength;
    },
    blockBytes,
    allocate(size) {
      const address = spare.get(size)?.pop() ?? take(blockBytes(size));
      views.bytes.fill(0, address, address + blockBytes(size));
      return address;
    },
    free({ address, size }) {
      const ofSize = spare.get(size);
      if (ofSize === undefined) spare.set(size, [address]);
      else ofSize.push(address);
    },
    write(block, row, code, scale) {
      const at = codesOf(block, row);
      views.codes.set(code, at);
      kernel.signsOf(at, block.address + row * rowSigns, rowCodes);
      views.scales[scaleOf(block, row)] = scale;
      const word = liveWord(block, row);
      views.words[word] = (views.words[word] as number) | (1 << (row & 31));
    },
    isLive,
    read(block, row) {
      if (!isLive(block, row)) return undefined;
      const at = codesOf(block, row);
      return { code: views.codes.slice(at, at + dimensions), scale: views.scales[scaleOf(block, row)] as number };
    },
    drop(block, row) {
      const was = isLive(block, row);
      const word = liveWord(block, row);
      views.words[word] = (views.words[word] as number) & ~(1 << (row & 31));
      return was;
    },
    dump: ({ address, size }) => views.bytes.slice(address, address + blockBytes(size)),
    load(block, dumped) {
      views.bytes.set(dumped, block.address);
      const from = liveOf(block) / 4;
      return views.words.subarray(from, from + maskWords(block.size)).reduce((sum, word) => sum + bitsOf(word), 0);
    },
    begin(components, wanted, capacity, blocks) {
      if (capacity > listCapacity) {
        listAt = take(capacity * 8);
        listCapacity = capacity;
      }
      if (blocks > blocksCapacity) {
        blocksCapacity = blocks * 2;
        blocksAt = take(blocksCapacity * 4);
      }
      views.bytes.fill(0, signsAt, signsAt + rowSigns);
      components.forEach((component, at) => {
        if (component < 0)
          views.bytes[signsAt + (at >>> 3)] = (views.bytes[signsAt + (at >>> 3)] as number) | (1 << (at & 7));
      });
      views.components.set(components, componentsAt / 2);
      kernel.begin(signsAt, rowSigns / 8, listAt, capacity, wanted, histogramAt);
    },
    scan(block, accepts, number) {
      const words = maskWords(block.size);
      if (accepts !== undefined && !copyMask(accepts, block, views.words, maskAt / 4)) return false;
      views.words[blocksAt / 4 + number] = codesOf(block, 0);
      kernel.scan(block.address, liveOf(block), accepts === undefined ? 0 : maskAt, words, number * LARGEST_BLOCK);
      return true;
    },
    finish() {
      const count = kernel.finish();
      kernel.score(blocksAt, componentsAt, rowCodes);
      return count;
    },
    tagOf: (at) => views.words[listAt / 4 + at * 2 + 1] as number,
    product: (at, block, row) =>
      (views.products[listAt / 4 + at * 2] as number) * (views.scales[scaleOf(block, row)] as number),
  };
};

const roundUp = (length: number, unit: number): number => Math.ceil(length / unit) * unit;
const maskWords = (size: number): number => Math.ceil(size / 32);

const viewsOf = ({ buffer }: Kernel['memory']) => ({
  bytes: new Uint8Array(buffer),
  codes: new Int8Array(buffer),
  components: new Int16Array(buffer),
  words: new Uint32Array(buffer),
  products: new Int32Array(buffer),
  scales: new Float32Array(buffer),
});

/** The bits of a block's rows, copied to where the kernel reads them; false when there are none. Blocks below 32 rows lie inside a word. */
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
