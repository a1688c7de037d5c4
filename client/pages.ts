import { InvalidReplyError } from './client-errors.ts';

/** One page of a list: its items, and the cursor of the next page. */
export interface PageSource<Page, Item> {
  /** Gets the page after a cursor, or the first page without one. */
  get(cursor: string | undefined): Promise<Page>;
  itemsOf(page: Page): readonly Item[];
  cursorOf(page: Page): string | number | null | undefined;
}

/**
 * A list of a node, loaded page by page. `for await` iterates over its items; `pages()` over its pages, with the other
 * members of each page. The first request comes with the first iteration, and each iteration starts over.
 */
export class Pages<Page, Item> implements AsyncIterable<Item> {
  readonly #source: PageSource<Page, Item>;

  constructor(source: PageSource<Page, Item>) {
    this.#source = source;
  }

  /** Returns the first page only. */
  first(): Promise<Page> {
    return this.#source.get(undefined);
  }

  /** Yields all pages, in order. Rejects with an `InvalidReplyError` when a cursor repeats. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    let cursor: string | undefined;
    for (;;) {
      const page = await this.#source.get(cursor);
      yield page;
      const next = this.#source.cursorOf(page);
      if (next === null || next === undefined) return;
      if (String(next) === cursor) throw wentRound();
      cursor = String(next);
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* this.#source.itemsOf(page);
  }

  /** Returns at most this many items as a list. */
  async take(count: number): Promise<Item[]> {
    const items: Item[] = [];
    if (count <= 0) return items;
    for await (const item of this) {
      items.push(item);
      if (items.length >= count) break;
    }
    return items;
  }
}

const wentRound = (): InvalidReplyError =>
  new InvalidReplyError({ status: 200, code: 'invalid_reply', detail: 'the node returned the same cursor twice' });
