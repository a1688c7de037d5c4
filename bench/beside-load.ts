import { setTimeout as pause } from 'node:timers/promises';
import { RawConnection } from './load/raw-connection.ts';
import { type BenchStore, openPlace } from './processes/bench-place.ts';
import type { NodeProcess } from './processes/start-node.ts';
import { untilIdle } from './processes/until-idle.ts';
import { loadFacts } from './recall/load-facts.ts';
import { RecallClient } from './recall/recall-client.ts';
import { questionWords, spell, syntheticRow } from './recall/synthetic-facts.ts';
import { figure, printTable } from './report/print-table.ts';
import { rowToFact } from './row-to-fact.ts';

export interface BesideLoadOptions {
  /** The number of facts in the bulk load that runs beside the requests. */
  readonly facts: number;
  readonly seconds: number;
  readonly store: BenchStore;
}

/** The number of facts in the store before the bulk load. */
const BEFORE = 10_000;
const BUDGET = 2_000;
/** The pause between two requests, which keeps the requests themselves from loading the node. */
const BETWEEN_MS = 10;
const WARM_UP_MS = 3_000;
/** The number of facts in one batch of the bulk load. */
const BATCH = 200;

const QUESTIONS = ['entity query', 'recall'] as const;
const PHASES = ['idle', 'half load', 'full load', 'after the load', 'idle again'] as const;
type Phase = (typeof PHASES)[number];

/** The latencies in milliseconds, by kind of request. */
type Times = Record<(typeof QUESTIONS)[number], number[]>;

/**
 * Measures entity queries and recalls, one at a time, on a node without search threads, then on one with them. The
 * situations are: idle; beside a load with pauses; beside a load without pauses; right after it; beside the computation
 * of vectors; and on the larger store at the end.
 */
export const benchBesideLoad = async ({ facts, seconds, store }: BesideLoadOptions): Promise<void> => {
  const rows: string[][] = [];
  for (const thread of ['off', 'on']) {
    const place = await openPlace(store);
    const [node] = await place.startNodes({ env: { SVC_SEARCH_THREAD: thread } });
    if (node === undefined) throw new Error('no node was started');
    try {
      const times = await measure(node, facts, seconds);
      for (const question of QUESTIONS) {
        const of = (phase: Phase) => quantiles(times.get(phase)?.[question] ?? []);
        const [idle, again] = [of('idle'), of('idle again')];
        for (const phase of PHASES) {
          const { p50, p95 } = of(phase);
          rows.push([
            `threads ${thread}`,
            question,
            phase,
            figure(p50, 2),
            figure(p95, 2),
            figure(p50 / idle.p50, 2),
            figure(p95 / idle.p95, 2),
            figure(p95 / again.p95, 2),
          ]);
        }
      }
    } finally {
      await node.stop();
      await place.close();
    }
  }
  printTable(
    ['search', 'question', 'meanwhile', 'p50 ms', 'p95 ms', 'p50 / idle', 'p95 / idle', 'p95 / idle again'],
    rows,
  );
};

const measure = async (node: NodeProcess, facts: number, seconds: number): Promise<ReadonlyMap<Phase, Times>> => {
  await loadFacts(node, 0, BEFORE);
  await untilIdle(node);
  const asker = await openAsker(node);
  await asker.ask(asLongAs(WARM_UP_MS));
  const times = new Map<Phase, Times>();
  times.set('idle', await asker.ask(asLongAs(seconds * 1_000)));
  let next = BEFORE;
  for (const [phase, rests] of [
    ['half load', true],
    ['full load', false],
  ] as const) {
    const until = next + facts / 2;
    const load = loading(node, next, until, rests);
    times.set(phase, await asker.ask(() => !load.hasEnded()));
    await load.ended;
    next = until;
    if (rests) await untilIdle(node);
  }
  times.set('after the load', await asker.ask(asLongAs(seconds * 1_000)));
  await untilIdle(node);
  times.set('idle again', await asker.ask(asLongAs(seconds * 1_000)));
  asker.close();
  return times;
};

const asLongAs = (ms: number): (() => boolean) => {
  const end = performance.now() + ms;
  return () => performance.now() < end;
};

const openAsker = async (node: NodeProcess) => {
  const recalls = await RecallClient.open(node);
  const queries = await RawConnection.open(node.port);
  let asked = 0;
  const timeQuery = async (n: number): Promise<number> => {
    const { entity } = rowToFact(syntheticRow(n)).body;
    const path = `/v1/facts?entity=${encodeURIComponent(entity)}`;
    const began = performance.now();
    const { status } = await queries.exchange(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${node.key}\r\n\r\n`,
    );
    if (status !== 200) throw new Error(`an entity query was answered ${status}`);
    return performance.now() - began;
  };
  return {
    async ask(goesOn: () => boolean): Promise<Times> {
      const times: Times = { 'entity query': [], recall: [] };
      while (goesOn()) {
        asked += 1;
        times['entity query'].push(await timeQuery((asked * 7919) % BEFORE));
        await pause(BETWEEN_MS);
        const query = spell(questionWords(asked, BEFORE));
        times.recall.push(await recalls.timeRecall({ query, token_budget: BUDGET }));
        await pause(BETWEEN_MS);
      }
      return times;
    },
    close(): void {
      recalls.close();
      queries.close();
    },
  };
};

/** Sends one batch after another over one connection. */
const loading = (node: NodeProcess, from: number, to: number, rests: boolean) => {
  let hasEnded = false;
  const load = async (): Promise<void> => {
    const client = await RecallClient.open(node);
    for (let first = from; first < to; first += BATCH) {
      const began = performance.now();
      await client.load(Array.from({ length: Math.min(BATCH, to - first) }, (_, at) => rowOf(first + at)));
      if (rests) await pause(performance.now() - began);
    }
    client.close();
  };
  const ended = load().finally(() => {
    hasEnded = true;
  });
  return { ended, hasEnded: () => hasEnded };
};

/** Gives every batch one session, because the loader sends each session as one request. */
const rowOf = (n: number) => ({ ...syntheticRow(n), id: `bulk${Math.floor(n / BATCH)}:${n}` });

const quantiles = (ms: readonly number[]): { readonly p50: number; readonly p95: number } => {
  const sorted = Float64Array.from(ms).sort();
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p95: at(0.95) };
};
