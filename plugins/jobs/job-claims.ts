import { sealText } from '../../kernel/internal-api.ts';
import {
  type PluginTransaction,
  type ReadableTables,
  type Row,
  ServiceError,
  type SqlValue,
  sealJson,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import { ended, type Job, jobIn, jobOf, keyOf, progressColumns, QUEUE, replace } from './job-row.ts';
import type { JobData, ReportedProgress } from './jobs-api.ts';
import { type QueueParts, WORK } from './queue-parts.ts';

/** How long a claim lasts without being renewed. */
export const LEASE_MS = 30_000;
const MAX_CHECKPOINT_CHARACTERS = 256 * 1024;

/**
 * How far ahead a job may be due, except by its own delay. This is longer than a claim and than any pause after a
 * failure. A later time comes from a clock that was set back since.
 */
const FARTHEST_MS = 10 * 60_000;

/** The outcome of a failed attempt. */
export type Setback =
  | { readonly kind: 'again'; readonly delayMs: number; readonly counts: boolean }
  | { readonly kind: 'fail'; readonly error: string };

/** Claims, holds and ends jobs on behalf of the processes that run them. */
export class JobClaims {
  readonly #parts: QueueParts;

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  /** Returns jobs of these types that can be claimed now, in the order in which they are due. */
  async due(types: readonly string[], limit: number): Promise<Job[]> {
    const damaged: Row[] = [];
    const jobs = await this.#parts.tables.read(async (own, snapshot) => {
      const nowMs = await this.#parts.storeTime(snapshot);
      const found = (range: (query: Query) => Query, count: number): Promise<Record<string, SqlValue>[]> =>
        range(own(QUEUE).whereIn('status', ['pending', 'running']))
          .whereIn('job_type', types)
          .whereNotIn('tenant_id', [...this.#parts.served.resting])
          .orderBy('due_ms')
          .limit(count);
      // Two queries, because each is one range of the index.
      const rows = await found((query) => query.where('due_ms', '<=', nowMs), limit);
      const left = limit - rows.length;
      if (left > 0) rows.push(...(await found((query) => isLeft(query, nowMs + FARTHEST_MS), left)));
      return own.parse(rows, jobOf, (row) => damaged.push(row));
    });
    for (const row of damaged) await this.#failDamaged(row);
    return jobs;
  }

  /** Fails a job whose row cannot be read, because it would otherwise stay first in the queue for ever. */
  #failDamaged({ tenant_id, job_id, fence }: Row): Promise<void> {
    return this.#parts.tables.write(String(tenant_id), async (own, transaction) => {
      const nowMs = await this.#parts.storeTime(transaction);
      const emptied = { payload: sealJson({}), result: null, checkpoint: null, emptied: 1 };
      await own(QUEUE)
        .where({ tenant_id, job_id, fence })
        .update({
          ...emptied,
          status: 'failed',
          error: DAMAGED,
          dedupe: null,
          due_ms: nowMs + this.#parts.keepMs,
          completed_ms: nowMs,
        });
    });
  }

  /**
   * Claims a job in the given state, or returns undefined if another process was faster. Fails a job whose last allowed
   * attempt never reported a result, so that a job that crashes its process is not retried for ever.
   */
  claim(seen: Pick<Job, 'tenantId' | 'id' | 'fence' | 'status'>, maxAttempts: number): Promise<Job | undefined> {
    return this.#parts.tables.write(seen.tenantId, async (own, transaction) => {
      const job = await jobIn(own, seen);
      if (job === undefined || job.fence !== seen.fence || job.status !== seen.status) return undefined;
      const nowMs = await this.#parts.storeTime(transaction);
      if (job.attempts >= maxAttempts) {
        await this.#end(own, job, { status: 'failed', error: INTERRUPTED, nowMs });
        return undefined;
      }
      const claimed: Job = {
        ...job,
        status: 'running',
        dueMs: nowMs + LEASE_MS,
        fence: job.fence + 1,
        attempts: job.attempts + 1,
        startedMs: job.startedMs ?? nowMs,
        dedupe: job.dedupeUntil === 'started' ? null : job.dedupe,
      };
      await replace(own, claimed);
      return claimed;
    });
  }

  /** Renews a claim for another lease. Returns false when it was lost. */
  renew(held: Job): Promise<boolean> {
    return this.#parts.tables.write(held.tenantId, async (own, transaction) => {
      const nowMs = await this.#parts.storeTime(transaction);
      return changeHeld(own, held, { due_ms: nowMs + LEASE_MS });
    });
  }

  /** Stores the progress of a held job. Returns false if the claim was lost. */
  report(held: Job, progress: ReportedProgress): Promise<boolean> {
    return this.#parts.tables.write(held.tenantId, (own) => changeHeld(own, held, progressColumns(progress)));
  }

  /**
   * Returns the ids of the given jobs whose claim this process has lost: ended, cancelled or claimed by another
   * process.
   */
  async lost(held: readonly Job[]): Promise<Set<string>> {
    if (held.length === 0) return new Set();
    const rows: Record<string, SqlValue>[] = await this.#parts.tables.read((own) =>
      own(QUEUE)
        .whereIn('tenant_id', [...new Set(held.map(({ tenantId }) => tenantId))])
        .whereIn(
          'job_id',
          held.map(({ id }) => id),
        )
        .where('status', 'running')
        .select('job_id', 'fence'),
    );
    const fences = new Map(rows.map((row) => [String(row['job_id']), Number(row['fence'])]));
    return new Set(held.filter(({ id, fence }) => fences.get(id) !== fence).map(({ id }) => id));
  }

  /**
   * Stores the progress of a held job. A new checkpoint resets the count of attempts; an attempt without progress does
   * not. Returns the number of the attempt. Throws if the claim was lost.
   */
  async checkpoint(held: Job, data: JobData, transaction?: PluginTransaction): Promise<number> {
    if (transaction === undefined) {
      return this.#parts.tables.write(held.tenantId, (_, opened) => this.checkpoint(held, data, opened));
    }
    const checkpoint = JSON.stringify(data);
    if (checkpoint.length > MAX_CHECKPOINT_CHARACTERS) throw new RangeError('the checkpoint of a job is too long');
    const own = this.#parts.tables.in(transaction);
    const job = await heldIn(own, held);
    if (job === undefined) throw lost();
    const isFurther = checkpoint !== JSON.stringify(job.checkpoint);
    const attempts = isFurther ? 1 : job.attempts;
    await changeHeld(own, held, { checkpoint: sealText(checkpoint), attempts });
    return attempts;
  }

  /** Throws if the claim was lost. */
  async assertHeld(held: Job, transaction: PluginTransaction): Promise<void> {
    if ((await heldIn(this.#parts.tables.in(transaction), held)) === undefined) throw lost();
  }

  write<T>(held: Job, work: (transaction: PluginTransaction) => Promise<T>): Promise<T> {
    return this.#parts.tables.write(held.tenantId, async (_, transaction) => {
      await this.assertHeld(held, transaction);
      return work(transaction);
    });
  }

  /** Ends a held job as done. Does nothing if the job has ended or its claim was lost. */
  settle(held: Job, result: JobData | undefined, progress: ReportedProgress | null = held.progress): Promise<void> {
    return this.#parts.tables.write(held.tenantId, async (own, transaction) => {
      if ((await heldIn(own, held)) !== undefined) await this.finish(held, result, transaction, progress);
    });
  }

  /** Ends a held job as done. Throws if the claim was lost. */
  async finish(
    held: Job,
    result: JobData | undefined,
    transaction: PluginTransaction,
    progress: ReportedProgress | null = held.progress,
  ): Promise<void> {
    const own = this.#parts.tables.in(transaction);
    const job = await heldIn(own, held);
    if (job === undefined) throw lost();
    const nowMs = await this.#parts.storeTime(transaction);
    const done = { ...job, progress, checkpoint: null };
    await this.#end(own, done, { status: 'done', result: result ?? null, nowMs });
  }

  /** Returns a held job to the queue, or ends it. If the claim was lost, does nothing and returns false. */
  setBack(held: Job, setback: Setback, progress: ReportedProgress | null = held.progress): Promise<boolean> {
    return this.#parts.tables.write(held.tenantId, async (own, transaction) => {
      const stored = await heldIn(own, held);
      if (stored === undefined) return false;
      const job = { ...stored, progress };
      const nowMs = await this.#parts.storeTime(transaction);
      if (setback.kind === 'fail') {
        await this.#end(own, job, { status: 'failed', error: setback.error, nowMs });
        return true;
      }
      const attempts = setback.counts ? job.attempts : job.attempts - 1;
      await replace(own, { ...job, status: 'pending', dueMs: nowMs + setback.delayMs, attempts });
      own.signal(WORK);
      return true;
    });
  }

  #end(own: WritableTables, job: Job, outcome: Parameters<typeof ended>[1]): Promise<void> {
    return replace(own, ended(job, outcome, this.#parts.keepMs));
  }
}

type Query = ReturnType<ReadableTables>;

/** Matches jobs that a clock has left due after `farthestMs`, whether or not they have started. */
const isLeft = (query: Query, farthestMs: number): Query =>
  query
    .where('due_ms', '>', farthestMs)
    .where((row) =>
      row
        .whereNotNull('started_ms')
        .orWhere((fresh) =>
          fresh.where('created_ms', '>', farthestMs).whereRaw('due_ms - created_ms <= ?', [FARTHEST_MS]),
        ),
    );

const heldIn = async (own: ReadableTables, held: Job): Promise<Job | undefined> => {
  const job = await jobIn(own, held);
  return job?.status === 'running' && job.fence === held.fence ? job : undefined;
};

/** Changes columns of a job if it is still held. Returns false if it is not. */
const changeHeld = async (
  own: WritableTables,
  held: Job,
  changes: Readonly<Record<string, SqlValue>>,
): Promise<boolean> => {
  const where = { ...keyOf(held), status: 'running', fence: held.fence };
  return Number(await own(QUEUE).where(where).update(changes)) === 1;
};

const DAMAGED = 'the stored job is damaged, so the work cannot be done: ask for it anew';
const INTERRUPTED = 'the work was interrupted each time it was tried';

const lost = (): ServiceError =>
  new ServiceError('unavailable', 'the job is no longer held by this process', {
    hint: 'nothing was written: the job was cancelled, or another process does the work',
  });
