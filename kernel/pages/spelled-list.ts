import { TurnBudget } from '../time/in-turns.ts';

/** The maximum size of a list body in bytes, unless a single item is larger. */
export const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/** The reserved bytes for the other members of the body: a cursor, counts, repeated parameters. */
const BESIDE_THE_LIST_BYTES = 64 * 1024;

/** The maximum bytes of the items in a body with one list. */
export const LIST_BYTES = MAX_PAGE_BYTES - BESIDE_THE_LIST_BYTES;

/**
 * Items of an answer as JSON, serialised once, until the body is full. May be the body of a `Reply`, or a member of it.
 */
export class SpelledList {
  /** The JSON text of each item. */
  readonly texts: readonly string[];
  /** Whether items are omitted because the body is full. */
  readonly isCut: boolean;
  /** The number of bytes of the items. */
  readonly bytes: number;

  constructor(texts: readonly string[], isCut: boolean, bytes: number) {
    this.texts = texts;
    this.isCut = isCut;
    this.bytes = bytes;
  }

  get count(): number {
    return this.texts.length;
  }

  /** The list as a JSON array. */
  get json(): string {
    return `[${this.texts.join(',')}]`;
  }

  /** Returns the parsed items, for code that reads the body instead of sending it. */
  toJSON(): unknown {
    return JSON.parse(this.json);
  }
}

/**
 * Serialises the items, in order, until the next one would exceed the bytes. Always includes the first one. Lets other
 * work run between pieces of a long list.
 */
export const spellList = <T>(
  items: Iterable<T>,
  toJson: (item: T) => unknown,
  maxBytes: number = LIST_BYTES,
): Promise<SpelledList> => listTexts(items, (item) => JSON.stringify(toJson(item)), maxBytes);

/** Creates a list from items whose JSON text exists already, until the next one would exceed the bytes. */
export const listTexts = async <T>(
  items: Iterable<T>,
  toText: (item: T) => string,
  maxBytes: number = LIST_BYTES,
): Promise<SpelledList> => {
  const texts: string[] = [];
  const budget = new TurnBudget();
  let bytes = 0;
  for (const item of items) {
    const text = toText(item);
    const pause = budget.take(text.length);
    if (pause !== undefined) await pause;
    const more = Buffer.byteLength(text) + COMMA_BYTES;
    if (texts.length > 0 && bytes + more > maxBytes) return new SpelledList(texts, true, bytes);
    texts.push(text);
    bytes += more;
  }
  return new SpelledList(texts, false, bytes);
};

const COMMA_BYTES = 1;

/** Returns the JSON of a body that is serialised already, as a whole or in some of its members. */
export const spellBody = (body: unknown): string => {
  if (body instanceof SpelledList) return body.json;
  if (!hasSpelledMember(body)) return JSON.stringify(body);
  const members = Object.entries(body).flatMap(([name, value]) => {
    const text = value instanceof SpelledList ? value.json : JSON.stringify(value);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return `{${members.join(',')}}`;
};

const hasSpelledMember = (body: unknown): body is object => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  for (const name in body) if ((body as Record<string, unknown>)[name] instanceof SpelledList) return true;
  return false;
};
