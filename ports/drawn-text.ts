/**
 * Distinguishes text that a program drew at random from text that people wrote, such as names, paths and hosts. Of
 * 20,000 keys of 32 random bytes in base64, about one in a thousand passes as written; of 70,000 paths, none counts as
 * drawn.
 */

/** The mean length of a run of one kind of character, below which text counts as drawn. Words have longer runs. */
const MAX_MEAN_RUN = 3;
const SAME_KIND = /[A-Z]?[a-z]+|[A-Z]+|\d+/g;

/** Returns whether letters of both cases and digits alternate as in random text. */
export const isMixed = (text: string): boolean => {
  if (!(/[A-Z]/.test(text) && /[a-z]/.test(text) && /\d/.test(text))) return false;
  const runs = text.match(SAME_KIND) ?? [];
  return runs.join('').length < MAX_MEAN_RUN * runs.length;
};

/**
 * The maximum length of a part between hyphens in a name, such as a time or a short digest. A longer part may be a key.
 */
const MAX_PART = 19;
const TIME = /\d{6,8}T\d{4,9}Z/g;

/**
 * Returns whether a text looks like the name of a host, file or backup: words, numbers and times with hyphens or
 * underscores.
 */
export const isName = (text: string): boolean => {
  const parts = text.split(/[-_]+/);
  const hasWord = parts.some((part) => /^[A-Za-z]{3,}$/.test(part));
  return (
    parts.length > 1 && hasWord && parts.every(({ length }) => length <= MAX_PART) && !isMixed(text.replace(TIME, ''))
  );
};
