import { foldName, hasWhiteSpace, isWithinCharacters, parseDateOrInstant } from '../../kernel/internal-api.ts';
import { sha256Hex } from '../../kernel/plugin-api.ts';

/** Returns an own member of a JSON object, never an inherited one. */
export const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;

/** The first non-empty text among the members. */
export const textMember = (value: unknown, ...names: readonly string[]): string | undefined => {
  for (const name of names) {
    const text = member(value, name);
    if (typeof text === 'string' && text.trim() !== '') return text;
  }
  return undefined;
};

/** The first text or number among the members, as text. */
export const idMember = (value: unknown, ...names: readonly string[]): string | undefined => {
  for (const name of names) {
    const id = member(value, name);
    if (typeof id === 'number') return String(id);
    if (typeof id === 'string' && id.trim() !== '') return id.trim();
  }
  return undefined;
};

export const listMember = (value: unknown, name: string): readonly unknown[] => {
  const list = member(value, name);
  return Array.isArray(list) ? list : [];
};

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const MAX_WRAPPED = 1024 * 1024;

/** Returns the JSON object in a text; undefined for other text, and for text longer than `MAX_WRAPPED`. */
export const parsedObject = (text: string): Readonly<Record<string, unknown>> | undefined => {
  if (!text.trimStart().startsWith('{') || text.length > MAX_WRAPPED) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** Twelve characters that identify a text. */
export const shortDigest = (text: string): string => sha256Hex(text).slice(0, 12);

const MAX_WORD = 64;

/** Makes a relation segment from any text. Texts with the same match key give the same segment. */
export const relationPart = (text: string): string => {
  const word = foldName(text).replaceAll(/[\p{C}\s]/gu, '-');
  return word !== '' && isWithinCharacters(word, MAX_WORD) && !hasWhiteSpace(word) ? word : shortDigest(word);
};

/** The name of a relation as the origin writes it, without spaces. */
export const relationWord = (text: string): string => {
  const word = text.trim().replaceAll(/[\p{C}\s]+/gu, '_');
  return word !== '' && isWithinCharacters(word, MAX_WORD) ? word : shortDigest(text);
};

const NAIVE = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)([.,]\d{1,9})?\s*(Z|UTC|[+-]\d{2}:?\d{2}|[+-]\d{2})?$/i;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** Numbers from here on count milliseconds, because as seconds they would be after the year 5000. */
const MILLISECONDS_FROM = 1e11;
/** Some products write the first possible instant for an absent one. */
const NO_INSTANT = /^0*1-01-01/;

/** Implements `ImportSettings.instant`. `offset` is the offset of the run, for example `+02:00`. */
export const originInstant = (value: unknown, offset: string): string | undefined => {
  if (typeof value === 'number') return fromNumber(value);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (NO_INSTANT.test(text)) return undefined;
  if (DATE.test(text)) return valid(`${text}T00:00:00${offset}`);
  if (parseDateOrInstant(text) !== null) return text;
  const [, day, time = '', fraction = '', zone] = NAIVE.exec(text) ?? [];
  if (day === undefined) return /^\d{9,13}(\.\d+)?$/.test(text) ? fromNumber(Number(text)) : undefined;
  const seconds = time.length === 5 ? `${time}:00` : time;
  return valid(`${day}T${seconds}${fraction.replace(',', '.')}${zone === undefined ? offset : spelledZone(zone)}`);
};

const DAY_MS = 86_400_000;

/** Implements `ImportSettings.end`. */
export const originEnd = (value: unknown, offset: string): string | undefined => {
  const text = typeof value === 'string' ? value.trim() : '';
  if (!DATE.test(text)) return originInstant(value, offset);
  const day = parseDateOrInstant(text);
  if (day === null || NO_INSTANT.test(text)) return undefined;
  const [next] = new Date(day + DAY_MS).toISOString().split('T');
  // The last day of the calendar has no next day.
  return originInstant(next, offset) ?? originInstant(`${text}T23:59:59`, offset);
};

const spelledZone = (zone: string): string => {
  if (/^(Z|UTC)$/i.test(zone)) return 'Z';
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  return `${zone[0]}${digits.slice(0, 2)}:${digits.slice(2)}`;
};

const valid = (text: string): string | undefined => (parseDateOrInstant(text) === null ? undefined : text);

const fromNumber = (number: number): string | undefined => {
  if (!Number.isFinite(number) || number <= 0) return undefined;
  const ms = Math.round(number >= MILLISECONDS_FROM ? number : number * 1_000);
  return ms < 253_402_300_800_000 ? new Date(ms).toISOString() : undefined;
};
