import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type BenchStore, openPlace } from './processes/bench-place.ts';
import { cpuMs, memoryMiB, peakMemoryMiB } from './processes/child-process.ts';
import { type NodeProcess, startNodeIn } from './processes/start-node.ts';
import { untilIdle } from './processes/until-idle.ts';
import { loadFacts } from './recall/load-facts.ts';
import { RecallClient } from './recall/recall-client.ts';
import { FACTS_PER_SESSION, syntheticRow } from './recall/synthetic-facts.ts';
import { figure, printTable } from './report/print-table.ts';

export interface StartStopOptions {
  /** The number of facts in the store before the first measured start. */
  readonly facts: number;
  readonly store: BenchStore;
  readonly dimensions: number;
  /** The folder of a SQLite store that later runs reuse, and fill further where necessary. */
  readonly folder?: string | undefined;
  /** The folder for a profile of the node's threads at each stop. */
  readonly profile?: string | undefined;
}

const BUDGET = 2_000;
const FEW = 100;
/** The file that records the number of facts in a reused folder. */
const FILLED = 'bench-filled.json';
/** Longer than two checks of the index, which run every 30 s and must both find it unchanged. */
const MINUTE_MS = 65_000;

/** The measurements between two starts of a node. */
interface Round {
  readonly name: string;
  /** The number of facts to add between the start and the stop. */
  readonly more: number;
  /** True to wait for all vectors, and for the snapshot of the unchanged index. */
  readonly rests: boolean;
}

interface Measured extends Round {
  readonly listensMs: number;
  readonly wordsMs: number;
  readonly vectorsMs: number;
  readonly startCpuMs: number | null;
  readonly miB: number | null;
  readonly peakMiB: number | null;
  readonly stopMs: number;
  readonly stopCpuMs: number | null;
}

/**
 * Measures a node on a store of many facts. The start lasts until the node listens, and until recalls by words and by
 * vectors find a known fact. The stop lasts from SIGTERM to the end of the process.
 */
export const benchStartStop = async (options: StartStopOptions): Promise<void> => {
  const { store, dimensions, facts, folder, profile } = options;
  if (folder !== undefined && store !== 'sqlite') throw new Error('only a folder of SQLite can be used again');
  const place = await openPlace(store);
  const env = { SVC_EMBED_DIMENSIONS: String(dimensions) };
  const nodeOptions = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(profile)}`];
  let node: NodeProcess | undefined;
  let filled = 0;
  if (folder !== undefined) {
    await mkdir(folder, { recursive: true });
    filled = await readFilled(folder);
    node = await startNodeIn(resolve(folder), { env, nodeOptions, startLimitMs: 120_000 });
  } else [node] = await place.startNodes({ env, nodeOptions });
  if (node === undefined) throw new Error('no node was started');
  const measured: Measured[] = [];
  const keep = async (): Promise<void> => {
    if (folder !== undefined) await writeFile(join(folder, FILLED), JSON.stringify({ filled }));
  };
  try {
    if (filled < facts) {
      await loadFacts(node, filled, facts);
      filled = facts;
      await keep();
    }
    // Waits until the node is idle, so that its snapshot covers the facts of earlier runs as well as the new ones.
    await untilFound(node, filled - 1, {});
    await untilIdle(node);
    await pause(MINUTE_MS);
    await node.end();
    const onePercent = Math.max(1, Math.round(filled / 100 / FACTS_PER_SESSION)) * FACTS_PER_SESSION;
    const rounds: Round[] = [
      { name: 'as it was left', more: 0, rests: false },
      { name: 'stop after 1 % more, at once', more: onePercent, rests: false },
      { name: `stop after ${FEW} more, at once`, more: FEW, rests: false },
      { name: 'stop after 1 % more, at rest', more: onePercent, rests: true },
      { name: 'as it was left', more: 0, rests: false },
    ];
    for (const round of rounds) {
      const from = filled;
      const began = performance.now();
      node = await node.again();
      const listensMs = performance.now() - began;
      await untilFound(node, from - 1, { weights: { lexical: 1 }, depth: 0 });
      const wordsMs = performance.now() - began;
      await untilFound(node, from - 1, {});
      const vectorsMs = performance.now() - began;
      const startCpuMs = cpuMs(node.pid);
      const [miB, peakMiB] = [memoryMiB(node.pid), peakMemoryMiB(node.pid)];
      if (round.more > 0) {
        await loadFacts(node, from, from + round.more);
        filled = from + round.more;
        await keep();
      }
      if (round.rests) {
        await untilIdle(node);
        await pause(MINUTE_MS);
      }
      const cpuBefore = cpuMs(node.pid);
      const stopping = performance.now();
      const ending = node.end();
      const stopCpuMs = await cpuUntil(node.pid, ending);
      const stopMs = performance.now() - stopping;
      const stopCpu = cpuBefore === null || stopCpuMs === null ? null : stopCpuMs - cpuBefore;
      measured.push({ ...round, listensMs, wordsMs, vectorsMs, startCpuMs, miB, peakMiB, stopMs, stopCpuMs: stopCpu });
      print(options, measured);
    }
  } finally {
    if (folder === undefined) await node.stop();
    else await node.end();
    await place.close();
  }
};

const print = ({ store, dimensions, facts }: StartStopOptions, measured: readonly Measured[]): void => {
  const seconds = (ms: number | null): string => figure(ms === null ? null : ms / 1_000, 2);
  console.log(`\n${store}, ${figure(facts)} facts, ${dimensions} dimensions; seconds since the start, and to the end`);
  printTable(
    ['start and stop', 'listens', 'words', 'vectors', 'cpu', 'MiB', 'peak MiB', 'stop', 'cpu of it'],
    measured.map((one) => [
      one.name,
      seconds(one.listensMs),
      seconds(one.wordsMs),
      seconds(one.vectorsMs),
      seconds(one.startCpuMs),
      figure(one.miB),
      figure(one.peakMiB),
      seconds(one.stopMs),
      seconds(one.stopCpuMs),
    ]),
  );
};

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** Returns the last observed processor time of a process, in milliseconds. */
const cpuUntil = async (pid: number, end: Promise<void>): Promise<number | null> => {
  let hasEnded = false;
  const ended = end.finally(() => {
    hasEnded = true;
  });
  let last = cpuMs(pid);
  while (!hasEnded) {
    await pause(10);
    last = cpuMs(pid) ?? last;
  }
  await ended;
  return last;
};

const readFilled = async (folder: string): Promise<number> => {
  try {
    return (JSON.parse(await readFile(join(folder, FILLED), 'utf8')) as { readonly filled: number }).filled;
  } catch {
    return 0;
  }
};

/** Waits until a recall with these members finds a fact that the store is known to hold. */
const untilFound = async (node: NodeProcess, fact: number, members: Readonly<Record<string, unknown>>) => {
  const client = await RecallClient.open(node);
  const row = syntheticRow(fact);
  for (;;) {
    const { facts, degraded } = await client.recall({ query: row.text, token_budget: BUDGET, ...members });
    if (degraded !== undefined && degraded.length > 0) {
      await pause(20);
      continue;
    }
    if (!facts.some((found) => found.fact.entity.endsWith(row.id))) throw new Error('a known fact was not found');
    break;
  }
  client.close();
};
