import { BackgroundWork, type Clock, type Logger, ServiceError } from '../../kernel/plugin-api.ts';
import type { Job } from './job-row.ts';
import type { JobStore, Setback } from './job-store.ts';
import type { JobHandler, JobRun } from './jobs-api.ts';

/** How often a claim is renewed: a third of the lease, so that one renewal may fail. */
export const HEARTBEAT_MS = 10_000;
/** Pause after the first failed attempt; each further one doubles it. */
export const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 5 * 60_000;
/** How long a stop waits for handlers that do not heed their signal. */
export const STOP_GRACE_MS = 5_000;

export interface RunnerParts {
  readonly store: JobStore;
  readonly clock: Clock;
  readonly log: Logger;
  /** Jobs that this process does at once. */
  readonly concurrency: number;
  readonly maxAttempts: number;
}

interface ActiveJob {
  readonly controller: AbortController;
  readonly endHeartbeat: () => void;
  readonly ended: Promise<void>;
}

/**
 * Does the jobs of one process: claims jobs that are due, keeps the claims alive, and stores the results. Holds no
 * transaction while a handler works.
 */
export class JobRunner {
  readonly #parts: RunnerParts;
  readonly #handlers = new Map<string, JobHandler>();
  readonly #active = new Map<string, ActiveJob>();
  #state: 'waiting' | 'standing' | 'stopped' = 'waiting';
  readonly #looks: BackgroundWork;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
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

  handlerOf(type: string): JobHandler | undefined {
    return this.#handlers.get(type);
  }

  /** Begins to look for jobs, once the node has started. */
  begin(): void {
    if (this.#state === 'waiting') this.#state = 'standing';
  }

  /** Claims jobs that are due while there is room. Never rejects, because the next look finds the rest. */
  look(): Promise<void> {
    return this.#state === 'standing' ? this.#looks.now() : Promise.resolve();
  }

  /** Interrupts running jobs, gives them back to the queue, and claims no more. Idempotent. */
  async stop(): Promise<void> {
    this.#state = 'stopped';
    for (const { controller } of this.#active.values()) controller.abort();
    await this.#looks.stop();
    let cancel = (): void => {};
    const graceOver = new Promise<void>((resolve) => {
      cancel = this.#parts.clock.schedule(STOP_GRACE_MS, resolve);
    });
    // Another process takes over a job that still runs when its lease has ended. The old run can write no more.
    await Promise.race([Promise.all([...this.#active.values()].map(({ ended }) => ended)), graceOver]);
    cancel();
    for (const { endHeartbeat } of this.#active.values()) endHeartbeat();
    this.#active.clear();
  }

  async #claimDue(): Promise<void> {
    const { store, concurrency, maxAttempts } = this.#parts;
    const types = [...this.#handlers.keys()];
    if (types.length === 0 || this.#active.size >= concurrency) return;
    // A process does not claim its own running jobs, whose lease may have ended.
    for (const seen of await store.due(types, concurrency + this.#active.size)) {
      if (this.#state !== 'standing' || this.#active.size >= concurrency) return;
      if (this.#active.has(seen.id)) continue;
      const job = await store.claim(seen, maxAttempts);
      if (job !== undefined) this.#start(job);
    }
  }

  #start(job: Job): void {
    const controller = new AbortController();
    // A stop during the claim has not seen this job.
    if (this.#state === 'stopped') controller.abort();
    const endHeartbeat = this.#keepClaim(job, controller);
    const ended = this.#work(job, controller.signal).finally(() => {
      endHeartbeat();
      this.#active.delete(job.id);
      void this.look();
    });
    this.#active.set(job.id, { controller, endHeartbeat, ended });
  }

  async #work(job: Job, signal: AbortSignal): Promise<void> {
    const { store, log } = this.#parts;
    const handler = this.#handlers.get(job.type) as JobHandler;
    try {
      signal.throwIfAborted();
      const result = await handler.run(runOf(job, signal, store));
      await store.settle(job, result);
    } catch (error) {
      const setback = this.#judge(job, error);
      if (setback.kind === 'fail' || setback.counts) {
        const fields = { jobId: job.id, jobType: job.type, attempt: job.attempts, error };
        log.warn(setback.kind === 'fail' ? 'a job has failed' : 'a job failed and will be tried again', fields);
      }
      await store.setBack(job, setback).catch((cause: unknown) => {
        log.warn('a job could not be given back; it is taken up again when its lease has ended', { error: cause });
      });
    }
  }

  #judge(job: Job, error: unknown): Setback {
    if (this.#state === 'stopped') return { kind: 'again', delayMs: 0, counts: false };
    const isFinal = error instanceof ServiceError && error.status < 500;
    if (isFinal || job.attempts >= this.#parts.maxAttempts) return { kind: 'fail', error: messageOf(error) };
    const delayMs = Math.min(FIRST_RETRY_MS * 2 ** (job.attempts - 1), LONGEST_RETRY_MS);
    return { kind: 'again', delayMs, counts: true };
  }

  /** Renews the claim until it is told to end, or another process has the job. */
  #keepClaim(job: Job, controller: AbortController): () => void {
    const { store, clock, log } = this.#parts;
    let ended = false;
    let cancel = (): void => {};
    const renew = async (): Promise<void> => {
      try {
        if (!(await store.renew(job)) && !ended) return controller.abort();
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

const runOf = (job: Job, signal: AbortSignal, store: JobStore): JobRun => ({
  id: job.id,
  tenantId: job.tenantId,
  creator: job.creator,
  scope: job.scope,
  payload: job.payload,
  attempt: job.attempts,
  signal,
  write: (work) => store.write(job, work),
  assertHeld: (transaction) => store.assertHeld(job, transaction),
  finish: (transaction, result) => store.finish(job, result, transaction),
});

/** The text for people. It tells nothing of a bug, whose message may hold secrets. */
const messageOf = (error: unknown): string =>
  error instanceof ServiceError ? error.message : 'an internal error; the log of the node says more';
