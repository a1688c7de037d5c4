/** The number of edits beyond which two names are unrelated. */
const MAX_EDITS = 3;

/**
 * Returns the known name closest to a mistyped one, or one that begins or ends with it as a word; undefined when none
 * is similar.
 */
export const closestName = (name: string, known: Iterable<string>): string | undefined => {
  const candidates = [...known];
  let best: { name: string; edits: number } | undefined;
  for (const candidate of candidates) {
    const edits = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (edits <= MAX_EDITS && edits < candidate.length / 2 && (best === undefined || edits < best.edits)) {
      best = { name: candidate, edits };
    }
  }
  return best?.name ?? wholeNameOf(name.toLowerCase(), candidates);
};

/** Returns the first name that begins or ends with the word, such as `entity_uri` for `entity`. */
const wholeNameOf = (word: string, known: readonly string[]): string | undefined =>
  word.length < MIN_WORD_LENGTH
    ? undefined
    : known.find((candidate) => candidate.startsWith(`${word}_`) || candidate.endsWith(`_${word}`));

/** The minimum length of such a word, because shorter ones are part of too many names. */
const MIN_WORD_LENGTH = 3;

/** Returns the Levenshtein distance, in which insertions, deletions and replacements count one each. */
const editDistance = (a: string, b: string): number => {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
};
