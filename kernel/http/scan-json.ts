import { ServiceError } from '../../ports/service-error.ts';
import { isFaithfulNumber } from './faithful-number.ts';

/** Deepest accepted nesting of arrays and objects. */
export const MAX_JSON_DEPTH = 64;

export interface JsonScan {
  /** Where the numbers stand that a double cannot take faithfully, in order. */
  readonly unfaithfulNumbers: readonly (readonly [start: number, end: number])[];
  /** True when an escape may have produced U+0000 or a lone surrogate. */
  readonly suspectEscape: boolean;
}

/**
 * Walks a text once and throws `malformed_json` unless it is one JSON document (RFC 8259) of at most 64 levels in which no
 * object has a member name twice, so that a `JSON.parse` after it cannot fail. Takes linear time; the recursion ends at
 * the allowed depth. `root` is how messages call the document.
 */
export const scanJson = (text: string, root: string): JsonScan => {
  const scan: Scan = { root, unfaithfulNumbers: [], suspectEscape: false, escapes: 0 };
  if (text === '') throw new ServiceError('malformed_json', `the ${root} is empty; send a JSON document`);
  if (text.charCodeAt(0) === BYTE_ORDER_MARK) fail('a byte order mark', text, 0, scan);
  const end = skipSpace(text, scanValue(text, skipSpace(text, 0), 0, scan));
  if (end < text.length) fail('data after the end of the document', text, end, scan);
  return scan;
};

/** Every function below takes the position of its first character and answers the position after its last. */
interface Scan {
  readonly root: string;
  readonly unfaithfulNumbers: [start: number, end: number][];
  suspectEscape: boolean;
  /** How many escapes were seen so far. */
  escapes: number;
}

const scanValue = (text: string, at: number, depth: number, scan: Scan): number => {
  const code = text.charCodeAt(at);
  if (code === QUOTE) return scanString(text, at, scan);
  if (code === OPEN_OBJECT) return scanObject(text, at, depth + 1, scan);
  if (code === OPEN_ARRAY) return scanArray(text, at, depth + 1, scan);
  if (isDigit(code) || code === MINUS) return scanNumber(text, at, scan);
  if (text.startsWith('true', at) || text.startsWith('null', at)) return at + 4;
  if (text.startsWith('false', at)) return at + 5;
  return fail('no JSON value', text, at, scan);
};

const scanObject = (text: string, open: number, depth: number, scan: Scan): number => {
  if (depth > MAX_JSON_DEPTH) failDepth(text, open, scan);
  let at = skipSpace(text, open + 1);
  if (text.charCodeAt(at) === CLOSE_OBJECT) return at + 1;
  const names = new NameList();
  for (;;) {
    if (text.charCodeAt(at) !== QUOTE) fail('no member name in double quotes', text, at, scan);
    const escapesBefore = scan.escapes;
    const nameEnd = scanString(text, at, scan);
    if (!names.add(text, at, nameEnd, scan.escapes > escapesBefore)) {
      fail('a member name that its object already has', text, at, scan);
    }
    at = skipSpace(text, nameEnd);
    if (text.charCodeAt(at) !== COLON) fail('no colon after a member name', text, at, scan);
    at = skipSpace(text, scanValue(text, skipSpace(text, at + 1), depth, scan));
    const code = text.charCodeAt(at);
    if (code === CLOSE_OBJECT) return at + 1;
    if (code !== COMMA) fail('neither a comma nor the end of the object', text, at, scan);
    at = skipSpace(text, at + 1);
  }
};

const scanArray = (text: string, open: number, depth: number, scan: Scan): number => {
  if (depth > MAX_JSON_DEPTH) failDepth(text, open, scan);
  let at = skipSpace(text, open + 1);
  if (text.charCodeAt(at) === CLOSE_ARRAY) return at + 1;
  for (;;) {
    at = skipSpace(text, scanValue(text, at, depth, scan));
    const code = text.charCodeAt(at);
    if (code === CLOSE_ARRAY) return at + 1;
    if (code !== COMMA) fail('neither a comma nor the end of the array', text, at, scan);
    at = skipSpace(text, at + 1);
  }
};

const scanString = (text: string, open: number, scan: Scan): number => {
  let at = open + 1;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at = scanEscape(text, at, scan);
    else if (code >= SPACE) at += 1;
    else fail(at < text.length ? 'a control character in a string' : 'the end inside a string', text, at, scan);
  }
};

const scanEscape = (text: string, at: number, scan: Scan): number => {
  scan.escapes += 1;
  const escaped = text.charAt(at + 1);
  if (escaped === 'u') {
    HEX_4.lastIndex = at + 2;
    if (!HEX_4.test(text)) fail('a broken \\u escape', text, at, scan);
    if (SUSPECT_HEX.test(text.slice(at + 2, at + 6))) scan.suspectEscape = true;
    return at + 6;
  }
  if (escaped === '' || !'"\\/bfnrt'.includes(escaped)) fail('an unknown escape', text, at, scan);
  return at + 2;
};

const scanNumber = (text: string, start: number, scan: Scan): number => {
  const wholeStart = text.charCodeAt(start) === MINUS ? start + 1 : start;
  let at = skipDigits(text, wholeStart);
  if (at === wholeStart) fail('a number without digits', text, at, scan);
  if (text.charCodeAt(wholeStart) === ZERO && at > wholeStart + 1)
    fail('a number with a leading zero', text, start, scan);
  if (text.charCodeAt(at) === POINT) at = requireDigits(text, at + 1, scan);
  const exponent = text.charCodeAt(at) | LOWER_CASE;
  if (exponent === LOWER_E) {
    const sign = text.charCodeAt(at + 1);
    at = requireDigits(text, sign === PLUS || sign === MINUS ? at + 2 : at + 1, scan);
  }
  const isPlain = exponent !== LOWER_E && at - start <= SAFE_NUMBER_LENGTH;
  if (!isPlain && !isFaithfulNumber(text.slice(start, at))) scan.unfaithfulNumbers.push([start, at]);
  return at;
};

const requireDigits = (text: string, at: number, scan: Scan): number => {
  const end = skipDigits(text, at);
  return end > at ? end : fail('a number that breaks off', text, at, scan);
};

const skipDigits = (text: string, at: number): number => {
  let end = at;
  while (isDigit(text.charCodeAt(end))) end += 1;
  return end;
};

const skipSpace = (text: string, at: number): number => {
  let end = at;
  for (;;) {
    const code = text.charCodeAt(end);
    if (code > SPACE || (code !== SPACE && code !== LINE_FEED && code !== CARRIAGE_RETURN && code !== TAB)) return end;
    end += 1;
  }
};

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;

/** The names of one object. Few names are compared in place, because cutting each out of the text would cost more than the rest. */
class NameList {
  /** Three numbers a name: fingerprint, position of its first quote, position after its last. */
  private readonly spans: number[] = [];
  private decoded: Set<string> | undefined;

  /** Adds the name between two quotes; false when it is already there. `"a"` and `"\u0061"` are one name. */
  add(text: string, open: number, end: number, isEscaped: boolean): boolean {
    const { spans } = this;
    if (isEscaped || this.decoded !== undefined || spans.length === MAX_SPANS) return this.addDecoded(text, open, end);
    const print = fingerprint(text, open, end);
    for (let at = 0; at < spans.length; at += 3) {
      if (spans[at] === print && text.slice(spans[at + 1], spans[at + 2]) === text.slice(open, end)) return false;
    }
    spans.push(print, open, end);
    return true;
  }

  private addDecoded(text: string, open: number, end: number): boolean {
    if (this.decoded === undefined) {
      this.decoded = new Set();
      for (let at = 0; at < this.spans.length; at += 3) {
        this.decoded.add(text.slice((this.spans[at + 1] as number) + 1, (this.spans[at + 2] as number) - 1));
      }
    }
    const size = this.decoded.size;
    return this.decoded.add(JSON.parse(text.slice(open, end)) as string).size > size;
  }
}

/** Equal for equal names and mostly different for others; 30 bits, which an array holds without boxing. */
const fingerprint = (text: string, open: number, end: number): number => {
  const ends = (text.charCodeAt(open + 1) << 5) ^ text.charCodeAt(end - 2);
  return (((end - open) << 10) ^ (text.charCodeAt((open + end) >> 1) << 15) ^ ends) & 0x3fffffff;
};

const fail = (problem: string, text: string, at: number, scan: Scan): never => {
  const before = text.slice(0, at);
  const lines = before.split('\n');
  const place = `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
  throw new ServiceError('malformed_json', `the ${scan.root} is not valid JSON: ${problem} at ${place}`);
};

const failDepth = (text: string, at: number, scan: Scan): never =>
  fail(`more than ${MAX_JSON_DEPTH} levels of nesting`, text, at, scan);

/** Twelve names; beyond, a set is faster. */
const MAX_SPANS = 36;

/** A plain number of so many characters fits a double; longer ones, and those with an exponent, are looked at. */
const SAFE_NUMBER_LENGTH = 15;

const HEX_4 = /[0-9a-fA-F]{4}/y;
/** Code units that are, or may leave behind, a forbidden code point: zero and either half of a surrogate pair. */
const SUSPECT_HEX = /^(?:0000|[dD][89a-fA-F])/;

const BYTE_ORDER_MARK = 0xfeff;
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
const LOWER_E = 0x65;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** Turns an ASCII capital into its small letter. */
const LOWER_CASE = 0x20;
