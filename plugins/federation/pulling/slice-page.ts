import { othersGoFirst, parseStrictJson } from '../../../kernel/internal-api.ts';
import { ServiceError } from '../../../kernel/plugin-api.ts';

/** A peer's page, split into the items of `facts` and the other members. */
export interface SlicedPage {
  /** The facts in order; undefined for an item that is not JSON, too large or nested too deep. */
  readonly facts: readonly unknown[];
  /** The other members, of any shape. */
  readonly rest: Readonly<Record<string, unknown>>;
}

export interface SliceLimits {
  readonly maxItems: number;
  readonly maxItemBytes: number;
}

/** The maximum nesting depth, deeper than any valid item. A deeper page is malformed as a whole. */
const MAX_DEPTH = 1_024;
/** The maximum size of the members around the facts, which are parsed at once. */
const MAX_REST_BYTES = 64 * 1024;
/** The number of bytes scanned before other work of the process gets a turn. */
const TURN_BYTES = 512 * 1024;

/**
 * Reads a page so that the valid items can be used even if another item is broken. It finds the ends of items by
 * brackets and quotes alone, then parses each item by itself. Throws `malformed_json` for a page that cannot be split,
 * and `batch_too_large` for one with more items than requested.
 */
export const slicePage = async (body: Uint8Array, limits: SliceLimits): Promise<SlicedPage> => {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const list = await findFacts(bytes, limits);
  if (list === undefined) return { facts: [], rest: readRest(bytes) };
  const rest = readRest(Buffer.concat([bytes.subarray(0, list.open), EMPTY_LIST, bytes.subarray(list.end)]));
  const facts: unknown[] = [];
  let read = 0;
  for (const [start, end] of list.items) {
    if (read > TURN_BYTES) {
      await othersGoFirst();
      read = 0;
    }
    read += end - start;
    facts.push(end - start > limits.maxItemBytes ? undefined : parseItem(bytes.subarray(start, end)));
  }
  return { facts, rest };
};

const EMPTY_LIST = Buffer.from('[]');

const malformed = (): ServiceError => new ServiceError('malformed_json', 'the page is not valid JSON');

const parseItem = (item: Buffer): unknown => {
  try {
    return parseStrictJson(item, 'fact');
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
};

const readRest = (bytes: Buffer): SlicedPage['rest'] => {
  if (bytes.length > MAX_REST_BYTES) throw malformed();
  const rest = parseStrictJson(bytes, 'page');
  if (typeof rest !== 'object' || rest === null || Array.isArray(rest)) throw malformed();
  return rest as SlicedPage['rest'];
};

interface FactList {
  /** The offset of the list, and of the first byte after it. */
  readonly open: number;
  readonly end: number;
  readonly items: readonly (readonly [start: number, end: number])[];
}

/** Finds the list in the member `facts` of the document. Returns undefined without one. */
const findFacts = async (bytes: Buffer, limits: SliceLimits): Promise<FactList | undefined> => {
  const head = bytes.subarray(0, MAX_REST_BYTES);
  let at = skipSpace(head, 0);
  if (head[at] !== OPEN_OBJECT) throw malformed();
  at = skipSpace(head, at + 1);
  while (head[at] === QUOTE) {
    const nameEnd = stringEnd(head, at);
    const isFacts = head.subarray(at, nameEnd).equals(FACTS);
    at = skipSpace(head, nameEnd);
    if (head[at] !== COLON) throw malformed();
    at = skipSpace(head, at + 1);
    if (isFacts && head[at] === OPEN_ARRAY) return sliceList(bytes, at, limits);
    at = skipSpace(head, valueEnd(head, at));
    if (head[at] !== COMMA) return undefined;
    at = skipSpace(head, at + 1);
  }
  return undefined;
};

const sliceList = async (bytes: Buffer, open: number, { maxItems }: SliceLimits): Promise<FactList> => {
  const items: [number, number][] = [];
  let at = skipSpace(bytes, open + 1);
  if (bytes[at] === CLOSE_ARRAY) return { open, end: at + 1, items };
  for (let turnAt = at; ; ) {
    if (at - turnAt > TURN_BYTES) {
      await othersGoFirst();
      turnAt = at;
    }
    if (items.length === maxItems) {
      throw new ServiceError('batch_too_large', 'the page has more facts than were asked for');
    }
    const end = valueEnd(bytes, at);
    items.push([at, end]);
    at = skipSpace(bytes, end);
    if (bytes[at] === CLOSE_ARRAY) return { open, end: at + 1, items };
    if (bytes[at] !== COMMA) throw malformed();
    at = skipSpace(bytes, at + 1);
  }
};

/** Finds the end of a value by its nesting alone. The item's parser later detects a bracket of the wrong kind. */
const valueEnd = (bytes: Buffer, start: number): number => {
  const open: number[] = [];
  for (let at = start; at < bytes.length; ) {
    const code = bytes[at] as number;
    if (open.length === 0 && at > start && (code === COMMA || code === CLOSE_ARRAY || code === CLOSE_OBJECT)) return at;
    if (code === QUOTE) {
      at = stringEnd(bytes, at);
      if (open.length === 0) return at;
      continue;
    }
    if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      if (open.length === MAX_DEPTH) throw malformed();
      open.push(code + TO_CLOSE);
    } else if (code === open.at(-1)) {
      open.pop();
      if (open.length === 0) return at + 1;
    }
    at += 1;
  }
  throw malformed();
};

/** Returns the position after the closing quote. */
const stringEnd = (bytes: Buffer, open: number): number => {
  for (let at = bytes.indexOf(QUOTE, open + 1); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    let slashes = 0;
    while (bytes[at - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  throw malformed();
};

const skipSpace = (bytes: Buffer, at: number): number => {
  let end = at;
  while (bytes[end] === SPACE || bytes[end] === LINE_FEED || bytes[end] === CARRIAGE_RETURN || bytes[end] === TAB) {
    end += 1;
  }
  return end;
};

const FACTS = Buffer.from('"facts"');
const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** The change of nesting depth at which the scan stops: from an opening bracket to its closing one. */
const TO_CLOSE = 2;
