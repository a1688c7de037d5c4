import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** The state of a request to the node. The last answer stays visible while a newer one is loading. */
export interface RequestState<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Sends the request again. */
  reload(): void;
}

/** Sends a request, and repeats it whenever one of `inputs` changes. An outdated answer is dropped. */
export const useRequest = <T>(
  ask: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
): RequestState<T> => {
  const [state, setState] = useState<Omit<RequestState<T>, 'reload'>>({
    data: undefined,
    error: undefined,
    isLoading: true,
  });
  const [round, setRound] = useState(0);
  const latest = useRef(ask);
  latest.current = ask;
  useLayoutEffect(() => {
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
