/** True if each search word occurs somewhere in the texts. */
export const matchesWords = (texts: readonly string[], words: string): boolean => {
  const text = texts.join(' ').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
};
