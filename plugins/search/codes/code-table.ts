import { type Block, type CodeMemory, LARGEST_BLOCK } from './code-memory.ts';

/** Codes of one part of the index, by the ordinals of its documents. Ordinals may come in any order and leave holes. */
export interface CodeTable {
  /** The number of documents with a code. */
  readonly size: number;
  /** The number of bytes that its blocks take. */
  readonly bytes: number;
  /**
   * Stores or replaces a code. Throws a RangeError for a code of another length, an invalid ordinal, or full memory.
   */
  set(ordinal: number, code: Int8Array, scale: number): void;
  has(ordinal: number): boolean;
  /** Returns a copy of the stored code. */
  get(ordinal: number): { readonly code: Int8Array; readonly scale: number } | undefined;
  /** Deletes a code. Returns false if there was none. */
  delete(ordinal: number): boolean;
  /** Deletes all codes and frees their memory for the other tables. */
  clear(): void;
  /**
   * Returns the numbers of all blocks ever used, or of those changed since the last call, ascending. A snapshot stores
   * whole blocks.
   */
  takeBlocks(which: 'all' | 'changed'): readonly number[];
  /** Returns the current bytes of a block, without copying them. */
  bytesOf(block: number): Uint8Array;
  /**
   * Returns the target memory for consecutive blocks of a snapshot, block by block. The table must not be searched
   * before `restored` is called. Throws a RangeError for bytes that no table of these dimensions wrote.
   */
  roomFor(first: number, bytes: number): readonly Uint8Array[];
  restored(first: number, count: number): void;
}

/** A table from the view of the search. */
export interface BlockTable {
  readonly length: number;
  /** Undefined if no ordinal of the block was ever set. */
  block(at: number): Block | undefined;
}

/**
 * The block size doubles from 8 rows to 1,024. So a table of a few documents costs a few kilobytes, and a large one is
 * scanned in long runs.
 */
export const createCodeTable = (memory: CodeMemory): { readonly table: CodeTable; readonly blocks: BlockTable } => {
  let blocks: (Block | undefined)[] = [];
  let size = 0;
  let bytes = 0;
  const changed = new Set<number>();
  const find = (ordinal: number): Block | undefined => (isOrdinal(ordinal) ? blocks[blockOf(ordinal)] : undefined);
  const open = (at: number): Block => {
    const known = blocks[at];
    if (known !== undefined) return known;
    const place = placeOf(at);
    const opened = { ...place, address: memory.allocate(place.size) };
    while (blocks.length < at) blocks.push(undefined);
    blocks[at] = opened;
    bytes += memory.blockBytes(place.size);
    return opened;
  };
  const clear = (): void => {
    for (const block of blocks) if (block !== undefined) memory.free(block);
    blocks = [];
    size = bytes = 0;
    changed.clear();
  };
  const table: CodeTable = {
    get size() {
      return size;
    },
    get bytes() {
      return bytes;
    },
    set(ordinal, code, scale) {
      if (!isOrdinal(ordinal)) throw new RangeError('an ordinal is a whole number from 0');
      if (code.length !== memory.dimensions) throw new RangeError(`a code has ${memory.dimensions} components`);
      if (!table.has(ordinal)) size++;
      const block = open(blockOf(ordinal));
      changed.add(blockOf(ordinal));
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
      if (had) {
        size--;
        changed.add(blockOf(ordinal));
      }
      return had;
    },
    clear,
    takeBlocks(which) {
      const wanted = which === 'all' ? [...blocks.keys()].filter((at) => blocks[at] !== undefined) : [...changed];
      changed.clear();
      return wanted.sort((a, b) => a - b);
    },
    bytesOf: (at) => memory.bytesOf(blocks[at] as Block),
    roomFor(first, bytes) {
      let left = bytes;
      let end = first;
      for (; left > 0 && end < MOST_BLOCKS - GROWING_BLOCKS; end++) left -= memory.blockBytes(placeOf(end).size);
      if (left !== 0) throw new RangeError('the blocks are not those of a table of these dimensions');
      const opened = Array.from({ length: end - first }, (_, at) => open(first + at));
      for (const block of opened) size -= memory.liveIn(block);
      return opened.map((block) => memory.bytesOf(block));
    },
    restored(first, count) {
      for (let at = first; at < first + count; at++) size += memory.liveIn(blocks[at] as Block);
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

const SMALLEST_BLOCK = 8;
/** The number of blocks that are smaller than the largest size. They have 8, 8, 16, 32, ... 512 rows. */
const GROWING_BLOCKS = 1 + Math.log2(LARGEST_BLOCK / SMALLEST_BLOCK);
/** The maximum number of blocks of a table, because a tag of a search has 32 bits for all blocks together. */
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
