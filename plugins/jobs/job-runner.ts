import { BackgroundWork, type Clock, type Logger, ServiceError } from '../../kernel/plugin-api.ts';
import type { JobClaims, Setback } from './job-claims.ts';
import type { Job } from './job-row.ts';
import type { JobTelemetry, RunningJob } from './job-telemetry.ts';
import type { JobHandler, JobRun } from './jobs-api.ts';
import { ProgressMeter } from './progress-meter.ts';

/** How often a claim is renewed: a third of the lease, so that one renewal may fail. */
export const HEARTBEAT_MS = 10_000;
/** Pause after the first failed attempt. Each further failure doubles it. */
export const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 5 * 60_000;
/** The time for which a stop waits for handlers that ignore their signal. */
export const STOP_GRACE_MS = 5_000;

export interface RunnerParts {
  readonly claims: JobClaims;
  readonly measured: JobTelemetry;
  readonly clock: Clock;
  readonly log: Logger;
  /** Number of jobs that this process runs at the same time. */
  readonly concurrency: number;
  readonly maxAttempts: number;
}

interface ActiveJob {
  readonly job: Job;
  readonly meter: ProgressMeter;
  readonly controller: AbortController;
  readonly endHeartbeat: () => void;
  readonly ended: Promise<void>;
}

/**
 * Runs the jobs of one process: claims due jobs, renews the claims, and stores the results. Holds no transaction while
 * a handler works.
 */
export class JobRunner {
  readonly #parts: RunnerParts;
  readonly #handlers = new Map<string, JobHandler>();
  readonly #active = new Map<string, ActiveJob>();
  #state: 'waiting' | 'standing' | 'stopped' = 'waiting';
  readonly #looks: BackgroundWork;
  readonly #tending: BackgroundWork;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    this.#tending = new BackgroundWork({
      clock: parts.clock,
      work: () => this.#tend(),
      failed: (error) => parts.log.warn('the progress of jobs could not be stored; it will be tried again', { error }),
    });
    this.#looks = new BackgroundWork({
      clock: parts.clock,
      work: () => this.#claimDue(),
      failed: (error) => parts.log.warn('the queue of jobs could not be read; it will be tried again', { error }),
    });
  }

  handle(type: string, handler: JobHandler): void {
    if (this.#handlers.has(type)) throw new Error(`jobs of type ${type} have a handler already`);
    this.#handlers.set(type, handler);
  }

  /** The progress of the jobs of this process whose total is known. */
  progress(): readonly RunningJob[] {
    return [...this.#active.values()].flatMap(({ job, meter }) => {
      const { latest } = meter;
      if (latest === null || latest.total === null || latest.total <= 0) return [];
      return [{ type: job.type, share: Math.min(1, latest.done / latest.total) }];
    });
  }

  handlerOf(type: string): JobHandler | undefined {
    return this.#handlers.get(type);
  }

  /** Starts to poll for jobs, once the node has started. */
  begin(): void {
    if (this.#state === 'waiting') this.#state = 'standing';
  }

  /** Claims due jobs while there is room. Never rejects, because the next poll finds the rest. */
  look(): Promise<void> {
    return this.#state === 'standing' ? this.#looks.now() : Promise.resolve();
  }

  /**
   * Claims a new job and starts it, even when the limit of running jobs is reached. Returns false if this process did
   * not get it.
   */
  async take(added: Pick<Job, 'tenantId' | 'id'>): Promise<boolean> {
    const { claims, maxAttempts } = this.#parts;
    if (this.#state === 'stopped') return false;
    const job = await claims.claim({ ...added, fence: 0, status: 'pending' }, maxAttempts);
    if (job !== undefined) this.#start(job);
    return job !== undefined;
  }

  /** Stores the progress of running jobs, and interrupts jobs whose claim was lost. Never rejects. */
  tend(): Promise<void> {
    return this.#state === 'standing' ? this.#tending.now() : Promise.resolve();
  }

  /** Interrupts running jobs, returns them to the queue, and claims no more. Idempotent. */
  async stop(): Promise<void> {
    this.#state = 'stopped';
    for (const { controller } of this.#active.values()) controller.abort();
    await Promise.all([this.#looks.stop(), this.#tending.stop()]);
    let cancel = (): void => {};
    const graceOver = new Promise<void>((resolve) => {
      cancel = this.#parts.clock.schedule(STOP_GRACE_MS, resolve);
    });
    // A job that still runs when its lease ends is claimed by another process. The old run can then write nothing more.
    await Promise.race([Promise.all([...this.#active.values()].map(({ ended }) => ended)), graceOver]);
    cancel();
    for (const { endHeartbeat } of this.#active.values()) endHeartbeat();
    this.#active.clear();
  }

  async #claimDue(): Promise<void> {
    const { claims, concurrency, maxAttempts } = this.#parts;
    const types = [...this.#handlers.keys()];
    if (types.length === 0 || this.#active.size >= concurrency) return;
    // A lease of this process may have ended too, but a process does not claim its own running jobs again.
    for (const seen of await claims.due(types, concurrency + this.#active.size)) {
      if (this.#state !== 'standing' || this.#active.size >= concurrency) return;
      if (this.#active.has(seen.id)) continue;
      const job = await claims.claim(seen, maxAttempts);
      if (job !== undefined) this.#start(job);
    }
  }

  async #tend(): Promise<void> {
    const { claims } = this.#parts;
    const active = [...this.#active.values()];
    const silent: ActiveJob[] = [];
    for (const one of active) {
      const progress = one.meter.unstored();
      if (progress === undefined) silent.push(one);
      else if (await claims.report(one.job, progress)) one.meter.stored(progress);
      else one.controller.abort();
    }
    const lost = await claims.lost(silent.map(({ job }) => job));
    for (const { job, controller } of silent) if (lost.has(job.id)) controller.abort();
  }

  #start(job: Job): void {
    const controller = new AbortController();
    // A stop during the claim could not interrupt this job yet.
    if (this.#state === 'stopped') controller.abort();
    const meter = new ProgressMeter(this.#parts.clock, job.progress);
    const endHeartbeat = this.#keepClaim(job, meter, controller);
    const ended = this.#work(job, meter, controller.signal).finally(() => {
      endHeartbeat();
      this.#active.delete(job.id);
      void this.look();
    });
    this.#active.set(job.id, { job, meter, controller, endHeartbeat, ended });
  }

  async #work(job: Job, meter: ProgressMeter, signal: AbortSignal): Promise<void> {
    const { claims, log, clock, measured } = this.#parts;
    const begunMs = clock.monotonicMs();
    const handler = this.#handlers.get(job.type) as JobHandler;
    const attempt = { number: job.attempts };
    try {
      signal.throwIfAborted();
      const work = async () => handler.run(runOf({ job, meter, signal, claims, attempt }));
      const result = await measured.run(job.type, work);
      await claims.settle(job, result, meter.latest);
      measured.ended(job.type, 'done', clock.monotonicMs() - begunMs);
    } catch (error) {
      measured.ended(job.type, 'failed', clock.monotonicMs() - begunMs);
      const setback = this.#judge(attempt.number, error);
      // `setBack` returns false for a cancelled job, and for a job that another process has claimed.
      const wasHeld = await claims.setBack(job, setback, meter.latest).catch((cause: unknown) => {
        log.warn('a job could not be given back; it is taken up again when its lease has ended', { error: cause });
        return true;
      });
      if (!wasHeld) return log.info('a job was interrupted', { jobId: job.id, jobType: job.type });
      if (setback.kind === 'again' && !setback.counts) return;
      const fields = { jobId: job.id, jobType: job.type, attempt: attempt.number, error };
      log.warn(setback.kind === 'fail' ? 'a job has failed' : 'a job failed and will be tried again', fields);
    }
  }

  #judge(attempt: number, error: unknown): Setback {
    if (this.#state === 'stopped') return { kind: 'again', delayMs: 0, counts: false };
    const isFinal = error instanceof ServiceError && error.status < 500;
    if (isFinal || attempt >= this.#parts.maxAttempts) return { kind: 'fail', error: messageOf(error) };
    const delayMs = Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LONGEST_RETRY_MS);
    return { kind: 'again', delayMs, counts: true };
  }

  /** Renews the claim until the returned function is called, or another process has claimed the job. */
  #keepClaim(job: Job, meter: ProgressMeter, controller: AbortController): () => void {
    const { claims, clock, log } = this.#parts;
    let ended = false;
    let cancel = (): void => {};
    const renew = async (): Promise<void> => {
      const progress = meter.unlogged();
      if (progress !== undefined) {
        log.info('a job goes on', { jobId: job.id, jobType: job.type, ...progress });
      }
      try {
        if (!(await claims.renew(job)) && !ended) return controller.abort();
      } catch (error) {
        log.warn('the claim of a job could not be renewed', { jobId: job.id, error });
      }
      if (!ended) arm();
    };
    const arm = (): void => {
      cancel = clock.schedule(HEARTBEAT_MS, () => void renew());
    };
    arm();
    return () => {
      ended = true;
      cancel();
    };
  }
}

interface RunParts {
  readonly job: Job;
  readonly meter: ProgressMeter;
  readonly signal: AbortSignal;
  readonly claims: JobClaims;
  readonly attempt: { number: number };
}

const runOf = ({ job, meter, signal, claims, attempt }: RunParts): JobRun => ({
  id: job.id,
  tenantId: job.tenantId,
  creator: job.creator,
  scope: job.scope,
  payload: job.payload,
  attempt: job.attempts,
  signal,
  resumedFrom: job.checkpoint,
  progress: (now) => meter.report(now),
  checkpoint: async (data, transaction) => {
    attempt.number = await claims.checkpoint(job, data, transaction);
  },
  write: (work) => claims.write(job, work),
  assertHeld: (transaction) => claims.assertHeld(job, transaction),
  finish: (transaction, result) => claims.finish(job, result, transaction, meter.latest),
});

/** The error text for people. It hides the message of a bug, which may contain secrets. */
const messageOf = (error: unknown): string =>
  error instanceof ServiceError ? error.message : 'an internal error; the log of the node says more';
