/** The features of a word for a vector: hashes of its stem and of its character n-grams, and its weight. */
export interface WordFeatures {
  readonly stem: number;
  readonly grams: Int32Array;
  readonly weight: number;
}

/** Returns the features of a word in lower case without accents. Caches those of recent words. */
export const wordFeatures = (word: string): WordFeatures => {
  const known = recent.get(word);
  if (known !== undefined) return known;
  const features = makeFeatures(word);
  if (recent.size >= MOST_RECENT) recent.clear();
  recent.set(word, features);
  return features;
};

/** The capacity of the cache, some 10 MiB. */
const MOST_RECENT = 20_000;
const recent = new Map<string, WordFeatures>();

const makeFeatures = (word: string): WordFeatures => {
  const isFunctionWord = FUNCTION_WORDS.has(word);
  return {
    stem: mixed(hashOf(stemOf(word)) ^ STEM_SEED),
    grams: isFunctionWord ? NO_GRAMS : gramsOf(word.slice(0, MOST_CHARACTERS)),
    weight: isFunctionWord ? FUNCTION_WEIGHT : (LENGTH_WEIGHTS[word.length] ?? 1),
  };
};

/**
 * Weights by the length of a word. Frequent words are short (Zipf, "The Psycho-Biology of Language", 1935), so length
 * estimates rarity without a corpus.
 */
const LENGTH_WEIGHTS: readonly number[] = [0.5, 0.5, 0.5, 0.6, 0.75, 0.85, 0.95];
const FUNCTION_WEIGHT = 0.1;
/** The number of characters that count in a long run of letters and digits. The limit bounds the work. */
const MOST_CHARACTERS = 40;
const SHORTEST_GRAM = 3;
const LONGEST_GRAM = 5;
const NO_GRAMS = new Int32Array(0);
const STEM_SEED = 0x5bd1e995;

/** Returns the hashes of all n-grams of a word, with marks for its beginning and end. */
const gramsOf = (word: string): Int32Array => {
  const marked = `^${word}$`;
  const grams: number[] = [];
  for (let start = 0; start + SHORTEST_GRAM <= marked.length; start++) {
    let hash = HASH_START;
    for (let at = start; at < Math.min(start + LONGEST_GRAM, marked.length); at++) {
      hash = hashOn(hash, marked.charCodeAt(at));
      if (at - start + 1 >= SHORTEST_GRAM) grams.push(mixed(hash));
    }
  }
  return Int32Array.from(grams);
};

/** FNV-1a over UTF-16 code units. */
const HASH_START = 0x811c9dc5;
const hashOn = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);
const hashOf = (text: string): number => {
  let hash = HASH_START;
  for (let at = 0; at < text.length; at++) hash = hashOn(hash, text.charCodeAt(at));
  return hash;
};

/**
 * Mixes a hash with the last step of MurmurHash3. Positions come from single bytes, so every bit must depend on all
 * others.
 */
const mixed = (hash: number): number => {
  let bits = hash ^ (hash >>> 16);
  bits = Math.imul(bits, 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
};

/** Removes common English endings without regard to exceptions. N-grams relate the forms that this misses. */
const stemOf = (word: string): string => {
  if (word.length < 4 || !ASCII_WORD.test(word)) return word;
  let stem = word.replace(PLURAL, (_, ending: string) => (ending === 'ies' ? 'y' : ''));
  stem = stem.replace(VERB_ENDING, '$1');
  if (stem.length > 6) stem = stem.replace(NOUN_ENDING, '');
  stem = stem.replace(/(..)e$/, '$1').replace(/(..)y$/, '$1i');
  return stem.replace(/(.)([^lsz])\2$/, '$1$2');
};

const ASCII_WORD = /^[a-z]+$/;
const PLURAL = /(?<=..)(ies|(?<=ss)es|(?<![sui])s)$/;
const VERB_ENDING = /^(.{3,})(?:ing|ed|ly)$/;
const NOUN_ENDING = /(?:ations?|ational|ative|ator|ate|ment|ness|ity|able|ible|ence|ance|ion|ive|al|er|or|ic|ize|ise)$/;

/** English function words, which carry no topic. */
const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  `a about above across after again against ago all almost along already also although always am among an and another any anybody anyone
  anything are around as at away be became because become been before behind being below between both but by came can cannot come could did
  do does doing done down during each either else enough even ever every everybody everyone everything few for from further get gets getting
  give go goes going gone got had has have having he her here hers herself him himself his how however i if in instead into is it its itself
  just keep kept know last least less let like likely made make many may maybe me might mine more most much must my myself near need neither
  never next no nobody none nor not nothing now of off often oh ok okay on once one only onto or other others our ours ourselves out over own
  per perhaps put quite rather really said same say says see seem seemed seems several shall she should since so some somebody someone
  something sometimes somewhere soon still such take than that the their theirs them themselves then there therefore these they thing things
  think this those though through thus to together too toward towards under until up upon us use used very via want was way we well went were
  what whatever when where whether which while who whoever whole whom whose why will with within without would yeah yes yet you your yours
  yourself yourselves s t d ll m re ve don didn doesn isn wasn aren couldn won wouldn shouldn hasn haven hadn`.split(
    /\s+/,
  ),
);
