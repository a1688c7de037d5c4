import { readSync } from 'node:fs';

/** The file of a database, read by page: https://sqlite.org/fileformat2.html */
export interface PagedFile {
  readonly descriptor: number;
  readonly pageSize: number;
  /** The bytes of a page that SQLite uses. */
  readonly usableSize: number;
}

const INTERIOR_KINDS: ReadonlySet<number> = new Set([2, 5]);
const LEAF_KINDS: ReadonlySet<number> = new Set([10, 13]);

/** Reads the sizes from the header of the file. */
export const openPagedFile = (descriptor: number): PagedFile => {
  const header = Buffer.alloc(100);
  readSync(descriptor, header, 0, header.length, 0);
  const stored = header.readUInt16BE(16);
  // The header has no room for the largest size.
  const pageSize = stored === 1 ? 65_536 : stored;
  return { descriptor, pageSize, usableSize: pageSize - header.readUInt8(20) };
};

/** Reads consecutive pages; pages are numbered from 1. Returns fewer bytes at the end of the file. */
export const readPages = ({ descriptor, pageSize }: PagedFile, first: number, count: number): Buffer => {
  const pages = Buffer.allocUnsafe(count * pageSize);
  return pages.subarray(0, readSync(descriptor, pages, 0, pages.length, (first - 1) * pageSize));
};

/**
 * Returns the pages of the b-trees with these roots, by page number. It reads interior pages only, about one page in a
 * hundred, because all leaves of a tree have the same depth. Throws when the file is damaged.
 */
export const findTreePages = (file: PagedFile, roots: readonly number[], pageCount: number): Uint8Array => {
  const found = new Uint8Array(pageCount + 1);
  for (const root of roots) {
    for (let level = [root]; level.length > 0; level = childrenOf(file, level)) {
      for (const page of level) {
        if (page < 2 || page > pageCount || found[page] === 1) throw damaged();
        found[page] = 1;
      }
    }
  }
  return found;
};

/** Returns the children of the pages of one level; none for leaves. */
const childrenOf = (file: PagedFile, level: readonly number[]): number[] => {
  const children: number[] = [];
  for (const number of level) {
    const page = readPages(file, number, 1);
    if (LEAF_KINDS.has(page[0] as number) && number === level[0]) return [];
    if (!INTERIOR_KINDS.has(page[0] as number)) throw damaged();
    for (let cell = 0; cell < page.readUInt16BE(3); cell += 1) {
      children.push(page.readUInt32BE(page.readUInt16BE(12 + 2 * cell)));
    }
    children.push(page.readUInt32BE(8));
  }
  return children;
};

/** Returns the unused ranges of a page of a b-tree, which SQLite never reads. Throws when the page is damaged. */
export const unusedRanges = (page: Buffer, usableSize: number): [from: number, to: number][] => {
  const isInterior = INTERIOR_KINDS.has(page[0] as number);
  if (!isInterior && !LEAF_KINDS.has(page[0] as number)) throw damaged();
  const pointersEnd = (isInterior ? 12 : 8) + 2 * page.readUInt16BE(3);
  // Zero stands for 65,536.
  const cellsStart = page.readUInt16BE(5) || 65_536;
  if (pointersEnd > cellsStart || cellsStart > usableSize) throw damaged();
  return [[pointersEnd, cellsStart], ...freeBlocks(page, cellsStart, usableSize)];
};

/** Returns the ranges of deleted cells. Each range begins with the offset of the next one and with its own size. */
const freeBlocks = (page: Buffer, cellsStart: number, usableSize: number): [from: number, to: number][] => {
  const found: [number, number][] = [];
  let lowest = cellsStart;
  for (let at = page.readUInt16BE(1); at !== 0; at = page.readUInt16BE(at)) {
    if (at < lowest || at + 4 > usableSize) throw damaged();
    lowest = at + page.readUInt16BE(at + 2);
    if (lowest < at + 4 || lowest > usableSize) throw damaged();
    found.push([at + 4, lowest]);
  }
  return found;
};

const damaged = (): Error => new Error('a page of the store is damaged');
