import { DEPTH_OF_BOTH } from '../plugins/recall/search-depth.ts';
import { createBareLexical } from './ceiling/bare-lexical.ts';
import { createBareVectorScan } from './ceiling/bare-vector-scan.ts';
import { type BenchSearch, type BenchStore, openPlace } from './processes/bench-place.ts';
import { cpuMs, memoryMiB, peakMemoryMiB } from './processes/child-process.ts';
import type { NodeProcess } from './processes/start-node.ts';
import { untilIdle } from './processes/until-idle.ts';
import { vacuumStore } from './processes/vacuum-store.ts';
import { FilledStores } from './recall/filled-stores.ts';
import { LatencyTable } from './recall/latency-table.ts';
import { openPostgresStages } from './recall/postgres-stages.ts';
import { RecallClient } from './recall/recall-client.ts';
import { openSearchStages } from './recall/search-stages.ts';
import { factWords, questionWords, spell, syntheticRow, WORDS_IN_USE } from './recall/synthetic-facts.ts';
import { figure, printTable } from './report/print-table.ts';

export interface LatencyOptions {
  /** Sizes of the store, in ascending order. The store grows from each to the next. */
  readonly facts: readonly number[];
  readonly store: readonly BenchStore[];
  readonly search: BenchSearch;
  /** The number of questions; a part of them warms the node up. */
  readonly questions: number;
  /** Numbers of vector dimensions. The bench measures all of them for each size of each store. */
  readonly dimensions: readonly number[];
  /** The folder that preserves filled SQLite stores by size, so that later runs need not fill them again. */
  readonly folder?: string | undefined;
}

/** The questions are asked in rounds, so that a disturbance of the machine affects all kinds of requests. */
export const QUESTION_ROUNDS = 8;
/** The token budget of an agent for memory in one prompt. */
const BUDGET = 2_000;

/**
 * The requests to measure. HTTP offers no request for a single stage, so weights limit the answer to the results of
 * some stages.
 */
const REQUESTS: readonly { readonly name: string; readonly members: Readonly<Record<string, unknown>> }[] = [
  { name: 'recall, default weights', members: {} },
  { name: 'recall, words alone', members: { weights: { lexical: 1 }, depth: 0 } },
  { name: 'recall, vectors alone', members: { weights: { vector: 1 }, depth: 0 } },
  { name: 'recall, default weights, compact', members: { fields: 'compact' } },
  { name: 'recall, words and graph', members: { weights: { lexical: 0.6, graph: 0.4 } } },
];

/** The row that a whole recall is compared with: its stages one after another, without the rest of the node. */
const BARE_STAGES = 'bare stages';
/**
 * The row that a whole recall of search in PostgreSQL is compared with: pgvector's own scan of all vectors, and the
 * search by words.
 */
const SCAN_AND_WORDS = 'exact scan, words';

/** One size of a store. */
interface Asked {
  readonly facts: number;
  readonly dimensions: number;
  readonly questions: number;
  readonly stages: (node: NodeProcess, asked: Asked, table: LatencyTable) => Promise<void>;
}

interface Sized {
  readonly facts: number;
  readonly loadedMiB: number | null;
  readonly readMiB: number | null;
  readonly peakMiB: number | null;
  /** The time until the node listens. */
  readonly startMs: number;
  /** The time of the first recall after that. */
  readonly firstMs: number;
  readonly stopMs: number;
}

/**
 * Measures growing stores: recalls over HTTP, each stage alone beside the bare engine, memory, and the restart. Prints
 * one table for each store and number of dimensions.
 */
export const benchRecallLatency = async (options: LatencyOptions): Promise<void> => {
  for (const store of options.store) await benchStore(store, options);
};

const benchStore = async (
  store: BenchStore,
  { facts: sizes, dimensions, folder, search, questions }: LatencyOptions,
): Promise<void> => {
  const [stages, yardstick] = search === 'memory' ? [inProcess, BARE_STAGES] : [inDatabase, SCAN_AND_WORDS];
  const results = dimensions.map((wanted) => ({
    wanted,
    table: new LatencyTable(`${store}, ${wanted} dimensions`, yardstick),
    measured: [] as Sized[],
  }));
  const place = await openPlace(store, search);
  const filled = new FilledStores(place, store === 'sqlite' ? folder : undefined, envOf(dimensions[0] as number));
  try {
    for (const facts of sizes) {
      let node = await filled.grownTo(facts);
      for (const { wanted, table, measured } of results) {
        if (wanted !== dimensions[0]) node = await embeddedAnew(node, wanted);
        const { sized, next } = await measure(node, { facts, dimensions: wanted, questions, stages }, table);
        measured.push(sized);
        node = next;
      }
      if (results.length > 1) node = await embeddedAnew(node, dimensions[0] as number);
      filled.use(node);
    }
  } finally {
    await filled.close();
    await place.close();
  }
  for (const { table, measured } of results) {
    table.print();
    console.log();
    printSizes(measured);
    console.log();
  }
};

const envOf = (dimensions: number): NodeJS.ProcessEnv => ({ SVC_EMBED_DIMENSIONS: String(dimensions) });

/** Restarts the node with vectors of other dimensions, and waits until every fact has a new vector. */
const embeddedAnew = async (node: NodeProcess, dimensions: number): Promise<NodeProcess> => {
  await node.end();
  const next = await node.again(envOf(dimensions));
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
  const loadedMiB = peakMemoryMiB(node.pid);
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
  const memory = { readMiB: memoryMiB(next.pid), peakMiB: peakMemoryMiB(next.pid) };
  return { sized: { facts, loadedMiB, ...memory, startMs, firstMs, stopMs }, next };
};

const printSizes = (measured: readonly Sized[]): void =>
  printTable(
    [
      'facts',
      'listens s',
      'first recall after that s',
      'stop s',
      'peak MiB, loading',
      'MiB, reading',
      'peak MiB, reading',
    ],
    measured.map(({ facts, loadedMiB, readMiB, peakMiB, startMs, firstMs, stopMs }) => [
      figure(facts),
      figure(startMs / 1000, 2),
      figure(firstMs / 1000, 2),
      figure(stopMs / 1000, 2),
      figure(loadedMiB),
      figure(readMiB),
      figure(peakMiB),
    ]),
  );

const askedOf = ({ facts, questions }: Asked): number[][] =>
  Array.from({ length: questions }, (_, at) => questionWords(at, facts));

/** Half as many other questions. */
const warmingOf = ({ facts, questions }: Asked): number[][] =>
  Array.from({ length: questions / 2 }, (_, at) => questionWords(questions + at, facts));

const warmUp = async (node: NodeProcess, asked: Asked): Promise<void> => {
  const client = await RecallClient.open(node);
  for (const words of warmingOf(asked)) await client.timeRecall({ query: spell(words), token_budget: BUDGET });
  client.close();
};

const overHttp = async (node: NodeProcess, of: Asked, table: LatencyTable): Promise<void> => {
  const { facts } = of;
  await warmUp(node, of);
  const client = await RecallClient.open(node);
  const asked = askedOf(of);
  const share = asked.length / QUESTION_ROUNDS;
  for (let round = 0; round < QUESTION_ROUNDS; round += 1) {
    for (const { name, members } of REQUESTS) {
      const before = cpuMs(node.pid);
      for (const words of asked.slice(round * share, (round + 1) * share)) {
        table.add(facts, name, await client.timeRecall({ query: spell(words), token_budget: BUDGET, ...members }));
      }
      const after = cpuMs(node.pid);
      if (before !== null && after !== null) table.addCpu(facts, name, after - before);
    }
  }
  client.close();
};

/** Runs the stages in this process. The node has been stopped, because both would share the cores. */
const inProcess: Asked['stages'] = async ({ folder }, asked, table) => {
  const { facts, dimensions } = asked;
  const stages = await openSearchStages(folder, dimensions);
  const bareWords = createBareLexical(facts, WORDS_IN_USE, factWords);
  const rowBytes = dimensions / 8;
  const bareVectors = createBareVectorScan(randomSigns(facts * rowBytes), rowBytes);
  const sign = randomSigns(rowBytes);
  await eachQuestion(asked, table, BARE_STAGES, async (words, time) => {
    const query = spell(words);
    const found = await time('lexical stage', () => stages.lexical(query));
    await time('bare lexical', () => bareWords.run(words, DEPTH_OF_BOTH), false);
    const [vector] = await time('embedding of the query', () => stages.embedder.embed([query], 'query'));
    await time('vector stage', () => stages.vector(vector as Float32Array));
    await time('bare vector scan', () => bareVectors.run(sign), false);
    await time('session neighbours', () => stages.besides(found));
  });
};

/** Runs the stages of search in PostgreSQL, and the scan of pgvector alone. */
const inDatabase: Asked['stages'] = async ({ database }, asked, table) => {
  await vacuumStore({ database });
  const stages = await openPostgresStages(database, asked.dimensions);
  await eachQuestion(asked, table, SCAN_AND_WORDS, async (words, time) => {
    const query = spell(words);
    const [vector] = await stages.embedder.embed([query], 'query');
    const found = await time('words', () => stages.lexical(query));
    const near = await time('vectors', () => stages.vector(vector as Float32Array), false);
    await time('exact scan', () => stages.scan(vector as Float32Array));
    await time('spread and feedback', () => stages.spread(vector as Float32Array, [...found, ...near]), false);
    await time('session neighbours', () => stages.besides(found), false);
  });
  await stages.close();
};

type Time = <T>(name: string, work: () => T | Promise<T>, isStage?: boolean) => Promise<T>;

/** Runs some work for each question, and adds the sum of its stages under a name. */
const eachQuestion = async (
  asked: Asked,
  table: LatencyTable,
  sum: string,
  work: (words: readonly number[], time: Time) => Promise<void>,
): Promise<void> => {
  const { facts } = asked;
  const warm = warmingOf(asked);
  for (const [at, words] of [...warm, ...askedOf(asked)].entries()) {
    let stagesMs = 0;
    const time: Time = async (name, run, isStage = true) => {
      const began = performance.now();
      const result = await run();
      const ms = performance.now() - began;
      if (at >= warm.length) table.add(facts, name, ms);
      if (isStage) stagesMs += ms;
      return result;
    };
    await work(words, time);
    if (at >= warm.length) table.add(facts, sum, stagesMs);
  }
};

/** Returns random signs, because the time of a scan does not depend on their values. */
const randomSigns = (bytes: number): Uint8Array => {
  const signs = new Uint8Array(bytes);
  let state = 1;
  for (let at = 0; at < bytes; at += 1) {
    state = Math.imul(state, 1664525) + 1013904223;
    signs[at] = state >>> 24;
  }
  return signs;
};

/** Waits until a recall returns a fact that the store is known to hold. */
const untilFound = async (node: NodeProcess, fact: number): Promise<void> => {
  const client = await RecallClient.open(node);
  const row = syntheticRow(fact);
  const { facts } = await client.recall({ query: row.text, token_budget: BUDGET });
  client.close();
  if (!facts.some((found) => found.fact.entity.endsWith(row.id))) throw new Error('a known fact was not found');
};
