import { othersGoFirst } from '../../ports/others-first.ts';
import { ServiceError } from '../../ports/service-error.ts';
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
} from './json-bytes.ts';

/** The bytes of a list that is a member of a document. */
export interface JsonListSlice {
  /** The offset of the list, and of the first byte after it. */
  readonly open: number;
  readonly end: number;
  readonly items: readonly (readonly [start: number, end: number])[];
}

export interface SliceOptions {
  /** The name of the member, which needs no escapes. */
  readonly name: string;
  readonly maxItems: number;
  /** The list begins within this many bytes. */
  readonly maxHeadBytes: number;
}

/** The number of bytes scanned before other work of the process gets a turn. */
export const TURN_BYTES = 512 * 1024;
/** The maximum nesting depth, deeper than any valid item. A deeper document is malformed as a whole. */
const MAX_DEPTH = 1_024;

/**
 * Finds the items of a list in a document from elsewhere, so that each item can be parsed separately, and broken items
 * do not affect valid ones. It finds the ends of items by brackets and quotes alone, and lets other work run in
 * between. Returns undefined without such a list. Throws `malformed_json` for a document that cannot be split, and
 * `batch_too_large` for one with too many items.
 */
export const sliceJsonList = async (bytes: Buffer, options: SliceOptions): Promise<JsonListSlice | undefined> => {
  const name = Buffer.from(`"${options.name}"`);
  const head = bytes.subarray(0, options.maxHeadBytes);
  let at = skipSpace(head, 0);
  if (head[at] !== OPEN_OBJECT) throw malformed();
  at = skipSpace(head, at + 1);
  while (head[at] === QUOTE) {
    const nameEnd = stringEnd(head, at);
    const isWanted = head.subarray(at, nameEnd).equals(name);
    at = skipSpace(head, nameEnd);
    if (head[at] !== COLON) throw malformed();
    at = skipSpace(head, at + 1);
    if (isWanted && head[at] === OPEN_ARRAY) return sliceList(bytes, at, options.maxItems);
    at = skipSpace(head, valueEnd(head, at));
    if (head[at] !== COMMA) return undefined;
    at = skipSpace(head, at + 1);
  }
  return undefined;
};

const sliceList = async (bytes: Buffer, open: number, maxItems: number): Promise<JsonListSlice> => {
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

const malformed = (): ServiceError => new ServiceError('malformed_json', 'the page is not valid JSON');

/** The change of nesting depth at which the scan stops: from an opening bracket to its closing one. */
const TO_CLOSE = 2;
