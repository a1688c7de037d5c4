import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/** What came of a question to the node. The last answer stays in sight while a newer one is fetched. */
export interface Asked<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Asks once more. */
  reload(): void;
}

/** Asks the node, again whenever one of `inputs` changes; an answer that is no longer wanted is dropped. */
export const useAsked = <T>(ask: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Asked<T> => {
  const [state, setState] = useState<Omit<Asked<T>, 'reload'>>({ data: undefined, error: undefined, isLoading: true });
  const [round, setRound] = useState(0);
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    const controller = new AbortController();
    setState(({ data }) => ({ data, error: undefined, isLoading: true }));
    latest.current(controller.signal).then(
      (data) => {
        if (!controller.signal.aborted) setState({ data, error: undefined, isLoading: false });
      },
      (error: unknown) => {
        if (!controller.signal.aborted) setState(({ data }) => ({ data, error, isLoading: false }));
      },
    );
    return () => controller.abort();
  }, [...inputs, round]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  return { ...state, reload };
};
