/** No body of a list is longer, except for a single item that is longer by itself. */
export const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/** Room for the other members of the body: a cursor, counts, repeated parameters. */
const BESIDE_THE_LIST_BYTES = 64 * 1024;

/** Room for the items of the one list of a body. */
export const LIST_BYTES = MAX_PAGE_BYTES - BESIDE_THE_LIST_BYTES;

/**
 * Items of an answer as JSON, serialised once, until the body is full. May be the body of a `Reply`, or a member of it.
 */
export class SpelledList {
  /** One text per item. */
  readonly texts: readonly string[];
  /** Whether items are left out because the body is full. */
  readonly isCut: boolean;
  /** Bytes of the items. */
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

  /** For code that parses the body instead of sending it. */
  toJSON(): unknown {
    return JSON.parse(this.json);
  }
}

/** Serialises the items, in order, until the next one would exceed the bytes. The first one always comes. */
export const spellList = <T>(
  items: Iterable<T>,
  toJson: (item: T) => unknown,
  maxBytes: number = LIST_BYTES,
): SpelledList => listTexts(items, (item) => JSON.stringify(toJson(item)), maxBytes);

/** The same for items whose JSON text exists already. */
export const listTexts = <T>(
  items: Iterable<T>,
  toText: (item: T) => string,
  maxBytes: number = LIST_BYTES,
): SpelledList => {
  const texts: string[] = [];
  let bytes = 0;
  for (const item of items) {
    const text = toText(item);
    const more = Buffer.byteLength(text) + COMMA_BYTES;
    if (texts.length > 0 && bytes + more > maxBytes) return new SpelledList(texts, true, bytes);
    texts.push(text);
    bytes += more;
  }
  return new SpelledList(texts, false, bytes);
};

const COMMA_BYTES = 1;

/** The JSON of a body, of which some members, or all of it, may be serialised already. */
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
