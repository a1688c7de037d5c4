/** Takes endings off a folded, lower-cased word of one language. */
export type Stem = (word: string) => string;

/**
 * One step of a light stemmer: it cuts the longest ending of the word that leaves `least` letters, or replaces it by
 * the text after its `>`. Endings are separated by blanks.
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

/** One step after the other. */
export const inSteps =
  (...steps: readonly Stem[]): Stem =>
  (word) =>
    steps.reduce((stem, step) => step(stem), word);

/** A step that replaces what the pattern matches. */
export const replacing =
  (pattern: RegExp, by: string): Stem =>
  (word) =>
    word.replace(pattern, by);

/** A step that keeps the first letters alone. */
export const firstLetters =
  (most: number): Stem =>
  (word) =>
    word.slice(0, most);
