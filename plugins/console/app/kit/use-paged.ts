import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** A list of the node, loaded page by page as the reader scrolls. */
export interface Paged<Item> {
  readonly items: readonly Item[];
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  readonly error: unknown;
  /** Loads the next page. Does nothing while one is loading, or at the end. */
  readMore(): void;
  reload(): void;
}

/** A list that can be brought up to date while it stays in sight. */
export interface FreshPaged<Item> extends Paged<Item> {
  /** Reads the first page again. Rows of later pages stay as they are. */
  refresh(keyOf: (item: Item) => string): void;
}

interface PageRead<Item> {
  readonly items: readonly Item[];
  /** Null or undefined at the end of the list. */
  readonly cursor: string | number | null | undefined;
}

type ReadPage<Item> = (cursor: string | undefined, signal: AbortSignal) => Promise<PageRead<Item>>;

interface State<Item> {
  readonly items: readonly Item[];
  readonly cursor: string | null | undefined;
  readonly isLoading: boolean;
  readonly error: unknown;
}

const FRESH = { items: [], cursor: undefined, isLoading: true, error: undefined } as const;

/** Loads a list page by page. Restarts whenever one of `inputs` changes. */
export const usePaged = <Item>(read: ReadPage<Item>, inputs: readonly unknown[]): FreshPaged<Item> => {
  const [state, setState] = useState<State<Item>>(FRESH);
  const [round, setRound] = useState(0);
  const latest = useRef(read);
  latest.current = read;
  const running = useRef<AbortController | undefined>(undefined);
  const step = useCallback((cursor: string | undefined) => {
    const controller = new AbortController();
    running.current?.abort();
    running.current = controller;
    setState((before) => ({ ...(cursor === undefined ? FRESH : before), isLoading: true, error: undefined }));
    latest.current(cursor, controller.signal).then(
      (page) => {
        if (controller.signal.aborted) return;
        setState(({ items }) => ({
          items: [...items, ...page.items],
          cursor: cursorOf(page),
          isLoading: false,
          error: undefined,
        }));
      },
      (error: unknown) => {
        if (!controller.signal.aborted) setState((before) => ({ ...before, isLoading: false, error }));
      },
    );
  }, []);
  useLayoutEffect(() => {
    step(undefined);
    return () => running.current?.abort();
  }, [...inputs, round]);
  const { items, cursor, isLoading, error } = state;
  const readMore = (): void => {
    if (!isLoading && error === undefined && typeof cursor === 'string') step(cursor);
  };
  const reload = useCallback(() => setRound((before) => before + 1), []);
  const refresh = useCallback((keyOf: (item: Item) => string) => {
    const controller = running.current;
    if (controller === undefined) return;
    // An error shows when the reader asks for something.
    latest.current(undefined, controller.signal).then(
      (page) => {
        if (!controller.signal.aborted && running.current === controller) {
          setState((before) => withFirstPage(before, page, keyOf));
        }
      },
      () => undefined,
    );
  }, []);
  return { items, isLoading, hasMore: typeof cursor === 'string', error, readMore, reload, refresh };
};

const withFirstPage = <Item>(before: State<Item>, page: PageRead<Item>, keyOf: (item: Item) => string): State<Item> => {
  const fresh = new Set(page.items.map(keyOf));
  const last = before.items.findLastIndex((item) => fresh.has(keyOf(item)));
  const rest = last < 0 ? [] : before.items.slice(last + 1);
  const items = [...page.items, ...rest];
  return { ...before, items, cursor: rest.length > 0 ? before.cursor : cursorOf(page) };
};

const cursorOf = ({ cursor }: PageRead<unknown>): string | null =>
  cursor === null || cursor === undefined ? null : String(cursor);
