/**
 * Identifiers of entries are UUIDs (version 8) that begin with the number of the entry: where several entries have the
 * same instant, the order of their identifiers is that of the log. `tail` is the last 17 characters of a UUID, and
 * differs between tenants and nodes, whose entries have the same numbers.
 */
export const entryId = (number: number, tail: string): string => {
  const digits = number.toString(16).padStart(NUMBER_DIGITS, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${VERSION}${digits.slice(12)}-${tail}`;
};

/** What `entryId` takes of a UUID that is there already. */
export const tailOf = (uuid: string): string => uuid.slice(TAIL_START);

/**
 * The first number whose identifiers do not come before this one. Identifiers of an older store are random, and lie
 * anywhere among the others.
 */
export const numberBound = (id: string): number => {
  const high = Number.parseInt(`${id.slice(0, 8)}${id.slice(9, 13)}`, 16) * LOW_NUMBERS;
  const version = id.charAt(VERSION_AT);
  if (version < VERSION) return high;
  return version === VERSION
    ? high + Number.parseInt(id.slice(VERSION_AT + 1, TAIL_START - 1), 16)
    : high + LOW_NUMBERS;
};

const VERSION = '8';
const VERSION_AT = 14;
const TAIL_START = 19;
const NUMBER_DIGITS = 15;
/** How many numbers share the digits before the version. */
const LOW_NUMBERS = 16 ** 3;
