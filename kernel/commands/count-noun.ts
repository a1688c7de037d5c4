/** Returns a number with its noun: 1 fact, 2 facts. */
export const countNoun = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
