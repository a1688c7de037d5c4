/**
 * Instants of RFC 3339. `Date` is not used to read them: it takes 30 February for 2 March and accepts many invalid
 * forms. Lower-case `t` and `z` are accepted; a blank between date and time is not. A leap second (`:60`) is accepted
 * only at 23:59:60 UTC on the last day of a month, and counts as the second after it, as in POSIX time. An instant must
 * lie in the years 0000 to 9999 in UTC too, so that every accepted one can be written again.
 */

/**
 * Parses an RFC 3339 date-time as milliseconds since the epoch, without digits beyond the millisecond; null for
 * anything else.
 */
export const parseInstant = (text: string): number | null => readDateTime(text)?.ms ?? null;

/** Parses a date-time, or a full date (`2026-03-02`) as its midnight in UTC. */
export const parseDateOrInstant = (text: string): number | null => readDateOrDateTime(text)?.ms ?? null;

/**
 * Returns a key that is equal for two texts exactly when they denote the same instant, to the last digit of the
 * fraction. Returns null for a text that is neither a date-time nor a date. Keys have no order.
 */
export const instantKey = (text: string): string | null => {
  const moment = readDateOrDateTime(text);
  if (moment === null) return null;
  return moment.finer === '' ? String(moment.ms) : `${moment.ms}+${moment.finer}`;
};

/** Formats an instant as `2026-03-02T09:15:04.120Z`. Throws a RangeError outside the years 0000 to 9999. */
export const formatInstant = (ms: number): string => {
  if (ms === last.ms) return last.text;
  if (!(ms >= FIRST_INSTANT_MS && ms <= LAST_INSTANT_MS))
    throw new RangeError('instant outside the years 0000 to 9999');
  last = { ms, text: new Date(ms).toISOString() };
  return last.text;
};

/** The result of the last call, because all facts of a transaction have the same instant. */
let last = { ms: Number.NaN, text: '' };

/** 0000-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z. */
export const FIRST_INSTANT_MS = -62_167_219_200_000;
export const LAST_INSTANT_MS = 253_402_300_799_999;

/** The maximum length of a text. RFC 3339 has no limit, but no clock measures a longer fraction. */
const MAX_LENGTH = 64;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const SECOND_MS = 1000;
const DATE_LENGTH = 10;
const SECONDS_END = 19;

interface Moment {
  readonly ms: number;
  /** The digits of the fraction beyond the millisecond, without trailing zeros. */
  readonly finer: string;
}

const readDateOrDateTime = (text: string): Moment | null => {
  if (text.length !== DATE_LENGTH) return readDateTime(text);
  const ms = readDate(text);
  return Number.isNaN(ms) ? null : { ms, finer: '' };
};

const readDateTime = (text: string): Moment | null => {
  if (text.length < SECONDS_END + 1 || text.length > MAX_LENGTH) return null;
  const dayMs = readDate(text);
  const hour = readDigits(text, 11, 2);
  const minute = readDigits(text, 14, 2);
  const second = readDigits(text, 17, 2);
  const separators = (text[10] === 'T' || text[10] === 't') && text[13] === ':' && text[16] === ':';
  if (!separators || !(hour <= 23 && minute <= 59 && second <= 60) || Number.isNaN(dayMs)) return null;
  const fractionEnd = endOfFraction(text);
  const offsetMs = readOffset(text, fractionEnd);
  if (Number.isNaN(fractionEnd) || Number.isNaN(offsetMs)) return null;
  const wholeMs = dayMs + hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS - offsetMs;
  if (second === 60 && !isEndOfMonth(wholeMs)) return null;
  const fraction = text.slice(SECONDS_END + 1, fractionEnd);
  const ms = wholeMs + Number(fraction.slice(0, 3).padEnd(3, '0'));
  if (ms < FIRST_INSTANT_MS || ms > LAST_INSTANT_MS) return null;
  return { ms, finer: fraction.length > 3 ? fraction.slice(3).replace(/0+$/, '') : '' };
};

/** Parses a full date at the start of the text as its midnight; NaN without one. */
const readDate = (text: string): number => {
  const year = readDigits(text, 0, 4);
  const month = readDigits(text, 5, 2);
  const day = readDigits(text, 8, 2);
  if (text[4] !== '-' || text[7] !== '-' || !(year >= 0 && month >= 1 && month <= 12)) return Number.NaN;
  return day >= 1 && day <= daysInMonth(year, month) ? daysSinceEpoch(year, month, day) * DAY_MS : Number.NaN;
};

/** Returns the end of an optional fraction after the seconds; NaN for a point without digits. */
const endOfFraction = (text: string): number => {
  if (text[SECONDS_END] !== '.') return SECONDS_END;
  let end = SECONDS_END + 1;
  while (isDigit(text.charCodeAt(end))) end += 1;
  return end > SECONDS_END + 1 ? end : Number.NaN;
};

/** Parses the offset that must fill the rest of the text; NaN for anything else. */
const readOffset = (text: string, at: number): number => {
  const sign = text[at];
  if (sign === 'Z' || sign === 'z') return text.length === at + 1 ? 0 : Number.NaN;
  if ((sign !== '+' && sign !== '-') || text.length !== at + 6 || text[at + 3] !== ':') return Number.NaN;
  const hours = readDigits(text, at + 1, 2);
  const minutes = readDigits(text, at + 4, 2);
  if (!(hours <= 23 && minutes <= 59)) return Number.NaN;
  return (sign === '-' ? -1 : 1) * (hours * HOUR_MS + minutes * MINUTE_MS);
};

/** Parses ASCII digits; NaN for anything else, which fails every comparison. */
const readDigits = (text: string, at: number, count: number): number => {
  let value = 0;
  for (let index = at; index < at + count; index += 1) {
    const code = text.charCodeAt(index);
    if (!isDigit(code)) return Number.NaN;
    value = value * 10 + code - 48;
  }
  return value;
};

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** Returns true for the first instant of a month. */
const isEndOfMonth = (ms: number): boolean => ms % DAY_MS === 0 && new Date(ms).getUTCDate() === 1;

const daysInMonth = (year: number, month: number): number => {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
};

const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/**
 * Returns the days from 1970-01-01 in the proleptic Gregorian calendar. It avoids `Date.UTC`, which moves years below
 * 100 to 1900.
 */
const daysSinceEpoch = (year: number, month: number, day: number): number => {
  // Counts the year from March, so that the leap day is its last and one formula gives the lengths of months.
  const shifted = month > 2 ? year : year - 1;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
};
