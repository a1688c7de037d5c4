import type { Embedder } from '../../ports/ports.ts';
import { spreadBlock } from './spread-block.ts';
import { firstAxis, unitVector } from './unit-vector.ts';
import { type WordFeatures, wordFeatures } from './word-features.ts';
import { wordsOf } from './words-of-text.ts';

/**
 * An embedder without model and network, whose vectors are the same on every machine. It sums the words of a text,
 * their stems and their character 3- to 5-grams. Texts are similar when they are spelled alike; grammar and typing
 * errors matter little. It knows nothing about meaning.
 *
 * Features are hashed with a sign (Weinberger et al., "Feature Hashing for Large Scale Multitask Learning", 2009) into
 * each of three blocks of 256 positions. A Hadamard transform spreads every block evenly (Ailon and Chazelle, "The Fast
 * Johnson-Lindenstrauss Transform", 2009). So each block is a sketch of the whole text. A vector that is cut after the
 * first block loses precision but no feature. The signs and 8-bit codes of an index keep their quality.
 */
export const createHashingEmbedder = (): Embedder => ({
  id: `hashing-1-${DIMENSIONS}`,
  dimensions: DIMENSIONS,
  similarityFloor: chanceFloor(DIMENSIONS),
  embed: async (texts) => texts.map(embedText),
});

/**
 * The similarity above which texts are related. The similarity of unrelated texts is normally distributed with a spread
 * of 1/√dimensions. One pair in 300,000 exceeds 4.5 times the spread.
 */
export const chanceFloor = (dimensions: number): number => CHANCE_SPREADS / Math.sqrt(dimensions);

const CHANCE_SPREADS = 4.5;
const BLOCK = 256;
const BLOCKS = 3;
const DIMENSIONS = BLOCK * BLOCKS;
/**
 * The share of a word's weight in its character n-grams. A higher share would relate all words with the same ending, a
 * lower one would miss typing errors.
 */
const GRAM_SHARE = 0.6;

const embedText = (text: string): Float32Array => {
  const sums = new Float64Array(DIMENSIONS);
  const words = countWords(wordsOf(text));
  for (const [word, count] of words) addWord(sums, wordFeatures(word), count);
  // A text without words, such as punctuation, counts as one word, which is similar only to itself.
  if (words.size === 0) addWord(sums, wordFeatures(text), 1);
  for (let start = 0; start < DIMENSIONS; start += BLOCK) spreadBlock(sums, start, BLOCK);
  // Falls back to a fixed direction when all features cancel each other out.
  return unitVector(sums) ?? firstAxis(DIMENSIONS);
};

const countWords = (words: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
};

/** Adds a word with the square root of its count, because repetitions count for less. */
const addWord = (sums: Float64Array, { stem, grams, weight }: WordFeatures, count: number): void => {
  const strength = weight * Math.sqrt(count);
  if (grams.length === 0) {
    addFeature(sums, stem, strength);
    return;
  }
  addFeature(sums, stem, strength * Math.sqrt(1 - GRAM_SHARE));
  const share = strength * Math.sqrt(GRAM_SHARE / grams.length);
  for (let at = 0; at < grams.length; at++) addFeature(sums, grams[at] as number, share);
};

/** Adds a feature to each of the three blocks. The hash gives 8 bits of position and a sign per block. */
const addFeature = (sums: Float64Array, hash: number, strength: number): void => {
  const first = hash & 255;
  const second = BLOCK + ((hash >>> 8) & 255);
  const third = 2 * BLOCK + ((hash >>> 16) & 255);
  sums[first] = (sums[first] as number) + (hash & 0x1000000 ? strength : -strength);
  sums[second] = (sums[second] as number) + (hash & 0x2000000 ? strength : -strength);
  sums[third] = (sums[third] as number) + (hash & 0x4000000 ? strength : -strength);
};
