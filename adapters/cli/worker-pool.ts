import cluster, { type Worker } from 'node:cluster';
import type { Logger } from '../../kernel/plugin-api.ts';
import { closeUntakenAtEnd } from './handed-connections.ts';
import { STOP_LIMIT_MS, STOP_SIGNALS } from './stop-signal.ts';
import { PLACE_VARIABLE, type WorkerReport } from './worker-process.ts';

export interface WorkerPoolOptions {
  /** The number of processes to keep running. */
  readonly count: number;
  readonly log: Logger;
  /** Stops the pool when it resolves. */
  readonly stop: Promise<unknown>;
  /** Called once, when all processes serve for the first time, with their common address. */
  onServing(url: string): void;
}

/** The outcome of a pool. Without a failure, it was stopped on request. */
export interface PoolEnd {
  /** Whether every process drained and exited without an error. */
  readonly clean: boolean;
  /** The reason why the pool gave up, as lines for the operator. */
  readonly failure?: string | undefined;
}

/**
 * Runs this program with the same arguments in several processes that share a port. Restarts a process that ends, after
 * a pause that grows while it keeps failing. At the start, a process that reports a problem ends the pool. Later the
 * pool gives up only when no process serves and none can start.
 */
export const runWorkerPool = (options: WorkerPoolOptions): Promise<PoolEnd> => new WorkerPool(options).run();

const SHORTEST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/** A worker that served this long has started successfully, so its end does not count as a failed start. */
const STEADY_MS = 10_000;

/** The number of processes in a row that may end before they serve. Further attempts would only hide the problem. */
const MOST_FAILED_STARTS = 5;

/** Returns the pause before a restart, by the number of failed starts in a row. */
export const restartPauseMs = (ends: number): number => Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** (ends - 1));

interface Member {
  readonly worker: Worker;
  /** The index of the process, from 0. A replacement has the same index. */
  readonly place: number;
  /** The number of times in a row that a process with this index ended too early. */
  readonly ends: number;
  servingSinceMs?: number;
  failure?: string;
}

class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #members = new Set<Member>();
  readonly #pauses = new Set<NodeJS.Timeout>();
  #greeted = false;
  #failedStarts = 0;
  #ending: { clean: boolean; readonly failure: string | undefined } | undefined;
  #resolve: (end: PoolEnd) => void = () => {};

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  async run(): Promise<PoolEnd> {
    // Kills all workers, even after a second signal or a bug, because none may outlive this process.
    const kill = (): void => this.#signal('SIGKILL');
    process.on('exit', kill);
    const ended = new Promise<PoolEnd>((resolve) => {
      this.#resolve = resolve;
    });
    for (let n = 0; n < this.#options.count; n += 1) this.#add(n, 0);
    void this.#options.stop.then(() => this.#end());
    try {
      return await ended;
    } finally {
      process.off('exit', kill);
    }
  }

  #add(place: number, ends: number): void {
    const worker = cluster.fork({ [PLACE_VARIABLE]: String(place) });
    closeUntakenAtEnd(worker.process);
    const member: Member = { worker, place, ends };
    this.#members.add(member);
    worker.on('message', (report: WorkerReport) => {
      if ('serving' in report) this.#serves(member, report.serving);
      else member.failure = report.failure;
    });
    worker.once('exit', (exitCode, signal) => this.#ended(member, exitCode, signal));
    worker.on('error', (error) => {
      // A process that failed to start has no exit event. A running process whose channel broke will exit, and counts
      // then.
      if (worker.process.pid !== undefined) return;
      member.failure = `error: a worker cannot be started: ${error.message}\n`;
      this.#ended(member, null, null);
    });
  }

  #serves(member: Member, url: string): void {
    member.servingSinceMs = performance.now();
    this.#failedStarts = 0;
    if (this.#greeted || this.#ending !== undefined || this.#serving() < this.#options.count) return;
    this.#greeted = true;
    this.#options.onServing(url);
  }

  #serving(): number {
    return [...this.#members].filter(({ servingSinceMs }) => servingSinceMs !== undefined).length;
  }

  #ended(member: Member, exitCode: number | null, signal: string | null): void {
    if (!this.#members.delete(member)) return;
    if (this.#ending !== undefined) {
      // A process that is killed by a stop signal has not served yet, or has drained, so its end is clean.
      if (exitCode !== 0 && !STOP_SIGNALS.includes(signal ?? '')) this.#ending.clean = false;
      this.#settle();
      return;
    }
    if (member.servingSinceMs === undefined) this.#failedStarts += 1;
    const failure = this.#hopeless(member);
    if (failure !== undefined) this.#end(failure);
    else this.#replace(member, { exitCode, signal });
  }

  /** Returns the reason to give up; undefined while there is none. */
  #hopeless({ failure }: Member): string | undefined {
    if (!this.#greeted && failure !== undefined) return failure;
    if (this.#failedStarts < MOST_FAILED_STARTS || (this.#greeted && this.#serving() > 0)) return undefined;
    return (
      failure ??
      `error: ${this.#failedStarts} workers in a row ended before they served\nhint: what they wrote is above; SVC_WORKERS=1 starts the node without them\n`
    );
  }

  #replace({ worker, place, servingSinceMs, ends, failure }: Member, how: Readonly<Record<string, unknown>>): void {
    const lasted = servingSinceMs !== undefined && performance.now() - servingSinceMs >= STEADY_MS;
    const now = lasted ? 1 : ends + 1;
    const pauseMs = restartPauseMs(now);
    this.#options.log[how['exitCode'] === 0 ? 'warn' : 'error']('a worker ended and is started again', {
      pid: worker.process.pid,
      ...how,
      restartInMs: pauseMs,
      ...(failure === undefined ? {} : { reason: failure }),
    });
    const pause = setTimeout(() => {
      this.#pauses.delete(pause);
      this.#add(place, now);
    }, pauseMs);
    this.#pauses.add(pause);
  }

  #end(failure?: string): void {
    if (this.#ending !== undefined) return;
    this.#ending = { clean: failure === undefined, failure };
    for (const pause of this.#pauses) clearTimeout(pause);
    setTimeout(() => this.#signal('SIGKILL'), STOP_LIMIT_MS).unref();
    this.#signal('SIGTERM');
    this.#settle();
  }

  #settle(): void {
    if (this.#ending !== undefined && this.#members.size === 0) this.#resolve(this.#ending);
  }

  /** Signals the process directly, because the cluster's own `kill` closes the channel first and with it the port. */
  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    for (const { worker } of this.#members) worker.process.kill(signal);
  }
}
