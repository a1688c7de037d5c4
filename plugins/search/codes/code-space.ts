import { BestHits, type TieOrder } from './best-hits.ts';
import { CodeMemory, LARGEST_BLOCK } from './code-memory.ts';
import { type BlockTable, type CodeTable, createCodeTable } from './code-table.ts';
import { type CodeVector, quantise, quantiseQuery } from './quantise.ts';

/** One table of a search, with the documents of it that may be found. */
export interface SearchTarget {
  readonly table: CodeTable;
  /**
   * One bit per ordinal, lowest first: 1 if the document may be found. Documents beyond the end are excluded. Undefined
   * accepts all.
   */
  readonly accepts: Uint32Array | undefined;
}

export interface CodeHit {
  /** Index in the list of targets. */
  readonly target: number;
  readonly ordinal: number;
  /**
   * Cosine of query and document, estimated from their codes. With 768 dimensions it is wrong by 0.005 on average; the
   * error grows as dimensions become fewer.
   */
  readonly similarity: number;
}

/** Vectors of one embedder as codes. The tables share one memory, which grows with them and never shrinks. */
export interface CodeSpace {
  readonly dimensions: number;
  /** Creates an empty table, which takes almost no memory. Its memory grows with its documents. */
  createTable(): CodeTable;
  /** Throws a RangeError for a vector of other dimensions, or with a component that is not finite. */
  quantise(vector: Float32Array): CodeVector;
  /**
   * Returns the documents nearest to a unit vector, best first, none below `floor`. `ties` orders equal ones; the
   * default is by higher ordinal, then earlier target. Rejected documents take no part, so they displace none. Up to
   * some thousands of documents the answer is exact. Among more, the nearest by their signs are compared exactly. Equal
   * tables give equal answers everywhere.
   */
  search(
    query: Float32Array,
    targets: readonly SearchTarget[],
    floor: number,
    limit: number,
    ties?: TieOrder,
  ): CodeHit[];
  /**
   * Returns the similarities of all documents that the targets accept, of which there are at most `most`, in no order.
   */
  similarities(query: Float32Array, targets: readonly SearchTarget[], most: number): Float64Array;
  /** Grows the memory at once to hold blocks of this many bytes. */
  reserve(bytes: number): void;
  /** The number of bytes that the memory occupies. */
  readonly bytes: number;
}

/**
 * Throws if the code scanner is missing or belongs to another build, and a RangeError for dimensions that are not from
 * 1 to 16,384. `load` returns the bytes of the scanner; the default reads them from the build output.
 */
export const createCodeSpace = ({ dimensions, load }: CodeSpaceOptions): CodeSpace => {
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > MOST_DIMENSIONS) {
    throw new RangeError(`codes have from 1 to ${MOST_DIMENSIONS} dimensions`);
  }
  const memory = new CodeMemory(dimensions, load);
  const tables = new WeakMap<CodeTable, BlockTable>();
  const opened = (targets: readonly SearchTarget[]): OpenTarget[] =>
    targets.map(({ table, accepts }) => {
      const blocks = tables.get(table);
      if (blocks === undefined) throw new RangeError('a table of another code space cannot be searched here');
      return { blocks, accepts };
    });
  return {
    dimensions,
    createTable: () => {
      const { table, blocks } = createCodeTable(memory);
      tables.set(table, blocks);
      return table;
    },
    quantise: (vector) => quantise(checked(vector, dimensions)),
    search: (query, targets, floor, limit, ties) => {
      if (!(limit > 0)) return [];
      const best = new BestHits(limit, ties);
      const wanted = Math.max(LEAST_CANDIDATES, Math.ceil(limit) * CANDIDATES_PER_HIT);
      compareAll(memory, checked(query, dimensions), opened(targets), wanted, (similarity, target, ordinal) => {
        if (similarity < floor || similarity < best.threshold) return;
        best.offer({ target, ordinal, similarity });
      });
      return best.take();
    },
    similarities: (query, targets, most) => {
      const found = new Float64Array(most);
      let count = 0;
      compareAll(memory, checked(query, dimensions), opened(targets), most, (similarity) => {
        found[count] = similarity;
        count += 1;
      });
      return found.subarray(0, count);
    },
    reserve: (bytes) => memory.reserve(bytes),
    get bytes() {
      return memory.bytes;
    },
  };
};

export interface CodeSpaceOptions {
  readonly dimensions: number;
  readonly load?: (() => Uint8Array) | undefined;
}

const MOST_DIMENSIONS = 16_384;
/**
 * The minimum number of candidates, nearest by their signs, that are compared exactly. With it, a search of a million
 * finds 98 % of the ten nearest.
 */
const LEAST_CANDIDATES = 2_048;
const CANDIDATES_PER_HIT = 16;
/** The capacity of the list that gathers candidates, as a multiple of their number. */
const LIST_FACTOR = 4;

interface OpenTarget {
  readonly blocks: BlockTable;
  readonly accepts: Uint32Array | undefined;
}

/** A scanned block. The tags of its rows start at its index in the list times the size of the largest block. */
interface ScannedBlock {
  readonly target: number;
  readonly base: number;
  readonly address: number;
  readonly size: number;
}

/** Compares at least this many candidates, the nearest by their signs, exactly. */
const compareAll = (
  memory: CodeMemory,
  query: Float32Array,
  targets: readonly OpenTarget[],
  wanted: number,
  take: (similarity: number, target: number, ordinal: number) => void,
): void => {
  const { components, step } = quantiseQuery(query, memory.rowComponents);
  const blockCount = targets.reduce((sum, { blocks }) => sum + blocks.length, 0);
  memory.begin(components, wanted, wanted * LIST_FACTOR, blockCount);
  const scanned: ScannedBlock[] = [];
  targets.forEach(({ blocks, accepts }, target) => {
    // Scans from the last block to the first, so that among equally near signs the higher ordinal stays.
    for (let at = blocks.length - 1; at >= 0; at--) {
      const block = blocks.block(at);
      if (block === undefined) continue;
      if (memory.scan(block, accepts, scanned.length)) scanned.push({ target, ...block });
    }
  });
  const count = memory.finish();
  for (let at = 0; at < count; at++) {
    const tag = memory.tagOf(at);
    const row = tag % LARGEST_BLOCK;
    const block = scanned[(tag - row) / LARGEST_BLOCK] as ScannedBlock;
    take(memory.product(at, block, row) * step, block.target, block.base + row);
  }
};

const checked = (vector: Float32Array, dimensions: number): Float32Array => {
  if (vector.length !== dimensions) throw new RangeError(`a vector of ${dimensions} dimensions was expected`);
  for (let at = 0; at < dimensions; at++) {
    if (!Number.isFinite(vector[at])) throw new RangeError('a vector has a component that is not finite');
  }
  return vector;
};
