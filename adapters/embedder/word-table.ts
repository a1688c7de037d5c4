import { readFileSync } from 'node:fs';
import { NameIndex } from './name-index.ts';

/** The vectors of words and of pieces of words, from scripts/make-word-table.mjs. */
export interface WordTable {
  readonly dimensions: number;
  /**
   * Adds the vector of a word that occurs `times` times in a text. Repetitions count for less, least of all for common
   * words. For a word outside the table it adds the vectors of its pieces. Returns which of them it found.
   */
  add(word: string, times: number, sums: Float64Array): 'word' | 'pieces' | 'nothing';
}

/**
 * Returns the word table of this package. The first call reads it into some 8 MB of memory. Throws when the file is
 * damaged or missing.
 */
export const wordTable = (): WordTable => {
  table ??= readWordTable(readFileSync(new URL('./word-table.bin', import.meta.url)));
  return table;
};

let table: WordTable | undefined;

/** Parses a word table. Throws a RangeError for any other bytes. */
export const readWordTable = (bytes: Uint8Array): WordTable => {
  const rows = rowsIn(bytes);
  const { names, dimensions } = rows;
  return {
    dimensions,
    add(word, times, sums) {
      const place = names.find(word);
      if (place !== undefined) {
        rows.add(place, times ** (rows.weight(place) ** COMMON_ONCE), sums);
        return 'word';
      }
      const pieces = piecesOf(word, names);
      for (const piece of pieces) rows.add(piece, times / pieces.length, sums);
      return pieces.length > 0 ? 'pieces' : 'nothing';
    },
  };
};

/**
 * The power of a word's weight that gives the exponent of its count. Repetitions of a rare word (weight 1) count in
 * full, repetitions of a very common word (weight 0) do not count.
 */
const COMMON_ONCE = 4;

interface Rows {
  readonly dimensions: number;
  readonly names: NameIndex;
  weight(place: number): number;
  add(place: number, times: number, sums: Float64Array): void;
}

/** Finds the sections of the file. Its layout is described in scripts/encode-word-table.mjs. */
const rowsIn = (bytes: Uint8Array): Rows => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEADER_BYTES) throw damaged();
  const [count, dimensions, nameBytes] = [0, 4, 8].map((at) => view.getUint32(at, true)) as [number, number, number];
  const deviations = HEADER_BYTES + nameBytes;
  const scales = deviations + 4 * dimensions;
  const weights = scales + 4 * count;
  const codes = weights + count;
  const rowBytes = dimensions / 2;
  if (bytes.length !== codes + count * rowBytes) throw damaged();
  const spread = Float64Array.from({ length: dimensions }, (_, at) => view.getFloat32(deviations + 4 * at, true));
  return {
    dimensions,
    names: namesIn(bytes.subarray(HEADER_BYTES, deviations), count),
    weight: (place) => (bytes[weights + place] as number) / 255,
    add(place, times, sums) {
      const scale = view.getFloat32(scales + 4 * place, true) * times;
      const row = codes + place * rowBytes;
      for (let at = 0; at < dimensions; at += 1) {
        const pair = bytes[row + (at >> 1)] as number;
        const level = LEVELS[at & 1 ? pair >> 4 : pair & 15] as number;
        sums[at] = (sums[at] as number) + level * (spread[at] as number) * scale;
      }
    },
  };
};

const namesIn = (bytes: Uint8Array, count: number): NameIndex => {
  try {
    return new NameIndex(bytes, count);
  } catch {
    throw damaged();
  }
};

const HEADER_BYTES = 12;
const damaged = (): RangeError => new RangeError('the table of words is damaged: install the package again');

/** The values of the sixteen codes, in standard deviations of their dimension. */
const POSITIVE = [0.1284, 0.3881, 0.6568, 0.9424, 1.2562, 1.6181, 2.069, 2.7326];
const LEVELS = Float64Array.from([...POSITIVE.map((level) => -level).reverse(), ...POSITIVE]);

/**
 * Splits a word into pieces from its beginning, each time the longest possible one. Returns none when they are very
 * short, because any string of letters has short pieces, and a nonsense word must have no meaning.
 */
const piecesOf = (word: string, names: NameIndex): number[] => {
  if (word.length > LONGEST_WORD || !LETTERS.test(word)) return [];
  const pieces: number[] = [];
  for (let at = 0; at < word.length; ) {
    let end = Math.min(word.length, at + LONGEST_PIECE);
    let place: number | undefined;
    for (; end > at && place === undefined; end -= 1) {
      const piece = word.slice(at, end);
      place = names.find(at === 0 ? `${piece}+` : `+${piece}`);
    }
    if (place === undefined) return [];
    pieces.push(place);
    at = end + 1;
  }
  return word.length >= LEAST_PER_PIECE * pieces.length ? pieces : [];
};

const LETTERS = /^[a-z]+$/;
const LONGEST_WORD = 40;
const LONGEST_PIECE = 20;
/** The minimum mean length of the pieces of a word. */
const LEAST_PER_PIECE = 1.7;
