/**
 * Tells text that a program drew at random from text that people made: names, paths, hosts. Of 20,000 keys of 32 random
 * bytes in base64, about one in a thousand counts as made; of 70,000 paths, none counts as drawn.
 */

/** Drawn text changes its kind of character after fewer characters than words, which begin with one capital at most. */
const MAX_MEAN_RUN = 3;
const SAME_KIND = /[A-Z]?[a-z]+|[A-Z]+|\d+/g;

/** Returns whether letters of both cases and digits follow each other as by chance. */
export const isMixed = (text: string): boolean => {
  if (!(/[A-Z]/.test(text) && /[a-z]/.test(text) && /\d/.test(text))) return false;
  const runs = text.match(SAME_KIND) ?? [];
  return runs.join('').length < MAX_MEAN_RUN * runs.length;
};

/** The length from which a part between hyphens is a key rather than a time, a number or the short form of a digest. */
const MAX_PART = 19;
const TIME = /\d{6,8}T\d{4,9}Z/g;

/** Returns whether hyphens or underscores join words, numbers and times, as in names of hosts, files and backups. */
export const isName = (text: string): boolean => {
  const parts = text.split(/[-_]+/);
  const hasWord = parts.some((part) => /^[A-Za-z]{3,}$/.test(part));
  return (
    parts.length > 1 && hasWord && parts.every(({ length }) => length <= MAX_PART) && !isMixed(text.replace(TIME, ''))
  );
};
