/** Removes endings from a folded, lower-cased word of one language. */
export type Stem = (word: string) => string;

/**
 * Returns a step of a light stemmer. It cuts the longest ending that leaves `least` letters, or replaces it by the text
 * after its `>`. Endings are separated by blanks.
 */
export const cutSuffixes = (least: number, endings: string): Stem => {
  const rules = endings
    .trim()
    .split(/\s+/)
    .map((rule) => rule.split('>'))
    .map(([ending = '', becomes = '']) => ({ ending, becomes }))
    .sort((a, b) => b.ending.length - a.ending.length);
  return (word) => {
    for (const { ending, becomes } of rules) {
      const left = word.length - ending.length;
      if (left + becomes.length >= least && word.endsWith(ending)) return word.slice(0, left) + becomes;
    }
    return word;
  };
};

/** Combines steps, which run one after the other. */
export const inSteps =
  (...steps: readonly Stem[]): Stem =>
  (word) =>
    steps.reduce((stem, step) => step(stem), word);

/** Returns a step that replaces each match of the pattern. */
export const replacing =
  (pattern: RegExp, by: string): Stem =>
  (word) =>
    word.replace(pattern, by);

/** Returns a step that keeps only the first letters. */
export const firstLetters =
  (most: number): Stem =>
  (word) =>
    word.slice(0, most);
