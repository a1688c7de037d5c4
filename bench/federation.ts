import { setTimeout as pause } from 'node:timers/promises';
import { startPullCounter } from './federation/count-pulls.ts';
import { addressOf, ask, type FederatedServer, letPull, startFederated } from './federation/peered-pair.ts';
import { watchArrivals } from './federation/watch-arrivals.ts';
import { runBatches } from './load/run-batches.ts';
import { untilIdle } from './processes/until-idle.ts';
import { figure, printTable, share } from './report/print-table.ts';

export interface FederationOptions {
  /** The number of facts to pull, a multiple of 500. */
  readonly facts: number;
  /** Seconds of writing while the bench measures the lag. */
  readonly seconds: number;
  /** Facts written per second while the bench measures the lag. */
  readonly rate: number;
}

const ROUNDS = 2;
const PULL_LIMIT_MS = 600_000;
const LAST_FACTS_LIMIT_MS = 30_000;
const IDLE_SECONDS = 20;
const LOOK_EVERY_MS = 50;
const WRITERS = 4;
const PER_ENTITY = 1;

/** Measures two ways of ingesting many facts, the lag of single facts, and the requests of an idle peer. */
export const benchFederation = async (options: FederationOptions): Promise<void> => {
  const rows: string[][] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const { batch, pulled } = await ingestRates(options.facts);
    rows.push([`round ${round}`, figure(batch), figure(pulled), share(pulled, batch)]);
  }
  console.log(`${figure(options.facts)} facts, SQLite, proofs verified, facts per second`);
  printTable(['', 'batch endpoint', 'ingest by pull', 'ratio'], rows);
  await withPair(async (source, puller) => {
    await letPull(puller, source, ['public']);
    const lags = await lagsOf(source, puller, options);
    console.log(`\nlag of ${figure(lags.length)} facts, ${options.rate} writes/s, an interval of 1 s, milliseconds`);
    const at = (part: number): string =>
      figure(lags[Math.min(lags.length - 1, Math.floor(part * lags.length))] ?? null);
    printTable(['', 'p50', 'p95', 'p99', 'longest'], [['lag', at(0.5), at(0.95), at(0.99), at(1)]]);
  });
  await withPair(async (source, puller) => {
    const counter = await startPullCounter(addressOf(source));
    try {
      await letPull(puller, source, ['public'], counter.url);
      await pause(3_000);
      const before = counter.pulls;
      await pause(IDLE_SECONDS * 1_000);
      const perInterval = (counter.pulls - before) / IDLE_SECONDS;
      console.log(`\nrequests of an idle peer in an interval of 1 s: ${figure(perInterval, 2)}`);
    } finally {
      await counter.stop();
    }
  });
};

const withPair = async (work: (source: FederatedServer, puller: FederatedServer) => Promise<void>): Promise<void> => {
  const started: FederatedServer[] = [];
  try {
    for (const name of ['source', 'puller']) started.push(await startFederated(name));
    await work(started[0] as FederatedServer, started[1] as FederatedServer);
  } finally {
    await Promise.all(started.map((node) => node.stop()));
  }
};

/** Returns the facts per second of a batch import and of a pull of the same facts. */
const ingestRates = async (facts: number): Promise<{ readonly batch: number; readonly pulled: number }> => {
  let rates = { batch: 0, pulled: 0 };
  await withPair(async (source, puller) => {
    const seconds = await runBatches(source, { from: 0, to: facts, perEntity: PER_ENTITY });
    // Waits for pending work of the source on its new facts, which is not part of the pull.
    await untilIdle(source);
    const arrivals = await watchArrivals(puller.database);
    try {
      await letPull(puller, source, ['company']);
      await untilSeen(arrivals.seenMs, facts * ROWS_OF_A_RECEIVED_FACT);
      rates = { batch: facts / seconds, pulled: rateOf([...arrivals.seenMs.values()]) / ROWS_OF_A_RECEIVED_FACT };
    } finally {
      await arrivals.stop();
    }
  });
  return rates;
};

/** The rows of a received fact: the fact itself, and a fact that names its origin. */
const ROWS_OF_A_RECEIVED_FACT = 2;

const untilSeen = async (seenMs: ReadonlyMap<string, number>, count: number): Promise<void> => {
  const deadlineMs = performance.now() + PULL_LIMIT_MS;
  while (seenMs.size < count) {
    if (performance.now() > deadlineMs) throw new Error(`${seenMs.size} of ${count} facts came`);
    await pause(LOOK_EVERY_MS);
  }
};

/** Returns the facts per second from the first page to the last. The first page opens the pull and does not count. */
const rateOf = (seenMs: readonly number[]): number => {
  const firstMs = Math.min(...seenMs);
  const later = seenMs.filter((ms) => ms > firstMs);
  return (1_000 * later.length) / (Math.max(...later) - firstMs);
};

/** Returns, in ascending order, the time of each fact from the reply of one node until the other has stored it. */
const lagsOf = async (
  source: FederatedServer,
  puller: FederatedServer,
  { seconds, rate }: FederationOptions,
): Promise<readonly number[]> => {
  const arrivals = await watchArrivals(puller.database);
  const writtenMs = new Map<string, number>();
  const beganMs = performance.now();
  const total = seconds * rate;
  let next = 0;
  const write = async (): Promise<void> => {
    while (next < total) {
      const n = next;
      next += 1;
      await pause(Math.max(0, beganMs + (n * 1_000) / rate - performance.now()));
      const { id } = await ask(source, 'POST', '/v1/facts', {
        entity: `user:${n}`,
        relation: 'memory:note',
        value: { type: 'string', v: `said as number ${n}` },
        source: 'agent:load',
        scope: 'public',
      });
      writtenMs.set(String(id), performance.now());
    }
  };
  try {
    await Promise.all(Array.from({ length: WRITERS }, write));
    const deadline = performance.now() + LAST_FACTS_LIMIT_MS;
    while ([...writtenMs.keys()].some((id) => !arrivals.seenMs.has(id))) {
      if (performance.now() > deadline) throw new Error('some facts never came');
      await pause(50);
    }
    return [...writtenMs].map(([id, ms]) => (arrivals.seenMs.get(id) ?? ms) - ms).sort((a, b) => a - b);
  } finally {
    await arrivals.stop();
  }
};
