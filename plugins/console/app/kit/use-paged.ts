import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

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
export const usePaged = <Item>(read: ReadPage<Item>, inputs: readonly unknown[]): Paged<Item> => {
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
        const next = page.cursor === null || page.cursor === undefined ? null : String(page.cursor);
        setState(({ items }) => ({
          items: [...items, ...page.items],
          cursor: next,
          isLoading: false,
          error: undefined,
        }));
      },
      (error: unknown) => {
        if (!controller.signal.aborted) setState((before) => ({ ...before, isLoading: false, error }));
      },
    );
  }, []);
  useEffect(() => {
    step(undefined);
    return () => running.current?.abort();
  }, [...inputs, round]);
  const { items, cursor, isLoading, error } = state;
  const readMore = (): void => {
    if (!isLoading && error === undefined && typeof cursor === 'string') step(cursor);
  };
  const reload = useCallback(() => setRound((before) => before + 1), []);
  return { items, isLoading, hasMore: typeof cursor === 'string', error, readMore, reload };
};
