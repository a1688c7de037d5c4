import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { FactClient } from '../../../../../client/client.ts';

/** The number of facts on one day, in all and of each source. */
export interface Day {
  readonly day: string;
  readonly facts: number;
  readonly sources: ReadonlyMap<string, number>;
}

export interface Tallies {
  /** Newest day first. The last one may go on in facts that were not counted. */
  readonly days: readonly Day[];
  readonly counted: number;
  readonly isReading: boolean;
  readonly hasMore: boolean;
  readonly error: unknown;
  readMore(): void;
}

interface State {
  readonly days: readonly Day[];
  readonly counted: number;
  /** Null at the end. */
  readonly cursor: string | null | undefined;
  readonly isReading: boolean;
  readonly error: unknown;
}

/** The number of parts that are read at once, each of 1000 facts. Further ones follow on request. */
const PARTS = 10;
const NOTHING_YET: State = { days: [], counted: 0, cursor: undefined, isReading: true, error: undefined };

/** Counts facts by day and source, part by part, newest first. */
export const useTallies = (client: FactClient, round: number): Tallies => {
  const [state, setState] = useState(NOTHING_YET);
  const running = useRef<AbortController | undefined>(undefined);
  const read = async (from: State): Promise<void> => {
    const controller = new AbortController();
    const { signal } = controller;
    running.current?.abort();
    running.current = controller;
    let state: State = { ...from, isReading: true, error: undefined };
    setState(state);
    try {
      for (let part = 0; part < PARTS && state.cursor !== null; part += 1) {
        const query = state.cursor === undefined ? {} : { cursor: state.cursor };
        const page = await client.call('GET /v1/timeline', { query, signal });
        const days = withTallies(state.days, page.days);
        state = { ...state, days, counted: state.counted + page.counted, cursor: page.cursor };
        if (!signal.aborted) setState(state);
      }
      if (!signal.aborted) setState({ ...state, isReading: false });
    } catch (error) {
      if (!signal.aborted) setState({ ...state, isReading: false, error });
    }
  };
  useLayoutEffect(() => {
    void read(NOTHING_YET);
    return () => running.current?.abort();
  }, [client, round]);
  const { days, counted, cursor, isReading, error } = state;
  return { days, counted, isReading, error, hasMore: cursor !== null, readMore: () => void read(state) };
};

type Tally = { readonly day: string; readonly source: string; readonly facts: number };

const withTallies = (days: readonly Day[], tallies: readonly Tally[]): readonly Day[] => {
  const byDay = new Map(days.map((each) => [each.day, each]));
  for (const { day, source, facts } of tallies) {
    const known = byDay.get(day);
    const sources = new Map(known?.sources);
    sources.set(source, (sources.get(source) ?? 0) + facts);
    byDay.set(day, { day, facts: (known?.facts ?? 0) + facts, sources });
  }
  return [...byDay.values()];
};
