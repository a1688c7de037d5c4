import type { TokenParser } from '@streamparser/json';
import { ServiceError } from '../../kernel/plugin-api.ts';
import type { JsonItem } from './importers-api.ts';

/** The maximum size of one item in bytes. */
const MAX_ITEM_BYTES = 64 * 1024 * 1024;
const MAX_DEPTH = 100;
/**
 * The maximum number of values, names and brackets in one item. It limits the memory: an array of two bytes takes fifty
 * bytes in memory.
 */
const MAX_VALUES = 2_000_000;
/** The input is read in pieces of this size. Items are yielded after each piece, so that few of them wait in memory. */
const PIECE_BYTES = 64 * 1024;

type Parser = InstanceType<typeof TokenParser>;

/** Implements `ImportFile.items`. Holds only the items of one piece and one incomplete item. */
export async function* jsonItems(
  source: AsyncIterable<Buffer>,
  path: string,
  lists: readonly string[] = [],
): AsyncGenerator<JsonItem, void, undefined> {
  const { Tokenizer, TokenParser, TokenType } = await import('@streamparser/json');
  const refuse = (reason: string): ServiceError =>
    new ServiceError('validation', `${path} ${reason} near byte ${offset}`, {
      hint: 'what came before is imported; get the export again, and repeat the command',
    });
  let offset = 0;
  let ready: JsonItem[] = [];
  let openBytes = 0;
  let restBytes = 0;
  const documents = new Documents(lists, {
    open: (done) => {
      const parser = new TokenParser({ paths: ['$'], separator: undefined as unknown as string });
      parser.onValue = ({ value }) => done(value);
      parser.onError = (error) => {
        throw error;
      };
      return parser;
    },
    types: TokenType,
    found: (item) => {
      ready.push(item);
      // The other members of an object with lists stay in memory until the object ends.
      openBytes = item.list === '' ? 0 : restBytes;
    },
    held: () => {
      restBytes = openBytes;
    },
  });
  // A number that a double cannot hold stays text, because rounding would give two items the same id.
  class ExactTokenizer extends Tokenizer {
    protected override parseNumber(text: string): number {
      return (isRounded(text) ? text : Number(text)) as number;
    }
  }
  const tokenizer = new ExactTokenizer({ separator: '' });
  tokenizer.onError = (error) => {
    throw error;
  };
  tokenizer.onToken = ({ token, value }) => documents.take(token, value);
  for await (const chunk of source) {
    for (let from = 0; from < chunk.length; from += PIECE_BYTES) {
      const piece = chunk.subarray(from, from + PIECE_BYTES);
      openBytes += piece.length;
      try {
        tokenizer.write(piece);
      } catch (error) {
        yield* ready;
        throw refuse(error instanceof TooLarge ? error.message : 'is not valid JSON');
      }
      offset += piece.length;
      if (openBytes > MAX_ITEM_BYTES + PIECE_BYTES) {
        throw refuse(`holds an item of more than ${MAX_ITEM_BYTES / 1024 / 1024} MiB`);
      }
      yield* ready;
      ready = [];
    }
  }
  try {
    tokenizer.end();
  } catch {
    throw refuse('ends in the middle of a value');
  }
  yield* ready;
  if (!documents.isComplete) throw refuse('ends in the middle of a value');
}

const isRounded = (text: string): boolean => /^-?\d{16,}$/.test(text) && !Number.isSafeInteger(Number(text));

class TooLarge extends Error {}

interface Surroundings {
  open(done: (value: unknown) => void): Parser;
  readonly types: typeof import('@streamparser/json').TokenType;
  found(item: JsonItem): void;
  /** Called when another member of an object with lists is complete. */
  held(): void;
}

/** Groups tokens into items, and gives each item its own parser. */
class Documents {
  readonly #lists: readonly string[];
  readonly #around: Surroundings;
  /** The containers around the current item: an array or an object, and a list within the object. */
  readonly #open: ('array' | 'object' | 'list')[] = [];
  #rest: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  #key: string | null = null;
  #awaits: 'value' | 'comma' | 'colon' | 'key' = 'value';
  /** True directly after an opening bracket, when the container may end without a value. */
  #isFresh = false;
  #parser: Parser | null = null;
  #depth = 0;
  #values = 0;
  #heldValues = 0;
  readonly #indexes = new Map<string, number>();

  constructor(lists: readonly string[], around: Surroundings) {
    this.#lists = lists;
    this.#around = around;
  }

  get isComplete(): boolean {
    return this.#open.length === 0 && this.#parser === null;
  }

  take(token: number, value: unknown): void {
    const { types } = this.#around;
    if (this.#parser !== null) this.#pass(token, value);
    else if (token !== types.SEPARATOR) this.#place(token, value);
  }

  #place(token: number, value: unknown): void {
    const { types } = this.#around;
    const inside = this.#open.at(-1);
    const wasFresh = this.#isFresh;
    this.#isFresh = false;
    if (token === types.RIGHT_BRACKET || token === types.RIGHT_BRACE) this.#close(token, wasFresh);
    else if (token === types.COMMA) this.#expect('comma', inside === 'object' ? 'key' : 'value');
    else if (token === types.COLON) this.#expect('colon', 'value');
    else if (this.#awaits === 'key') this.#name(token, value);
    else if (this.#awaits !== 'value') throw new Error('two values in a row');
    else if (inside === undefined && token === types.LEFT_BRACKET) this.#enter('array', 'value');
    else if (inside === undefined && token === types.LEFT_BRACE) this.#enter('object', 'key');
    else if (inside === 'object' && token === types.LEFT_BRACKET && this.#lists.includes(this.#key ?? '')) {
      this.#enter('list', 'value');
    } else {
      this.#parser = this.#around.open((whole) => this.#finish(whole));
      this.#pass(token, value);
    }
  }

  #name(token: number, value: unknown): void {
    if (token !== this.#around.types.STRING) throw new Error('no member name');
    this.#key = String(value);
    this.#awaits = 'colon';
  }

  #pass(token: number, value: unknown): void {
    const { types } = this.#around;
    if (token === types.LEFT_BRACE || token === types.LEFT_BRACKET) this.#depth += 1;
    if (token === types.RIGHT_BRACE || token === types.RIGHT_BRACKET) this.#depth -= 1;
    if (this.#depth > MAX_DEPTH) throw new TooLarge(`is nested deeper than ${MAX_DEPTH} levels`);
    const isMark = token === types.COMMA || token === types.COLON;
    if (!isMark) this.#values += 1;
    if (this.#values > MAX_VALUES) throw new TooLarge(`holds an item of more than ${MAX_VALUES} values`);
    this.#parser?.write({ token, value } as Parameters<Parser['write']>[0]);
  }

  #finish(value: unknown): void {
    this.#parser = null;
    this.#awaits = 'comma';
    const inside = this.#open.at(-1);
    if (inside === 'object') {
      this.#rest[this.#key ?? ''] = value;
      this.#heldValues = this.#values;
      this.#around.held();
      return;
    }
    const list = inside === 'list' ? (this.#key ?? '') : '';
    if (inside === undefined) this.#awaits = 'value';
    this.#found(list, value);
  }

  #found(list: string, value: unknown): void {
    const index = this.#indexes.get(list) ?? 0;
    this.#indexes.set(list, index + 1);
    if (list === '') this.#heldValues = 0;
    this.#values = this.#heldValues;
    this.#around.found({ list, index, value });
  }

  #enter(what: 'array' | 'object' | 'list', awaits: 'value' | 'key'): void {
    this.#open.push(what);
    this.#awaits = awaits;
    this.#isFresh = true;
    if (what === 'object') this.#rest = Object.create(null) as Record<string, unknown>;
  }

  #close(token: number, wasFresh: boolean): void {
    const inside = this.#open.pop();
    const fits =
      token === this.#around.types.RIGHT_BRACE ? inside === 'object' : inside === 'array' || inside === 'list';
    if (!fits || (this.#awaits !== 'comma' && !wasFresh)) throw new Error('a bracket that does not fit');
    this.#awaits = this.#open.length === 0 ? 'value' : 'comma';
    if (inside === 'object') this.#found('', this.#rest);
  }

  #expect(now: 'comma' | 'colon', next: 'key' | 'value'): void {
    if (this.#awaits !== now || this.#open.length === 0) throw new Error('a mark that does not fit');
    this.#awaits = next;
  }
}
