import type { LoadReport, RequestPlan } from './load/load-plan.ts';
import { runLoad } from './load/run-load.ts';
import { cpuMs, type ServerProcess } from './processes/child-process.ts';
import { figure } from './report/print-table.ts';

/** Numbers of one run's assertions: far more than it can use, so that no two runs share an entity. */
const RANGE_PER_RUN = 20_000_000;

export interface ContestLoad {
  readonly connections: number;
  readonly seconds: number;
  readonly expectedStatus: string;
  /** What to send, given the number of the run's first assertion. */
  readonly requests: (first: number) => RequestPlan;
}

/** One of the servers that a bench compares, with everything measured on it so far. */
export class Contestant {
  readonly name: string;
  readonly server: ServerProcess;
  readonly #reports: LoadReport[] = [];
  #cpuMs: number | null = 0;
  #next = 0;

  constructor(name: string, server: ServerProcess) {
    this.name = name;
    this.server = server;
  }

  /** Runs one load without counting it: code gets compiled, caches fill. */
  async warmUp(load: ContestLoad): Promise<void> {
    await this.#run(load);
  }

  async measure(load: ContestLoad): Promise<void> {
    const before = cpuMs(this.server.pid);
    this.#reports.push(await this.#run(load));
    const after = cpuMs(this.server.pid);
    this.#cpuMs = this.#cpuMs === null || before === null || after === null ? null : this.#cpuMs + after - before;
  }

  get requestsPerSecond(): number {
    return this.#sum((report) => report.requests) / this.#sum((report) => report.seconds);
  }

  /** Requests a second, run by run. */
  get rates(): readonly number[] {
    return this.#reports.map((report) => report.perSecond);
  }

  /** Means over the runs. */
  latency(of: 'p50Ms' | 'p95Ms' | 'p99Ms'): number {
    return this.#sum((report) => report[of]) / this.#reports.length;
  }

  /** Processor time per request in microseconds, null where it cannot be read. */
  get cpuPerRequest(): number | null {
    return this.#cpuMs === null ? null : (this.#cpuMs * 1000) / this.#sum((report) => report.requests);
  }

  /** Cells for a table: name, requests a second, p50, p95, p99, processor time. */
  row(): string[] {
    const latencies = (['p50Ms', 'p95Ms', 'p99Ms'] as const).map((of) => figure(this.latency(of), 2));
    return [this.name, figure(this.requestsPerSecond), ...latencies, figure(this.cpuPerRequest, 1)];
  }

  static readonly HEADING = ['', 'req/s', 'p50 ms', 'p95 ms', 'p99 ms', 'cpu µs/req'];

  async #run({ connections, seconds, expectedStatus, requests }: ContestLoad): Promise<LoadReport> {
    const first = this.#next;
    this.#next += RANGE_PER_RUN;
    const { port, key } = this.server;
    const report = await runLoad({ port, key, connections, seconds, requests: requests(first) });
    const unexpected = Object.keys(report.statuses).filter((status) => status !== expectedStatus);
    if (unexpected.length > 0) throw new Error(`${this.name} answered ${unexpected.join(', ')}`);
    return report;
  }

  #sum(of: (report: LoadReport) => number): number {
    return this.#reports.reduce((sum, report) => sum + of(report), 0);
  }
}
