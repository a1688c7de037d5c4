import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { FactClient } from '../../../../../client/client.ts';
import { later, nowMs } from '../../kit/platform.ts';

export type Period = 'day' | 'month';

/** The number of valid facts at an instant; null until the node has answered. */
export interface Count {
  readonly ms: number;
  readonly total: number | null;
}

export interface Counts {
  readonly counts: readonly Count[];
  readonly read: number;
  readonly error: unknown;
  /** True if the node counts slowly and the remaining instants were skipped. */
  readonly hasRest: boolean;
  readRest(): void;
}

/** The instants of a period, with the totals so far. */
interface Plan {
  readonly name: string;
  /** The instants of the period, oldest first; the last one is now. */
  readonly instants: readonly number[];
  readonly totals: Map<number, number>;
}

const HOUR_MS = 3_600_000;
const POINTS: Readonly<Record<Period, { readonly count: number; readonly stepMs: number }>> = {
  day: { count: 24, stepMs: HOUR_MS },
  month: { count: 30, stepMs: 24 * HOUR_MS },
};
/** The maximum number of simultaneous requests, to limit the load on the node. */
const AT_ONCE = 2;
const BEGIN_MS = 250;
const LONGEST_MS = 5_000;

/**
 * Requests the number of facts at instants of a period, a few at once: first the ends, then finer and finer steps
 * between them. So a slow node can be spared the finer steps.
 */
export const useCounts = (client: FactClient, period: Period, round: number): Counts => {
  const plan = useRef<Plan | undefined>(undefined);
  const [state, setState] = useState<Omit<Counts, 'readRest'>>({
    counts: [],
    read: 0,
    error: undefined,
    hasRest: false,
  });
  const name = `${period} ${round}`;
  const [patientWith, setPatientWith] = useState('');
  const isPatient = patientWith === name;
  useLayoutEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    if (plan.current?.name !== name) plan.current = planOf(name, period);
    const { instants, totals } = plan.current;
    const show = (error?: unknown, hasRest = false): void => {
      const counts = instants.map((ms) => ({ ms, total: totals.get(ms) ?? null }));
      if (!signal.aborted) setState({ counts, read: totals.size, error, hasRest });
    };
    show();
    // A short delay lets the requests for the visible parts go first.
    const cancel = later(BEGIN_MS, () => {
      const endMs = isPatient ? Number.POSITIVE_INFINITY : nowMs() + LONGEST_MS;
      readTotals(client, plan.current as Plan, { endMs, signal, show }).then(
        () => show(undefined, totals.size < instants.length),
        show,
      );
    });
    return () => {
      cancel();
      controller.abort();
    };
  }, [client, name, isPatient]);
  return { ...state, readRest: () => setPatientWith(name) };
};

const planOf = (name: string, period: Period): Plan => {
  const { count, stepMs } = POINTS[period];
  const now = nowMs();
  return {
    name,
    instants: Array.from({ length: count + 1 }, (_, at) => now - (count - at) * stepMs),
    totals: new Map(),
  };
};

interface Reading {
  readonly endMs: number;
  readonly signal: AbortSignal;
  readonly show: () => void;
}

const readTotals = async (client: FactClient, { instants, totals }: Plan, reading: Reading): Promise<void> => {
  const { endMs, signal, show } = reading;
  const now = instants.at(-1);
  const waiting = coarseFirst(instants).filter((ms) => !totals.has(ms));
  const readNext = async (): Promise<void> => {
    while (nowMs() < endMs) {
      const ms = waiting.shift();
      if (ms === undefined) return;
      // The newest instant is requested without a moment, because the clocks of browser and node may differ.
      const moment = ms === now ? {} : { as_of: new Date(ms).toISOString() };
      const { total } = await client.call('GET /v1/facts', { query: { limit: 1, fields: 'id', ...moment }, signal });
      totals.set(ms, total);
      show();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readNext));
};

const STEPS = [8, 4, 2, 1];

/** Orders instants from coarse to fine: the last and the first, then every eighth, and so on. */
const coarseFirst = (instants: readonly number[]): number[] => {
  const last = instants.length - 1;
  const between = STEPS.flatMap((step) => instants.filter((_, at) => (last - at) % step === 0));
  return [...new Set([instants[last] as number, instants[0] as number, ...between])];
};
