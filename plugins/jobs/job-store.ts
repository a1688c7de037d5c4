import {
  type PluginSnapshot,
  type PluginTables,
  type PluginTransaction,
  type Principal,
  type Random,
  type ReadableTables,
  type ServedTenants,
  ServiceError,
  type SqlValue,
  sha256Hex,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import { type Job, jobOf, jobRow } from './job-row.ts';
import type { JobData, JobRequest } from './jobs-api.ts';

export const QUEUE = 'jobs_queue';

/** Signalled by each commit that leaves work to do. */
export const WORK = 'work';

/** How long a claim lasts without being renewed. */
export const LEASE_MS = 30_000;

/** Longest delay of a job, and with it the longest time that a job can lie in the queue unseen. */
const MAX_DELAY_MS = 366 * 24 * 60 * 60 * 1000;
const MAX_PAYLOAD_CHARACTERS = 64 * 1024;
const MAX_KEY_CHARACTERS = 4096;

export interface JobStoreParts {
  readonly tables: PluginTables;
  readonly random: Random;
  /** Milliseconds since the epoch by the clock that all processes on the store share: `PluginSnapshot.databaseMs`. */
  readonly storeTime: (snapshot: PluginSnapshot) => Promise<number>;
  /** Jobs of tenants that rest wait. */
  readonly served: Pick<ServedTenants, 'resting'>;
  /** How long a job is kept once it has ended, in milliseconds. */
  readonly keepMs: number;
}

/** The outcome of an attempt that failed. */
export type Setback =
  | { readonly kind: 'again'; readonly delayMs: number; readonly counts: boolean }
  | { readonly kind: 'fail'; readonly error: string };

/**
 * The queue. Every change of a job is a write of its tenant, and these run one after another in all processes. A fence
 * tells the holders of a job apart, and times come from the store's clock. So neither a paused process nor a wrong
 * clock can end a job twice.
 */
export class JobStore {
  readonly #parts: JobStoreParts;

  constructor(parts: JobStoreParts) {
    this.#parts = parts;
  }

  async enqueue(request: JobRequest, transaction?: PluginTransaction): Promise<string> {
    if (transaction === undefined) {
      return this.#parts.tables.write(request.tenantId, (_, opened) => this.#enqueueIn(request, opened));
    }
    return this.#enqueueIn(request, transaction);
  }

  /**
   * Returns a job to its creator and to administrators of its tenant. Jobs of others are not read, because results may
   * be large.
   */
  async readableBy(
    { tenantId, entityUri, permissions }: Pick<Principal, 'tenantId' | 'entityUri' | 'permissions'>,
    id: string,
    snapshot: PluginSnapshot,
  ): Promise<Job | undefined> {
    const where = { job_id: id, tenant_id: tenantId, ...(permissions.has('admin') ? {} : { creator: entityUri }) };
    const [row] = await this.#parts.tables.in(snapshot).select(QUEUE, where);
    return row === undefined ? undefined : jobOf(row);
  }

  /** Returns jobs of these types that can be claimed now, in the order in which they are due. */
  due(types: readonly string[], limit: number): Promise<Job[]> {
    return this.#parts.tables.read(async (own, snapshot) => {
      const nowMs = await this.#parts.storeTime(snapshot);
      const rows: Record<string, SqlValue>[] = await own(QUEUE)
        .whereIn('status', ['pending', 'running'])
        .where('due_ms', '<=', nowMs)
        .whereIn('job_type', types)
        .whereNotIn('tenant_id', [...this.#parts.served.resting])
        .orderBy('due_ms')
        .limit(limit);
      return rows.map(jobOf);
    });
  }

  /**
   * Claims a job in the state that was seen, or returns undefined when another process was faster. A job whose last
   * attempt never reported back fails here, so that a job that ends its process is not tried for ever.
   */
  claim(seen: Job, maxAttempts: number): Promise<Job | undefined> {
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
      if ((await heldIn(own, held)) === undefined) return false;
      const nowMs = await this.#parts.storeTime(transaction);
      await own(QUEUE)
        .where(keyOf(held))
        .update({ due_ms: nowMs + LEASE_MS });
      return true;
    });
  }

  /** Throws when the claim was lost. */
  async assertHeld(held: Job, transaction: PluginTransaction): Promise<void> {
    if ((await heldIn(this.#parts.tables.in(transaction), held)) === undefined) throw lost();
  }

  write<T>(held: Job, work: (transaction: PluginTransaction) => Promise<T>): Promise<T> {
    return this.#parts.tables.write(held.tenantId, async (_, transaction) => {
      await this.assertHeld(held, transaction);
      return work(transaction);
    });
  }

  /** Ends a held job as done, unless it has ended or was lost before. */
  settle(held: Job, result: JobData | undefined): Promise<void> {
    return this.#parts.tables.write(held.tenantId, async (own, transaction) => {
      if ((await heldIn(own, held)) !== undefined) await this.finish(held, result, transaction);
    });
  }

  /** Ends a held job as done. Throws when the claim was lost. */
  async finish(held: Job, result: JobData | undefined, transaction: PluginTransaction): Promise<void> {
    const own = this.#parts.tables.in(transaction);
    const job = await heldIn(own, held);
    if (job === undefined) throw lost();
    const nowMs = await this.#parts.storeTime(transaction);
    await this.#end(own, job, { status: 'done', result: result ?? null, nowMs });
  }

  /** Gives a held job back, or ends it. Does nothing when the claim was lost. */
  setBack(held: Job, setback: Setback): Promise<void> {
    return this.#parts.tables.write(held.tenantId, async (own, transaction) => {
      const job = await heldIn(own, held);
      if (job === undefined) return;
      const nowMs = await this.#parts.storeTime(transaction);
      if (setback.kind === 'fail') return this.#end(own, job, { status: 'failed', error: setback.error, nowMs });
      const attempts = setback.counts ? job.attempts : job.attempts - 1;
      await replace(own, { ...job, status: 'pending', dueMs: nowMs + setback.delayMs, attempts });
      own.signal(WORK);
    });
  }

  /** Removes jobs that ended long enough ago. */
  async removeOld(limit: number): Promise<void> {
    const { tables, storeTime } = this.#parts;
    const rows: Record<string, SqlValue>[] = await tables.read(async (own, snapshot) =>
      own(QUEUE)
        .select('job_id', 'tenant_id')
        .whereIn('status', ['done', 'failed'])
        .where('due_ms', '<=', await storeTime(snapshot))
        .orderBy('due_ms')
        .limit(limit),
    );
    for (const tenantId of new Set(rows.map((row) => String(row['tenant_id'])))) {
      const ids = rows.filter((row) => row['tenant_id'] === tenantId).map((row) => String(row['job_id']));
      await tables.write(tenantId, async (own) => {
        await own(QUEUE).where('tenant_id', tenantId).whereIn('job_id', ids).delete();
      });
    }
  }

  async #enqueueIn(request: JobRequest, transaction: PluginTransaction): Promise<string> {
    const own = this.#parts.tables.in(transaction);
    const { dedupe, payload = {}, delayMs = 0 } = request;
    if (JSON.stringify(payload).length > MAX_PAYLOAD_CHARACTERS)
      throw new RangeError('the payload of a job is too long');
    if (!(delayMs >= 0 && delayMs <= MAX_DELAY_MS)) throw new RangeError('the delay of a job is out of range');
    const key = dedupe === undefined ? null : digestOf(request, dedupe.key);
    const [same] = key === null ? [] : await own.select(QUEUE, { tenant_id: request.tenantId, dedupe: key });
    if (same !== undefined) return String(same['job_id']);
    const nowMs = await this.#parts.storeTime(transaction);
    const job: Job = {
      id: this.#parts.random.uuid(),
      tenantId: request.tenantId,
      type: request.type,
      status: 'pending',
      dueMs: nowMs + delayMs,
      fence: 0,
      attempts: 0,
      creator: request.creator,
      scope: request.scope ?? null,
      payload,
      estimatedSeconds: request.estimatedSeconds ?? 0,
      createdMs: nowMs,
      startedMs: null,
      completedMs: null,
      result: null,
      error: null,
      dedupe: key,
      dedupeUntil: dedupe === undefined ? null : (dedupe.until ?? 'started'),
    };
    await own.insertRows(QUEUE, [jobRow(job)]);
    if (delayMs === 0) own.signal(WORK);
    return job.id;
  }

  #end(
    own: WritableTables,
    job: Job,
    outcome: { status: 'done' | 'failed'; result?: JobData | null; error?: string; nowMs: number },
  ): Promise<void> {
    return replace(own, {
      ...job,
      status: outcome.status,
      dueMs: outcome.nowMs + this.#parts.keepMs,
      startedMs: job.startedMs ?? outcome.nowMs,
      completedMs: outcome.nowMs,
      result: outcome.result ?? null,
      error: outcome.error ?? null,
      dedupe: job.dedupeUntil === 'removed' ? job.dedupe : null,
    });
  }
}

const keyOf = ({ tenantId, id }: Job) => ({ tenant_id: tenantId, job_id: id });

const jobIn = async (own: ReadableTables, job: Job): Promise<Job | undefined> => {
  const [row] = await own.select(QUEUE, keyOf(job));
  return row === undefined ? undefined : jobOf(row);
};

const heldIn = async (own: ReadableTables, held: Job): Promise<Job | undefined> => {
  const job = await jobIn(own, held);
  return job?.status === 'running' && job.fence === held.fence ? job : undefined;
};

const replace = async (own: WritableTables, job: Job): Promise<void> => {
  const { tenant_id: _, job_id: __, ...changes } = jobRow(job);
  await own(QUEUE).where(keyOf(job)).update(changes);
};

const digestOf = ({ tenantId, type }: JobRequest, key: string): string => {
  if (key.length > MAX_KEY_CHARACTERS) throw new RangeError('the key of a job is too long');
  return sha256Hex(JSON.stringify([tenantId, type, key]));
};

const INTERRUPTED = 'the work was interrupted each time it was tried';

const lost = (): ServiceError =>
  new ServiceError('unavailable', 'the job is no longer held by this process', {
    hint: 'nothing was written; whoever took the job over does the work',
  });
