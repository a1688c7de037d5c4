const FORM = /^(\d{10})-(\d{1,16})(-resumed)?$/;
const NUMBER_DIGITS = 10;

/** The parts of the name of an increment. A list of names shows which points in time a chain reaches. */
export interface IncrementName {
  /** 0 for the base, then counted up. */
  readonly number: number;
  /** The point in time that the file reaches, in milliseconds since the epoch: it has no later commit. */
  readonly untilMs: number;
  /** True for the changes since the end of an earlier recording, whose moments nobody knows. */
  readonly isResumed: boolean;
}

export const incrementName = ({ number, untilMs, isResumed }: IncrementName): string =>
  `${startOfIncrement(number)}${untilMs}${isResumed ? '-resumed' : ''}`;

/** Returns how the name of an increment with this number begins. */
export const startOfIncrement = (number: number): string => `${String(number).padStart(NUMBER_DIGITS, '0')}-`;

/** Returns undefined for a text that names no increment. */
export const readIncrementName = (name: string): IncrementName | undefined => {
  const [, number, untilMs, resumed] = FORM.exec(name) ?? [];
  if (number === undefined) return undefined;
  return { number: Number(number), untilMs: Number(untilMs), isResumed: resumed !== undefined };
};
