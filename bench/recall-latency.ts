import { setTimeout as sleep } from 'node:timers/promises';
import { runLoad } from './load/run-load.ts';
import { type BenchSearch, type BenchStore, openPlace } from './processes/bench-place.ts';
import { cpuMs, memoryMiB } from './processes/child-process.ts';
import type { NodeProcess } from './processes/start-node.ts';
import { untilIdle } from './processes/until-idle.ts';
import { FilledStores } from './recall/filled-stores.ts';
import { LatencyTable } from './recall/latency-table.ts';
import { RecallClient } from './recall/recall-client.ts';
import { type Measured, printSizes, type Sized, WHOLE_RECALL } from './recall/serving-table.ts';
import { spell, syntheticRow } from './recall/synthetic-facts.ts';
import {
  type Asked,
  askedOf,
  BARE_STAGES,
  inDatabase,
  inProcess,
  SCAN_AND_WORDS,
  warmingOf,
} from './recall/timed-stages.ts';
import { figure } from './report/print-table.ts';

export interface LatencyOptions {
  /** Sizes of the store, in ascending order. The store grows from each to the next. */
  readonly facts: readonly number[];
  readonly store: readonly BenchStore[];
  /** The search of nodes on PostgreSQL. Those on SQLite always search in memory. */
  readonly search: BenchSearch;
  /** Numbers of processes that serve the store. The bench measures all of them for each size of each store. */
  readonly workers: readonly number[];
  /** The number of questions; a part of them warms the node up. */
  readonly questions: number;
  /** Numbers of vector dimensions. The bench measures all of them for each size of each store. */
  readonly dimensions: readonly number[];
  /** The folder that preserves filled SQLite stores by size, so that later runs need not fill them again. */
  readonly folder?: string | undefined;
}

/** The questions are asked in rounds, so that a disturbance of the machine affects all kinds of requests. */
export const QUESTION_ROUNDS = 8;
/** The number of single facts that are appended at each size, over so many connections. */
const APPENDED = 1_000;
const APPENDING_CONNECTIONS = 32;
const CONTRADICTING = 0.02;
const APPENDING_SECONDS = 60;
const FIRST_RECALL_LIMIT_MS = 600_000;
const ASK_AGAIN_MS = 20;
/** The token budget of an agent for memory in one prompt. */
const BUDGET = 2_000;

/**
 * The requests to measure. HTTP offers no request for a single stage, so weights limit the answer to the results of
 * some stages.
 */
const REQUESTS: readonly { readonly name: string; readonly members: Readonly<Record<string, unknown>> }[] = [
  { name: WHOLE_RECALL, members: {} },
  { name: 'recall, words alone', members: { weights: { lexical: 1 }, depth: 0 } },
  { name: 'recall, vectors alone', members: { weights: { vector: 1 }, depth: 0 } },
  { name: 'recall, default weights, compact', members: { fields: 'compact' } },
  { name: 'recall, words and graph', members: { weights: { lexical: 0.6, graph: 0.4 } } },
];

/**
 * Measures growing stores: recalls over HTTP, each stage alone beside the bare engine, memory, the restart, and
 * appends. Prints one table for each way to serve a store, and then one that has them all.
 */
export const benchRecallLatency = async (options: LatencyOptions): Promise<void> => {
  const measured: Measured[] = [];
  for (const store of options.store) measured.push(...(await benchStore(store, options)));
  for (const { table } of measured) {
    table.print();
    console.log();
  }
  printSizes(measured);
};

const benchStore = async (
  store: BenchStore,
  { facts: sizes, dimensions, workers, folder, search: wanted, questions }: LatencyOptions,
): Promise<readonly Measured[]> => {
  const search = store === 'postgres' ? wanted : 'memory';
  const [stages, yardstick] = search === 'memory' ? [inProcess, BARE_STAGES] : [inDatabase, SCAN_AND_WORDS];
  const results = dimensions.flatMap((each) =>
    workers.map((count): Measured => {
      const processes = count === 1 ? 'one process' : `${count} workers`;
      const name = `${store}, search in ${search}, ${each} dimensions, ${processes}`;
      return { name, dimensions: each, workers: count, yardstick, table: new LatencyTable(name, yardstick), sizes: [] };
    }),
  );
  const first = dimensions[0] as number;
  const place = await openPlace(store, search);
  const filled = new FilledStores(place, store === 'sqlite' ? folder : undefined, envOf(first));
  try {
    for (const facts of sizes) {
      let node = await filled.grownTo(facts);
      let [embedded, serving] = [first, 1];
      const change = async (to: { readonly dimensions: number; readonly workers: number }): Promise<void> => {
        if (to.dimensions !== embedded) node = await embeddedAnew(node, to.dimensions);
        if (to.workers !== serving || to.dimensions !== embedded) node = await servedBy(node, to.workers);
        [embedded, serving] = [to.dimensions, to.workers];
      };
      for (const result of results) {
        await change(result);
        const { dimensions: of, workers: by } = result;
        const asked = { facts, dimensions: of, workers: by, questions, stages };
        const { sized, next } = await measure(node, asked, result.table);
        result.sizes.push(sized);
        node = next;
      }
      await change({ dimensions: first, workers: 1 });
      filled.use(node);
    }
  } finally {
    await filled.close();
    await place.close();
  }
  return results;
};

const envOf = (dimensions: number): NodeJS.ProcessEnv => ({ SVC_EMBED_DIMENSIONS: String(dimensions) });

/** Restarts the node with so many processes. */
const servedBy = async (node: NodeProcess, workers: number): Promise<NodeProcess> => {
  await node.end();
  return node.again({ SVC_WORKERS: String(workers) });
};

/** Restarts the node with vectors of other dimensions, and waits until every fact has a new vector. */
const embeddedAnew = async (node: NodeProcess, dimensions: number): Promise<NodeProcess> => {
  await node.end();
  const next = await node.again({ ...envOf(dimensions), SVC_WORKERS: '1' });
  const client = await RecallClient.open(next);
  await client.untilEmbedded();
  client.close();
  await untilIdle(next);
  return next;
};

const measure = async (
  node: NodeProcess,
  asked: Asked,
  table: LatencyTable,
): Promise<{ readonly sized: Sized; readonly next: NodeProcess }> => {
  const { facts } = asked;
  await overHttp(node, asked, table);
  const stopping = performance.now();
  await node.end();
  const stopMs = performance.now() - stopping;
  console.error(`measuring the stages on ${figure(facts)} facts`);
  await asked.stages(node, asked, table);
  const starting = performance.now();
  const next = await node.again();
  const startMs = performance.now() - starting;
  await untilFound(next, facts - 1);
  const firstMs = performance.now() - starting - startMs;
  await warmUp(next, asked);
  const held = { memoryMiB: memoryMiB(next.pid) };
  return { sized: { facts, ...held, startMs, firstMs, stopMs, ...(await append(next)) }, next };
};

/** Appends single facts. Begins at a number by chance, because a store that is used again has those of former runs. */
const append = async (node: NodeProcess): Promise<Pick<Sized, 'appendsPerSecond' | 'appendCpuUs'>> => {
  const before = cpuMs(node.pid);
  const { requests, perSecond } = await runLoad({
    ports: [node.port],
    key: node.key,
    connections: APPENDING_CONNECTIONS,
    seconds: APPENDING_SECONDS,
    count: APPENDED,
    requests: { kind: 'append', first: Math.floor(Math.random() * 2 ** 31), contradicting: CONTRADICTING },
  });
  const after = cpuMs(node.pid);
  const spentMs = before === null || after === null ? null : after - before;
  return { appendsPerSecond: perSecond, appendCpuUs: spentMs === null ? null : (spentMs * 1_000) / requests };
};

/**
 * Opens one client for each process that serves: the node hands out connections in turn. Each asks at once, because the
 * node closes a connection without a first request.
 */
const clientsOf = async (node: NodeProcess, { workers }: Asked): Promise<readonly RecallClient[]> => {
  const clients: RecallClient[] = [];
  while (clients.length < workers) {
    const client = await RecallClient.open(node);
    await client.timeRecall({ query: spell([0]), token_budget: BUDGET });
    clients.push(client);
  }
  return clients;
};

const warmUp = async (node: NodeProcess, asked: Asked): Promise<void> => {
  const clients = await clientsOf(node, asked);
  for (const [at, words] of warmingOf(asked).entries()) {
    await clients[at % clients.length]?.timeRecall({ query: spell(words), token_budget: BUDGET });
  }
  for (const client of clients) client.close();
};

const overHttp = async (node: NodeProcess, of: Asked, table: LatencyTable): Promise<void> => {
  const { facts } = of;
  await warmUp(node, of);
  const clients = await clientsOf(node, of);
  const asked = askedOf(of);
  const share = asked.length / QUESTION_ROUNDS;
  for (let round = 0; round < QUESTION_ROUNDS; round += 1) {
    for (const { name, members } of REQUESTS) {
      const before = cpuMs(node.pid);
      for (let at = round * share; at < (round + 1) * share; at += 1) {
        const request = { query: spell(asked[at] as number[]), token_budget: BUDGET, ...members };
        const client = clients[at % clients.length] as RecallClient;
        table.add(facts, name, await client.timeRecall(request));
      }
      const after = cpuMs(node.pid);
      if (before !== null && after !== null) table.addCpu(facts, name, after - before);
    }
  }
  for (const client of clients) client.close();
};

/** Waits until a recall returns a fact that the store is known to hold. Workers listen before one has the index. */
const untilFound = async (node: NodeProcess, fact: number): Promise<void> => {
  const client = await RecallClient.open(node);
  const row = syntheticRow(fact);
  const deadline = performance.now() + FIRST_RECALL_LIMIT_MS;
  const ask = () => client.recall({ query: row.text, token_budget: BUDGET });
  while (!(await ask()).facts.some((found) => found.fact.entity.endsWith(row.id))) {
    if (performance.now() > deadline) throw new Error('a known fact was not found');
    await sleep(ASK_AGAIN_MS);
  }
  client.close();
};
