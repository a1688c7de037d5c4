import { type Block, type CodeMemory, LARGEST_BLOCK } from './code-memory.ts';

/** Codes of one part of the index, by the ordinals of its documents. Ordinals may come in any order and leave holes. */
export interface CodeTable {
  /** How many documents have a code. */
  readonly size: number;
  /** Stores or replaces a code. Throws a RangeError for another length, a bad ordinal, or when memory is full. */
  set(ordinal: number, code: Int8Array, scale: number): void;
  has(ordinal: number): boolean;
  /** A copy of what was set. */
  get(ordinal: number): { readonly code: Int8Array; readonly scale: number } | undefined;
  /** Forgets a code; false when there was none. */
  delete(ordinal: number): boolean;
  /** Forgets everything and gives the memory back to the other tables. */
  clear(): void;
  /**
   * The table in chunks of at most a thousand documents, which together restore it. The table must not change in
   * between.
   */
  serialise(): Generator<Uint8Array>;
  /** Adds one of these chunks to a table that holds nothing of it. Throws a RangeError for one of another table. */
  restoreChunk(chunk: Uint8Array): void;
  /**
   * Puts chunks in place of what the table holds. Throws a RangeError, and leaves the table empty, when they are not
   * those of a table of these dimensions.
   */
  restore(chunks: Iterable<Uint8Array>): void;
}

/** A table as the search sees it. */
export interface BlockTable {
  readonly length: number;
  /** Undefined where no ordinal was ever set. */
  block(at: number): Block | undefined;
}

/**
 * Blocks double from 8 rows to 1,024 and then stay at that, so that a table of a few documents costs a few kilobytes
 * and a large one is scanned in long runs.
 */
export const createCodeTable = (memory: CodeMemory): { readonly table: CodeTable; readonly blocks: BlockTable } => {
  let blocks: (Block | undefined)[] = [];
  let size = 0;
  const find = (ordinal: number): Block | undefined => (isOrdinal(ordinal) ? blocks[blockOf(ordinal)] : undefined);
  const open = (at: number): Block => {
    const known = blocks[at];
    if (known !== undefined) return known;
    const place = placeOf(at);
    const opened = { ...place, address: memory.allocate(place.size) };
    while (blocks.length < at) blocks.push(undefined);
    blocks[at] = opened;
    return opened;
  };
  const clear = (): void => {
    for (const block of blocks) if (block !== undefined) memory.free(block);
    blocks = [];
    size = 0;
  };
  const table: CodeTable = {
    get size() {
      return size;
    },
    set(ordinal, code, scale) {
      if (!isOrdinal(ordinal)) throw new RangeError('an ordinal is a whole number from 0');
      if (code.length !== memory.dimensions) throw new RangeError(`a code has ${memory.dimensions} components`);
      if (!table.has(ordinal)) size++;
      const block = open(blockOf(ordinal));
      memory.write(block, ordinal - block.base, code, scale);
    },
    has: (ordinal) => {
      const block = find(ordinal);
      return block !== undefined && memory.isLive(block, ordinal - block.base);
    },
    get: (ordinal) => {
      const block = find(ordinal);
      return block === undefined ? undefined : memory.read(block, ordinal - block.base);
    },
    delete(ordinal) {
      const block = find(ordinal);
      const had = block !== undefined && memory.drop(block, ordinal - block.base);
      if (had) size--;
      return had;
    },
    clear,
    *serialise() {
      for (const [at, block] of blocks.entries()) {
        if (block === undefined) continue;
        const dumped = memory.dump(block);
        const chunk = new Uint8Array(HEADER_BYTES + dumped.length);
        const header = new DataView(chunk.buffer);
        header.setUint32(0, memory.dimensions, true);
        header.setUint32(4, at, true);
        chunk.set(dumped, HEADER_BYTES);
        yield chunk;
      }
    },
    restoreChunk(chunk) {
      const at = blockOfChunk(chunk, memory);
      if (at === undefined || blocks[at] !== undefined) {
        throw new RangeError('the chunks are not those of a table of these dimensions');
      }
      size += memory.load(open(at), chunk.subarray(HEADER_BYTES));
    },
    restore(chunks) {
      clear();
      try {
        for (const chunk of chunks) table.restoreChunk(chunk);
      } catch (error) {
        clear();
        throw error;
      }
    },
  };
  return {
    table,
    blocks: {
      get length() {
        return blocks.length;
      },
      block: (at) => blocks[at],
    },
  };
};

const HEADER_BYTES = 8;
const SMALLEST_BLOCK = 8;
/** 8, 8, 16, 32, ... 512: the blocks before the first of the largest size. */
const GROWING_BLOCKS = 1 + Math.log2(LARGEST_BLOCK / SMALLEST_BLOCK);
/** The tags of a search are 32 bits for all its blocks together. */
const MOST_BLOCKS = 2 ** 22;
const MOST_ORDINAL = (MOST_BLOCKS - GROWING_BLOCKS) * LARGEST_BLOCK;

const isOrdinal = (ordinal: number): boolean => Number.isInteger(ordinal) && ordinal >= 0 && ordinal < MOST_ORDINAL;

const blockOf = (ordinal: number): number => {
  if (ordinal >= LARGEST_BLOCK) return GROWING_BLOCKS + Math.floor(ordinal / LARGEST_BLOCK) - 1;
  return ordinal < SMALLEST_BLOCK ? 0 : 29 - Math.clz32(ordinal);
};

const placeOf = (at: number): { readonly base: number; readonly size: number } => {
  if (at === 0) return { base: 0, size: SMALLEST_BLOCK };
  if (at < GROWING_BLOCKS) return { base: 4 << at, size: 4 << at };
  return { base: (at - GROWING_BLOCKS + 1) * LARGEST_BLOCK, size: LARGEST_BLOCK };
};

const blockOfChunk = (chunk: Uint8Array, memory: CodeMemory): number | undefined => {
  if (chunk.length < HEADER_BYTES) return undefined;
  const header = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  const at = header.getUint32(4, true);
  const isOurs = header.getUint32(0, true) === memory.dimensions && at < MOST_BLOCKS - GROWING_BLOCKS;
  return isOurs && chunk.length === HEADER_BYTES + memory.blockBytes(placeOf(at).size) ? at : undefined;
};
