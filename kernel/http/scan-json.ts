import { ServiceError } from '../../ports/service-error.ts';
import { isFaithfulNumber } from '../text/faithful-number.ts';
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  LINE_FEED,
  LOWER_A,
  LOWER_E,
  LOWER_F,
  LOWER_N,
  LOWER_T,
  LOWER_U,
  MINUS,
  NINE,
  OPEN_ARRAY,
  OPEN_OBJECT,
  PLUS,
  POINT,
  QUOTE,
  SPACE,
  skipSpace,
  ZERO,
} from './json-bytes.ts';
import { JsonNameList } from './json-name-list.ts';

/** The maximum nesting of arrays and objects. */
const MAX_JSON_DEPTH = 64;
/** The maximum number of members of one object. Larger objects cost several times as much per member. */
const MAX_OBJECT_MEMBERS = 1_000;

/** The number of members and elements that documents may still have. Several documents may share one budget. */
export interface JsonBudget {
  readonly maxValues: number;
  values: number;
}

/** Returns the budget of documents of this many bytes together: one value for each 64 bytes, and at most 262,144. */
export const budgetFor = (maxBytes: number): JsonBudget => ({
  maxValues: Math.min(MAX_VALUES, Math.max(MIN_VALUES, Math.ceil(maxBytes / BYTES_PER_VALUE))),
  values: 0,
});

const MAX_VALUES = 262_144;
const MIN_VALUES = 1_024;
const BYTES_PER_VALUE = 64;

export interface JsonScan {
  /** The byte ranges of numbers that a double cannot represent faithfully, in order. */
  readonly unfaithfulNumbers: readonly (readonly [start: number, end: number])[];
  /** True when an escape may have produced U+0000 or a lone surrogate. */
  readonly suspectEscape: boolean;
}

/**
 * Walks a document once. Throws `malformed_json` unless it is one JSON text (RFC 8259) of at most 64 levels, without
 * duplicate member names in an object. Throws `too_large` at the first member or element beyond a limit. A `JSON.parse`
 * after it cannot fail. Takes valid UTF-8, because bytes are twice as fast to read as characters. Linear in time; the
 * depth bounds the recursion. `root` is the name of the document in messages.
 */
export const scanJson = (bytes: Buffer, root: string, budget: JsonBudget): JsonScan => {
  const scan: Scan = { root, budget, unfaithfulNumbers: [], suspectEscape: false, escapes: 0 };
  if (bytes.length === 0) throw new ServiceError('malformed_json', `the ${root} is empty; send a JSON document`);
  if (bytes[0] === BYTE_ORDER_MARK[0] && bytes.indexOf(BYTE_ORDER_MARK) === 0)
    fail('a byte order mark', bytes, 0, scan);
  const end = skipSpace(bytes, scanValue(bytes, skipSpace(bytes, 0), 0, scan));
  if (end < bytes.length) fail('data after the end of the document', bytes, end, scan);
  return scan;
};

/**
 * Every function below takes the position of its first byte and returns the position after its last. A read past the
 * end is undefined, against its declared type: it equals no byte and fails every comparison.
 */
interface Scan {
  readonly root: string;
  readonly budget: JsonBudget;
  readonly unfaithfulNumbers: [start: number, end: number][];
  suspectEscape: boolean;
  /** The number of escapes so far. */
  escapes: number;
}

const scanValue = (bytes: Buffer, at: number, depth: number, scan: Scan): number => {
  const code = bytes[at] as number;
  if (code === QUOTE) return scanString(bytes, at, scan);
  if (code === OPEN_OBJECT) return scanObject(bytes, at, depth + 1, scan);
  if (code === OPEN_ARRAY) return scanArray(bytes, at, depth + 1, scan);
  if (isDigit(code) || code === MINUS) return scanNumber(bytes, at, scan);
  if (code === LOWER_N) return scanWord(bytes, at, NULL, scan);
  if (code === LOWER_T) return scanWord(bytes, at, TRUE, scan);
  if (code === LOWER_F) return scanWord(bytes, at, FALSE, scan);
  return fail('no JSON value', bytes, at, scan);
};

const scanWord = (bytes: Buffer, at: number, word: Buffer, scan: Scan): number => {
  for (let index = 1; index < word.length; index += 1) {
    if (bytes[at + index] !== word[index]) fail('no JSON value', bytes, at, scan);
  }
  return at + word.length;
};

const scanObject = (bytes: Buffer, open: number, depth: number, scan: Scan): number => {
  if (depth > MAX_JSON_DEPTH) failDepth(bytes, open, scan);
  let at = skipSpace(bytes, open + 1);
  if (bytes[at] === CLOSE_OBJECT) return at + 1;
  const names = new JsonNameList();
  for (;;) {
    if (bytes[at] !== QUOTE) fail('no member name in double quotes', bytes, at, scan);
    const escapesBefore = scan.escapes;
    const nameEnd = scanString(bytes, at, scan);
    if (!names.add(bytes, at, nameEnd, scan.escapes > escapesBefore)) {
      fail('a member name that its object already has', bytes, at, scan);
    }
    if (names.count > MAX_OBJECT_MEMBERS) failObject(scan);
    countValue(scan);
    at = skipSpace(bytes, nameEnd);
    if (bytes[at] !== COLON) fail('no colon after a member name', bytes, at, scan);
    at = skipSpace(bytes, scanValue(bytes, skipSpace(bytes, at + 1), depth, scan));
    const code = bytes[at] as number;
    if (code === CLOSE_OBJECT) return at + 1;
    if (code !== COMMA) fail('neither a comma nor the end of the object', bytes, at, scan);
    at = skipSpace(bytes, at + 1);
  }
};

const scanArray = (bytes: Buffer, open: number, depth: number, scan: Scan): number => {
  if (depth > MAX_JSON_DEPTH) failDepth(bytes, open, scan);
  let at = skipSpace(bytes, open + 1);
  if (bytes[at] === CLOSE_ARRAY) return at + 1;
  for (;;) {
    countValue(scan);
    at = skipSpace(bytes, scanValue(bytes, at, depth, scan));
    const code = bytes[at] as number;
    if (code === CLOSE_ARRAY) return at + 1;
    if (code !== COMMA) fail('neither a comma nor the end of the array', bytes, at, scan);
    at = skipSpace(bytes, at + 1);
  }
};

const scanString = (bytes: Buffer, open: number, scan: Scan): number => {
  let at = open + 1;
  for (;;) {
    const code = bytes[at] as number;
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at = scanEscape(bytes, at, scan);
    else if (code >= SPACE) at += 1;
    else fail(at < bytes.length ? 'a control character in a string' : 'the end inside a string', bytes, at, scan);
  }
};

const scanEscape = (bytes: Buffer, at: number, scan: Scan): number => {
  scan.escapes += 1;
  const code = bytes[at + 1] as number;
  if (code === LOWER_U) {
    const unit = readHex(bytes, at + 2);
    if (unit < 0) fail('a broken \\u escape', bytes, at, scan);
    // Marks the escape as suspect, because only the whole string shows whether a surrogate has its other half.
    if (unit === 0 || (unit & SURROGATE_MASK) === SURROGATE) scan.suspectEscape = true;
    return at + 6;
  }
  if (!SHORT_ESCAPES.includes(code)) fail('an unknown escape', bytes, at, scan);
  return at + 2;
};

/** Returns the value of four hexadecimal digits; -1 when there are fewer. */
const readHex = (bytes: Buffer, at: number): number => {
  let value = 0;
  for (let index = at; index < at + 4; index += 1) {
    const code = bytes[index] as number;
    const letter = (code | LOWER_CASE) - LOWER_A;
    if (isDigit(code)) value = value * 16 + code - ZERO;
    else if (letter >= 0 && letter < 6) value = value * 16 + letter + 10;
    else return -1;
  }
  return value;
};

const scanNumber = (bytes: Buffer, start: number, scan: Scan): number => {
  const wholeStart = bytes[start] === MINUS ? start + 1 : start;
  let at = skipDigits(bytes, wholeStart);
  if (at === wholeStart) fail('a number without digits', bytes, at, scan);
  if (bytes[wholeStart] === ZERO && at > wholeStart + 1) fail('a number with a leading zero', bytes, start, scan);
  if (bytes[at] === POINT) at = requireDigits(bytes, at + 1, scan);
  const exponent = (bytes[at] as number) | LOWER_CASE;
  if (exponent === LOWER_E) {
    const sign = bytes[at + 1];
    at = requireDigits(bytes, sign === PLUS || sign === MINUS ? at + 2 : at + 1, scan);
  }
  const isPlain = exponent !== LOWER_E && at - start <= SAFE_NUMBER_LENGTH;
  if (!isPlain && !isFaithfulNumber(bytes.toString('latin1', start, at))) scan.unfaithfulNumbers.push([start, at]);
  return at;
};

const requireDigits = (bytes: Buffer, at: number, scan: Scan): number => {
  const end = skipDigits(bytes, at);
  return end > at ? end : fail('a number that breaks off', bytes, at, scan);
};

const skipDigits = (bytes: Buffer, at: number): number => {
  let end = at;
  while (isDigit(bytes[end] as number)) end += 1;
  return end;
};

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;

const countValue = ({ root, budget }: Scan): void => {
  budget.values += 1;
  if (budget.values > budget.maxValues) {
    const problem = `the ${root} has more than ${budget.maxValues} members and elements; send it in parts`;
    throw new ServiceError('too_large', problem);
  }
};

const failObject = ({ root }: Scan): never => {
  throw new ServiceError('too_large', `the ${root} has an object with more than ${MAX_OBJECT_MEMBERS} members`);
};

const fail = (problem: string, bytes: Buffer, at: number, scan: Scan): never => {
  let line = 1;
  let lineStart = 0;
  for (let feed = bytes.indexOf(LINE_FEED); feed !== -1 && feed < at; feed = bytes.indexOf(LINE_FEED, lineStart)) {
    line += 1;
    lineStart = feed + 1;
  }
  const place = `line ${line}, column ${bytes.toString('utf8', lineStart, at).length + 1}`;
  throw new ServiceError('malformed_json', `the ${scan.root} is not valid JSON: ${problem} at ${place}`);
};

const failDepth = (bytes: Buffer, at: number, scan: Scan): never =>
  fail(`more than ${MAX_JSON_DEPTH} levels of nesting`, bytes, at, scan);

/** The length up to which a plain number always fits a double. Longer ones, and those with an exponent, are checked. */
const SAFE_NUMBER_LENGTH = 15;

const BYTE_ORDER_MARK = Buffer.from('\ufeff');
const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');
const NULL = Buffer.from('null');
const SHORT_ESCAPES: readonly number[] = [...Buffer.from('"\\/bfnrt')];

/** The bit that turns an ASCII capital into its small letter. */
const LOWER_CASE = 0x20;
/** The top five bits of either half of a surrogate pair. */
const SURROGATE = 0xd800;
const SURROGATE_MASK = 0xf800;
