/** Returns the first text after all that begin with the prefix, by code points; undefined if there is none. */
export const textAfter = (prefix: string): string | undefined => {
  const characters = Array.from(prefix);
  while (characters.length > 0) {
    const code = characters.pop()?.codePointAt(0) as number;
    if (code < LAST_CHARACTER) {
      // No text of the store holds a surrogate.
      const next = code === BEFORE_SURROGATES ? AFTER_SURROGATES : code + 1;
      return characters.join('') + String.fromCodePoint(next);
    }
  }
  return undefined;
};

const LAST_CHARACTER = 0x10ffff;
const BEFORE_SURROGATES = 0xd7ff;
const AFTER_SURROGATES = 0xe000;

/** Returns a condition, with its values, for texts of a column that begin with the prefix. An index answers it. */
export const textsFrom = (column: string, prefix: string): { within: string; bounds: readonly string[] } => {
  const end = textAfter(prefix);
  if (end === undefined) return { within: `${column} >= ?`, bounds: [prefix] };
  return { within: `${column} >= ? AND ${column} < ?`, bounds: [prefix, end] };
};
