/** Returns a number with its noun: 1 fact, 2 facts. `plural` is for nouns whose plural is not formed by an s alone. */
export const countNoun = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;
