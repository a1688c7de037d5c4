import { readFileSync } from 'node:fs';

/** Vectors of words, as scripts/make-word-table.mjs made them: each is already multiplied with its word's weight. */
export interface WordTable {
  readonly dimensions: number;
  /** Adds the vector of a folded word to the sums, so many times. False for a word that is not there. */
  add(word: string, times: number, sums: Float64Array): boolean;
}

/**
 * The table of this package, read when the first text comes, in some 50 ms; 10 MB of memory for the life of the
 * process. Throws when the file is damaged or missing.
 */
export const wordTable = (): WordTable => {
  table ??= readWordTable(readFileSync(new URL('./word-table.bin', import.meta.url)));
  return table;
};

let table: WordTable | undefined;

/** The table in these bytes. Throws a RangeError when they are not those of one. */
export const readWordTable = (bytes: Uint8Array): WordTable => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEADER_BYTES) throw damaged();
  const [words, dimensions, nameBytes] = [0, 4, 8].map((at) => view.getUint32(at, true)) as [number, number, number];
  const scales = HEADER_BYTES + nameBytes;
  const codes = scales + 4 * words;
  if (bytes.length !== codes + words * dimensions) throw damaged();
  const names = new TextDecoder('latin1').decode(bytes.subarray(HEADER_BYTES, scales)).split('\n', words);
  if (names.length !== words) throw damaged();
  const places = new Map(names.map((name, at) => [name, at]));
  const components = new Int8Array(bytes.buffer, bytes.byteOffset + codes, words * dimensions);
  const placeOf = (word: string): number | undefined => {
    const known = places.get(word);
    return known ?? places.get(basesOf(word).find((base) => places.has(base)) ?? '');
  };
  const addAt = (place: number, times: number, sums: Float64Array): void => {
    const scale = view.getFloat32(scales + 4 * place, true) * times;
    const row = place * dimensions;
    for (let at = 0; at < dimensions; at += 1) {
      sums[at] = (sums[at] as number) + (components[row + at] as number) * scale;
    }
  };
  return {
    dimensions,
    add(word, times, sums) {
      const place = placeOf(word);
      if (place !== undefined) addAt(place, times, sums);
      else {
        const parts = partsOf(word, places);
        for (const part of parts) addAt(part, times / parts.length, sums);
        return parts.length > 0;
      }
      return true;
    },
  };
};

const HEADER_BYTES = 12;
const damaged = (): RangeError => new RangeError('the table of words is damaged: install the package again');

/** What an English form may come from: cut with little regard to exceptions, because only known words count. */
const basesOf = (word: string): string[] => {
  const [, stem = '', end] = ENDING.exec(word) ?? [];
  if (end === undefined || word.endsWith('ss')) return [];
  if (end === 'ies' || end === 'ied') return [`${stem}y`, `${stem}ie`];
  if (end === 's') return [stem];
  const doubled = stem.at(-1) === stem.at(-2) ? [stem.slice(0, -1)] : [];
  return end === 'es' ? [`${stem}e`, stem] : [stem, `${stem}e`, ...doubled];
};

const ENDING = /^(.{2,40}?)(ies|es|s|ied|ing|ed)$/;

/**
 * A compound of two known words. One of them has to be long: short ones are in every string of letters, and nonsense
 * must not mean anything.
 */
const partsOf = (word: string, places: ReadonlyMap<string, number>): number[] => {
  if (word.length > LONGEST_COMPOUND) return [];
  for (let at = word.length - SHORT_PART; at >= SHORT_PART; at -= 1) {
    if (Math.max(at, word.length - at) < LONG_PART) continue;
    const [left, right] = [places.get(word.slice(0, at)), places.get(word.slice(at))];
    if (left !== undefined && right !== undefined) return [left, right];
  }
  return [];
};

const SHORT_PART = 3;
const LONG_PART = 5;
const LONGEST_COMPOUND = 40;
