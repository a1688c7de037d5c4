/** Returns true if a column may hold the text. No stored name equals any other text. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** Returns a list of texts as an array literal, without those that no column holds. */
export const literal = (texts: readonly string[]): string =>
  `{${texts
    .filter(isStorable)
    .map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`)
    .join()}}`;
