import type { Embedder } from '../../ports/ports.ts';
import { spreadBlock } from './spread-block.ts';
import { firstAxis, unitVector } from './unit-vector.ts';
import { type WordFeatures, wordFeatures } from './word-features.ts';
import { type WordTable, wordTable } from './word-table.ts';
import { wordsOf } from './words-of-text.ts';

/**
 * The embedder of a node without a model. The vector of a text is the mean of its words' vectors, without the component
 * that all words share. A sentence model has computed the vectors of words in advance. (Arora, Liang and Ma, "A Simple
 * but Tough-to-Beat Baseline for Sentence Embeddings", 2017; Mu and Viswanath, "All-but-the-Top", 2018.) Spelling
 * sketches complete the vector, for names, typing errors and other languages. The vector of a word outside the table is
 * the mean of its pieces, plus a random direction from its letters, so that texts with the same unknown word are
 * similar. The order of the components: the leading axes of meaning, two sketches, the other axes, further sketches.
 * Each sketch covers the whole text, so the first 256 dimensions work without the others. The vector is the same on
 * every machine.
 */
export const createMeaningEmbedder = (dimensions: 256 | 768, words: () => WordTable = wordTable): Embedder => {
  const layout = LAYOUTS[dimensions];
  return {
    id: `words-3-${dimensions}`,
    dimensions,
    similarityFloor: layout.floor,
    recipe: { module: import.meta.url, create: 'createMeaningEmbedder', given: [dimensions] },
    embed: async (texts) => {
      const table = words();
      return texts.map((text) => embedText(text, dimensions, layout, table));
    },
  };
};

interface Layout {
  /** The number of meaning components. */
  readonly axes: number;
  /** The number of spelling sketches. */
  readonly sketches: number;
  readonly floor: number;
}

const LAYOUTS: Readonly<Record<256 | 768, Layout>> = {
  256: { axes: 128, sketches: 2, floor: 0.3 },
  768: { axes: 192, sketches: 9, floor: 0.2 },
};

/** The share of meaning in a similarity; the rest is spelling. */
const MEANING = 0.7;
/** The share of n-grams in the spelling of a word. */
const GRAMS = 0.6;
/**
 * The length of a random direction that each word gets from its letters. It replaces missing meaning: 0 for words in
 * the table, more for words known by their pieces, most for unknown ones.
 */
const OWN_LENGTH = { word: 0, pieces: 0.3, nothing: 0.8 };
/** The number of meaning components and sketches in the first 256 dimensions, which must work without the others. */
const LEADING_AXES = 128;
const LEADING_SKETCHES = 2;
const SKETCH = 64;

const embedText = (text: string, dimensions: number, layout: Layout, table: WordTable): Float32Array => {
  const meaning = new Float64Array(table.dimensions);
  const spelling = new Float64Array(layout.sketches * SKETCH);
  const counts = new Map<string, number>();
  for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  // A text without words, such as punctuation, counts as one word, which is similar only to itself.
  if (counts.size === 0) counts.set(text, 1);
  for (const [word, count] of counts) {
    const features = wordFeatures(word);
    // Repetitions of a word count for less.
    const strength = Math.sqrt(count);
    const own = OWN_LENGTH[table.add(word, count, meaning)];
    if (own > 0) addOwn(features.stem, own * count, meaning);
    addSpelling(features, strength, spelling);
  }
  for (let start = 0; start < spelling.length; start += SKETCH) spreadBlock(spelling, start, SKETCH);
  return arranged(scaled(meaning.subarray(0, layout.axes), MEANING), scaled(spelling, 1 - MEANING), dimensions);
};

/** Arranges the components: leading meaning, leading sketches, other meaning, other sketches. */
const arranged = (meaning: Float64Array, spelling: Float64Array, dimensions: number): Float32Array => {
  const vector = new Float64Array(dimensions);
  const leading = LEADING_SKETCHES * SKETCH;
  vector.set(meaning.subarray(0, LEADING_AXES));
  vector.set(spelling.subarray(0, leading), LEADING_AXES);
  vector.set(meaning.subarray(LEADING_AXES), LEADING_AXES + leading);
  vector.set(spelling.subarray(leading), meaning.length + leading);
  return unitVector(vector) ?? firstAxis(dimensions);
};

/** Scales a vector in place, so that its dot product with another vector of the same share is at most that share. */
const scaled = (vector: Float64Array, share: number): Float64Array => {
  let square = 0;
  for (let at = 0; at < vector.length; at += 1) square += (vector[at] as number) * (vector[at] as number);
  const length = Math.sqrt(square);
  const factor = Math.sqrt(share);
  if (length > 0) for (let at = 0; at < vector.length; at += 1) vector[at] = ((vector[at] as number) * factor) / length;
  return vector;
};

/**
 * Adds the word's own direction. Its signs come from an xorshift sequence (Marsaglia, "Xorshift RNGs", 2003) with the
 * word's hash as the seed.
 */
const addOwn = (hash: number, length: number, sums: Float64Array): void => {
  const step = length / Math.sqrt(sums.length);
  let bits = hash | 1;
  for (let at = 0; at < sums.length; at += 1) {
    bits ^= bits << 13;
    bits ^= bits >>> 17;
    bits ^= bits << 5;
    sums[at] = (sums[at] as number) + (bits & 0x10000 ? step : -step);
  }
};

const addSpelling = ({ stem, grams, weight }: WordFeatures, times: number, sums: Float64Array): void => {
  const strength = weight * times;
  if (grams.length === 0) {
    addFeature(sums, stem, strength);
    return;
  }
  addFeature(sums, stem, strength * Math.sqrt(1 - GRAMS));
  const share = strength * Math.sqrt(GRAMS / grams.length);
  for (let at = 0; at < grams.length; at += 1) addFeature(sums, grams[at] as number, share);
};

/**
 * Adds a feature to the sketches. Seven bits of the hash give a position and a sign in one sketch, so four sketches use
 * 28 bits.
 */
const addFeature = (sums: Float64Array, hash: number, strength: number): void => {
  let bits = hash;
  for (let start = 0, left = SKETCHES_PER_HASH; start < sums.length; start += SKETCH, left -= 1) {
    if (left === 0) {
      bits = Math.imul(bits ^ hash ^ (hash >>> 15), 0x2c1b3c6d);
      bits ^= bits >>> 15;
      left = SKETCHES_PER_HASH;
    }
    const shift = 7 * (left - 1);
    const at = start + ((bits >>> shift) & (SKETCH - 1));
    sums[at] = (sums[at] as number) + ((bits >>> (shift + 6)) & 1 ? strength : -strength);
  }
};

const SKETCHES_PER_HASH = 4;
