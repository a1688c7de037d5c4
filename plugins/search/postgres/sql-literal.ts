/** Returns true if a text column can store the text. Other texts equal no stored name. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** Returns texts as an array literal, without those that a text column cannot store. */
export const literal = (texts: readonly string[]): string =>
  `{${texts
    .filter(isStorable)
    .map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`)
    .join()}}`;
