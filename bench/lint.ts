import { Contestant, type ContestLoad } from './contestant.ts';
import { LintRuns } from './lint/lint-runs.ts';
import { FACTS_PER_REQUEST, runBatches } from './load/run-batches.ts';
import { type BenchStore, openPlace } from './processes/bench-place.ts';
import { memoryMiB, type ServerProcess } from './processes/child-process.ts';
import { type EventLoopPauses, eventLoopPauses } from './processes/event-loop.ts';
import { untilIdle } from './processes/until-idle.ts';
import { figure, printTable, share } from './report/print-table.ts';
import { sidesOfRound } from './sides-of-round.ts';

export interface LintOptions {
  /** The number of facts in the checked store. */
  readonly facts: number;
  readonly connections: number;
  /** Seconds of measured assertions without a job, and again with one. */
  readonly seconds: number;
  readonly store: BenchStore;
}

const ROUNDS = 5;
const WARM_UP_SECONDS = 4;
const PER_ENTITY = 10;
/** A threshold so low that every store of this bench needs a job. */
const JOB_THRESHOLD = '1000';
/** Both sides write to one node. The facts of the second side begin at this number in each range. */
const SECOND_SIDE = 10_000_000;
const WATCH_MS = 100;

/**
 * Compares assertions during a job that checks the whole store with assertions alone, and measures the duration of the
 * job.
 */
export const benchLint = async (options: LintOptions): Promise<void> => {
  const place = await openPlace(options.store);
  const [node] = await place.startNodes({ env: { SVC_ASYNC_JOB_THRESHOLD: JOB_THRESHOLD } });
  if (node === undefined) throw new Error('no node was started');
  try {
    const to = Math.ceil(options.facts / FACTS_PER_REQUEST) * FACTS_PER_REQUEST;
    await runBatches(node, { from: 0, to, perEntity: PER_ENTITY });
    await untilIdle(node);
    const runs = new LintRuns(node);
    console.log(`\n${options.store}, ${figure(to)} facts`);
    await lintAlone(node, runs);
    await compareWrites(node, runs, options, place.databaseCpuMs);
  } finally {
    await node.stop();
    await place.close();
  }
};

/** Measures one job on a node without other work. */
const lintAlone = async (node: ServerProcess, runs: LintRuns): Promise<void> => {
  const before = memoryMiB(node.pid);
  await eventLoopPauses(node);
  const watch = new MemoryWatch(node);
  const began = performance.now();
  const { fact_count, findings = [], truncated } = await runs.end(await runs.start(), () => watch.look());
  const seconds = (performance.now() - began) / 1000;
  const pauses = await eventLoopPauses(node);
  const found = `${figure(findings.length)} findings${truncated === true ? ', the list is full' : ''}`;
  console.log(`a job alone: ${figure(fact_count ?? null)} facts in ${figure(seconds, 1)} s, ${found}`);
  const memory = `${figure(before)} MiB before, at most ${figure(watch.peak)} MiB meanwhile`;
  console.log(`memory of the node: ${memory}; pauses of its event loop: ${spelled(pauses)}`);
};

const compareWrites = async (
  node: ServerProcess,
  runs: LintRuns,
  { connections, seconds, store }: LintOptions,
  databaseCpuMs: (() => number | null) | undefined,
): Promise<void> => {
  const alone = new Side('writes alone', 0, node, databaseCpuMs);
  const beside = new Side('writes beside a job', SECOND_SIDE, node, databaseCpuMs);
  const measure = async (side: Side): Promise<void> => {
    const part = { connections, seconds: seconds / ROUNDS };
    await (side === alone ? side.measure(part) : runs.during(() => side.measure(part)));
  };
  await alone.contestant.warmUp(alone.load({ connections, seconds: WARM_UP_SECONDS }));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const side of sidesOfRound([alone, beside], round)) await measure(side);
  }
  console.log(`\nPOST /v1/facts on ${store}, ${connections} connections, ${ROUNDS} rounds by turns`);
  const heading = databaseCpuMs === undefined ? Contestant.HEADING : Contestant.HEADING_WITH_DATABASE;
  printTable([...heading, 'peak MiB', 'loop p99 ms', 'loop max ms'], [alone.row(), beside.row()]);
  const [off, on] = [alone.contestant, beside.contestant];
  const rounds = off.rates.map((rate, round) => figure((100 * (on.rates[round] ?? 0)) / rate));
  console.log(
    `beside a job / alone: ${share(on.requestsPerSecond, off.requestsPerSecond)} (rounds: ${rounds.join(', ')})`,
  );
  await lintWhole(runs, beside, connections);
};

/** Measures one job from beginning to end while a load writes facts. */
const lintWhole = async (runs: LintRuns, side: Side, connections: number): Promise<void> => {
  let isOver = false;
  const began = performance.now();
  const job = await runs.start();
  const ended = runs.end(job).finally(() => {
    isOver = true;
  });
  while (!isOver) await side.contestant.warmUp(side.load({ connections, seconds: 1 }));
  const { fact_count } = await ended;
  const seconds = (performance.now() - began) / 1000;
  console.log(`a whole job beside writes: ${figure(fact_count ?? null)} facts in ${figure(seconds, 1)} s`);
};

/** One side of the comparison: its writes, and the state of the node during them. */
class Side {
  readonly contestant: Contestant;
  readonly #first: number;
  readonly #node: ServerProcess;
  readonly #watch: MemoryWatch;
  #pauses: EventLoopPauses = { p99Ms: 0, maxMs: 0 };

  constructor(name: string, first: number, node: ServerProcess, databaseCpuMs: (() => number | null) | undefined) {
    this.contestant = new Contestant(name, node, databaseCpuMs);
    this.#first = first;
    this.#node = node;
    this.#watch = new MemoryWatch(node);
  }

  load({ connections, seconds }: Pick<ContestLoad, 'connections' | 'seconds'>): ContestLoad {
    const requests = (first: number) => ({ kind: 'append', first: first + this.#first, contradicting: 0.02 }) as const;
    return { connections, seconds, expectedStatus: '201', requests };
  }

  async measure(part: Pick<ContestLoad, 'connections' | 'seconds'>): Promise<void> {
    await eventLoopPauses(this.#node);
    const watching = setInterval(() => this.#watch.look(), WATCH_MS);
    await this.contestant.measure(this.load(part)).finally(() => clearInterval(watching));
    const { p99Ms, maxMs } = await eventLoopPauses(this.#node);
    this.#pauses = { p99Ms: Math.max(this.#pauses.p99Ms, p99Ms), maxMs: Math.max(this.#pauses.maxMs, maxMs) };
  }

  row(): string[] {
    const { p99Ms, maxMs } = this.#pauses;
    return [...this.contestant.row(), figure(this.#watch.peak), figure(p99Ms, 1), figure(maxMs, 1)];
  }
}

/** Tracks the highest observed memory of a process. */
class MemoryWatch {
  readonly #node: ServerProcess;
  peak: number | null = null;

  constructor(node: ServerProcess) {
    this.#node = node;
  }

  look(): void {
    const now = memoryMiB(this.#node.pid);
    if (now !== null) this.peak = Math.max(this.peak ?? 0, now);
  }
}

const spelled = ({ p99Ms, maxMs }: EventLoopPauses): string => `p99 ${figure(p99Ms, 1)} ms, max ${figure(maxMs, 1)} ms`;
