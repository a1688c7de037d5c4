import { ServiceError } from '../../ports/ports.ts';
import type { BodyItem } from './route-definition.ts';
import type { JsonBudget } from './scan-json.ts';
import { parseStrictJson } from './strict-json.ts';

/** The maximum number of items of any route. It limits the work of a hostile body before its route sees it. */
export const MAX_BODY_ITEMS = 10_000;

/**
 * Splits a body into items. `array`: one JSON array, valid as a whole or refused (`malformed_json`, or `validation` for
 * another document). `lines`: JSON documents one per line (LF or CRLF), blank lines skipped, each checked separately.
 * Throws `too_large` if the items together exceed the budget, and `batch_too_large` above `MAX_BODY_ITEMS`.
 */
export const readBodyItems = (bytes: Uint8Array, form: 'array' | 'lines', budget: JsonBudget): readonly BodyItem[] =>
  form === 'array' ? readArray(bytes, budget) : readLines(bytes, budget);

const readArray = (bytes: Uint8Array, budget: JsonBudget): readonly BodyItem[] => {
  if (bytes.length === 0) throw new ServiceError('malformed_json', 'this request needs a JSON body');
  const value = parseStrictJson(bytes, 'body', budget);
  if (!Array.isArray(value)) {
    throw new ServiceError('validation', 'body must be an array', {
      violations: [{ path: 'body', message: 'must be an array' }],
    });
  }
  if (value.length > MAX_BODY_ITEMS) throw tooManyItems();
  return value.map((item: unknown) => ({ value: item }));
};

const readLines = (bytes: Uint8Array, budget: JsonBudget): readonly BodyItem[] => {
  const items: BodyItem[] = [];
  for (let start = 0; start < bytes.length; ) {
    const feed = bytes.indexOf(LINE_FEED, start);
    const end = feed === -1 ? bytes.length : feed;
    if (!isBlank(bytes, start, end)) {
      if (items.length === MAX_BODY_ITEMS) throw tooManyItems();
      // Does not remove a carriage return before the line feed, which is white space in JSON.
      const line = bytes.subarray(start, end);
      const item = readItem(() => parseStrictJson(line, `body[${items.length}]`, budget));
      if ('error' in item && budget.values > budget.maxValues) throw item.error;
      items.push(item);
    }
    start = end + 1;
  }
  return items;
};

/** Returns the result of `read` as an item, or the refusal that it throws. */
export const readItem = (read: () => unknown): BodyItem => {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof ServiceError) return { error };
    throw error;
  }
};

const isBlank = (bytes: Uint8Array, start: number, end: number): boolean => {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at];
    if (byte !== SPACE && byte !== TAB && byte !== CARRIAGE_RETURN) return false;
  }
  return true;
};

const tooManyItems = (): ServiceError =>
  new ServiceError('batch_too_large', `body must have at most ${MAX_BODY_ITEMS} items`);

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
