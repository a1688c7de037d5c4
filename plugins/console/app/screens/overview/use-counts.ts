import { useEffect, useState } from 'preact/hooks';
import type { FactClient } from '../../../../../client/client.ts';
import { later, nowMs } from '../../kit/platform.ts';

export type Period = 'day' | 'month';

/** How many facts held at an instant; null as long as the node has not said. */
export interface Count {
  readonly ms: number;
  readonly total: number | null;
}

export interface Counts {
  readonly counts: readonly Count[];
  readonly read: number;
  readonly error: unknown;
}

const HOUR_MS = 3_600_000;
const POINTS: Readonly<Record<Period, { readonly count: number; readonly stepMs: number }>> = {
  day: { count: 24, stepMs: HOUR_MS },
  month: { count: 30, stepMs: 24 * HOUR_MS },
};
/** A node has other things to do than to count. */
const AT_ONCE = 2;
const BEGIN_MS = 250;

/** Asks for the number of facts at instants of a period, newest first, a few at once. */
export const useCounts = (client: FactClient, period: Period, round: number): Counts => {
  const [state, setState] = useState<Counts>({ counts: [], read: 0, error: undefined });
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const { count, stepMs } = POINTS[period];
    const now = nowMs();
    const instants = Array.from({ length: count + 1 }, (_, at) => now - (count - at) * stepMs);
    const totals = new Map<number, number>();
    const show = (error?: unknown): void => {
      const counts = instants.map((ms) => ({ ms, total: totals.get(ms) ?? null }));
      if (!signal.aborted) setState({ counts, read: totals.size, error });
    };
    const waiting = [...instants];
    const readNext = async (): Promise<void> => {
      for (let ms = waiting.pop(); ms !== undefined; ms = waiting.pop()) {
        // The newest instant is asked for without a moment: the clocks of browser and node may differ.
        const moment = ms === now ? {} : { as_of: new Date(ms).toISOString() };
        const { total } = await client.call('GET /v1/facts', { query: { limit: 1, fields: 'id', ...moment }, signal });
        totals.set(ms, total);
        show();
      }
    };
    show();
    // What the reader sees first goes first.
    const cancel = later(BEGIN_MS, () => void Promise.all(Array.from({ length: AT_ONCE }, readNext)).catch(show));
    return () => {
      cancel();
      controller.abort();
    };
  }, [client, period, round]);
  return state;
};
