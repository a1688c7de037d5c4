import { ServiceError } from '../../ports/service-error.ts';
import { isFaithfulNumber } from './faithful-number.ts';
import { JsonNameList } from './json-name-list.ts';

/** The maximum nesting of arrays and objects. */
const MAX_JSON_DEPTH = 64;

export interface JsonScan {
  /** The byte ranges of numbers that a double cannot represent faithfully, in order. */
  readonly unfaithfulNumbers: readonly (readonly [start: number, end: number])[];
  /** True when an escape may have produced U+0000 or a lone surrogate. */
  readonly suspectEscape: boolean;
}

/**
 * Walks a document once. Throws `malformed_json` unless it is one JSON text (RFC 8259) of at most 64 levels, without
 * duplicate member names in an object. A `JSON.parse` after it cannot fail. Takes valid UTF-8, because bytes are twice
 * as fast to read as characters. Linear in time; the depth bounds the recursion. `root` is the name of the document in
 * messages.
 */
export const scanJson = (bytes: Buffer, root: string): JsonScan => {
  const scan: Scan = { root, unfaithfulNumbers: [], suspectEscape: false, escapes: 0 };
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
    // Marks the escape as suspect, because only the whole string shows whether half a surrogate pair stands alone.
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

const skipSpace = (bytes: Buffer, at: number): number => {
  let end = at;
  for (;;) {
    const code = bytes[end] as number;
    if (code > SPACE || (code !== SPACE && code !== LINE_FEED && code !== CARRIAGE_RETURN && code !== TAB)) return end;
    end += 1;
  }
};

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;

const fail = (problem: string, bytes: Buffer, at: number, scan: Scan): never => {
  const lines = bytes.toString('utf8', 0, at).split('\n');
  const place = `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
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

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const LOWER_A = 0x61;
const LOWER_E = 0x65;
const LOWER_F = 0x66;
const LOWER_N = 0x6e;
const LOWER_T = 0x74;
const LOWER_U = 0x75;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** The bit that turns an ASCII capital into its small letter. */
const LOWER_CASE = 0x20;
/** The top five bits of either half of a surrogate pair. */
const SURROGATE = 0xd800;
const SURROGATE_MASK = 0xf800;
