import { budgetFor, othersGoFirst, parseStrictJson, sliceJsonList, TURN_BYTES } from '../../../kernel/internal-api.ts';
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

/** The maximum size of the members around the facts, which are parsed at once. */
const MAX_REST_BYTES = 64 * 1024;

/**
 * Reads a page so that the valid items can be used even if another item is broken. Throws `malformed_json` for a page
 * that cannot be split, and `batch_too_large` for one with more items than requested.
 */
export const slicePage = async (body: Uint8Array, { maxItems, maxItemBytes }: SliceLimits): Promise<SlicedPage> => {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const list = await sliceJsonList(bytes, { name: 'facts', maxItems, maxHeadBytes: MAX_REST_BYTES });
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
    facts.push(end - start > maxItemBytes ? undefined : parseItem(bytes.subarray(start, end), maxItemBytes));
  }
  return { facts, rest };
};

const EMPTY_LIST = Buffer.from('[]');

const malformed = (): ServiceError => new ServiceError('malformed_json', 'the page is not valid JSON');

const parseItem = (item: Buffer, maxBytes: number): unknown => {
  try {
    return parseStrictJson(item, 'fact', budgetFor(maxBytes));
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
