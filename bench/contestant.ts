import type { LoadReport, RequestPlan } from './load/load-plan.ts';
import { runLoad } from './load/run-load.ts';
import { cpuMs, type ServerProcess } from './processes/child-process.ts';
import { figure } from './report/print-table.ts';

/**
 * The range of assertion numbers that one run reserves, so that no two runs share an entity. A run uses only a small
 * part.
 */
const RANGE_PER_RUN = 20_000_000;

export interface ContestLoad {
  readonly connections: number;
  readonly seconds: number;
  /** As in `LoadPlan`. */
  readonly count?: number | undefined;
  readonly expectedStatus: string;
  /** Returns the plan of the requests; `first` is the number of the run's first assertion. */
  readonly requests: (first: number) => RequestPlan;
  /**
   * Waits until a server has done the work that the load has left, such as vectors of new facts. Its processor time
   * belongs to the load. Without it that work runs in the turn of the next contestant.
   */
  readonly untilRest?: (server: ServerProcess) => Promise<void>;
}

/** A service that a bench compares with others, and all of its measurements so far. */
export class Contestant {
  readonly name: string;
  readonly #servers: readonly ServerProcess[];
  readonly #databaseCpuMs: (() => number | null) | undefined;
  readonly #reports: LoadReport[] = [];
  readonly #cpuMs: (number | null)[] = [];
  #databaseMs: number | null = 0;
  #next = 0;

  /** `servers` are the processes of one service. `databaseCpuMs` returns the processor time of a separate database. */
  constructor(
    name: string,
    servers: ServerProcess | readonly ServerProcess[],
    databaseCpuMs?: (() => number | null) | undefined,
  ) {
    this.name = name;
    this.#servers = [servers].flat();
    this.#databaseCpuMs = databaseCpuMs;
  }

  /** Runs one load without recording it, so that the code gets compiled and caches fill. */
  async warmUp(load: ContestLoad): Promise<void> {
    await this.#run(load);
  }

  /** Returns the number of requests. */
  async measure(load: ContestLoad): Promise<number> {
    const [before, databaseBefore] = [this.#serverMs(), this.#databaseCpuMs?.() ?? null];
    const report = await this.#run(load);
    this.#reports.push(report);
    this.#cpuMs.push(plusSince(0, before, this.#serverMs()));
    this.#databaseMs = plusSince(this.#databaseMs, databaseBefore, this.#databaseCpuMs?.() ?? null);
    return report.requests;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()));
  }

  get requestsPerSecond(): number {
    return this.#sum((report) => report.requests) / this.#sum((report) => report.seconds);
  }

  /** The requests per second of each run. */
  get rates(): readonly number[] {
    return this.#reports.map((report) => report.perSecond);
  }

  /** Returns the mean of a latency over all runs. */
  latency(of: 'p50Ms' | 'p95Ms' | 'p99Ms'): number {
    return this.#sum((report) => report[of]) / this.#reports.length;
  }

  /** The processor time per request in microseconds; null where the system does not report it. */
  get cpuPerRequest(): number | null {
    return this.#perRequest(this.#cpuMs.reduce<number | null>((sum, ms) => plusSince(sum, 0, ms), 0));
  }

  /** The processor time per request of each run. */
  get cpuPerRequestOfRuns(): readonly (number | null)[] {
    return this.#cpuMs.map((ms, run) => ms && (ms * 1000) / (this.#reports[run] as LoadReport).requests);
  }

  /**
   * Returns the cells of a table row: name, requests per second, p50, p95, p99, p99 as a multiple of p50, processor
   * time, and the processor time of a separate database.
   */
  row(): string[] {
    const latencies = (['p50Ms', 'p95Ms', 'p99Ms'] as const).map((of) => figure(this.latency(of), 2));
    const tail = figure(this.latency('p99Ms') / this.latency('p50Ms'), 1);
    const cells = [this.name, figure(this.requestsPerSecond), ...latencies, tail, figure(this.cpuPerRequest, 1)];
    return this.#databaseCpuMs === undefined ? cells : [...cells, figure(this.#perRequest(this.#databaseMs), 1)];
  }

  static readonly HEADING = ['', 'req/s', 'p50 ms', 'p95 ms', 'p99 ms', 'p99 / p50', 'cpu µs/req'];
  static readonly HEADING_WITH_DATABASE = [...Contestant.HEADING, 'database µs/req'];

  async #run({ connections, seconds, count, expectedStatus, requests, untilRest }: ContestLoad): Promise<LoadReport> {
    const first = this.#next;
    this.#next += RANGE_PER_RUN;
    const ports = this.#servers.map(({ port }) => port);
    const key = this.#servers[0]?.key ?? '';
    const report = await runLoad({ ports, key, connections, seconds, count, requests: requests(first) });
    const unexpected = Object.keys(report.statuses).filter((status) => status !== expectedStatus);
    if (unexpected.length > 0) throw new Error(`${this.name} answered ${unexpected.join(', ')}`);
    for (const server of this.#servers) await untilRest?.(server);
    return report;
  }

  #serverMs(): number | null {
    return this.#servers.reduce<number | null>((sum, { pid }) => plusSince(sum, 0, cpuMs(pid)), 0);
  }

  #perRequest(ms: number | null): number | null {
    return ms === null ? null : (ms * 1000) / this.#sum((report) => report.requests);
  }

  #sum(of: (report: LoadReport) => number): number {
    return this.#reports.reduce((sum, report) => sum + of(report), 0);
  }
}

/** Returns null as soon as one of the processor times is unknown. */
const plusSince = (sum: number | null, before: number | null, after: number | null): number | null =>
  sum === null || before === null || after === null ? null : sum + after - before;
