import { loadScanner } from '../../plugins/search/codes/load-scanner.ts';

/**
 * The lower bound for a search by vectors: the scanner over one flat array of signs. There are no tables, filters or
 * ordinals, and candidates are neither compared exactly nor sorted.
 */
export interface BareScan {
  /** Returns the number of found candidates, so that the compiler cannot optimise the work away. */
  run(query: Uint8Array): number;
}

const ROWS_OF_CALL = 1_024;
const CANDIDATES = 2_048;
const CAPACITY = 4 * CANDIDATES;
const PAGE = 65_536;

/** Creates a scan over rows of signs. `rowBytes` is the length of a row, a multiple of 16. */
export const createBareVectorScan = (signs: Uint8Array, rowBytes: number): BareScan => {
  const { memory, begin, scan, finish } = loadScanner();
  const rows = Math.floor(signs.length / rowBytes);
  const queryAt = 0;
  const liveAt = queryAt + rowBytes;
  const histogramAt = liveAt + ROWS_OF_CALL / 8;
  const listAt = Math.ceil((histogramAt + (rowBytes * 8 + 1) * 4) / 16) * 16;
  const signsAt = listAt + CAPACITY * 8;
  const pages = Math.ceil((signsAt + signs.length) / PAGE) - memory.buffer.byteLength / PAGE;
  if (pages > 0) memory.grow(pages);
  const bytes = new Uint8Array(memory.buffer);
  bytes.set(signs, signsAt);
  bytes.fill(255, liveAt, histogramAt);
  return {
    run(query) {
      bytes.set(query, queryAt);
      begin(queryAt, rowBytes / 8, listAt, CAPACITY, CANDIDATES, histogramAt);
      for (let row = 0; row + ROWS_OF_CALL <= rows; row += ROWS_OF_CALL) {
        scan(signsAt + row * rowBytes, liveAt, 0, ROWS_OF_CALL / 32, row);
      }
      return finish();
    },
  };
};
