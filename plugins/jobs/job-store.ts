import { soundRows } from '../../kernel/internal-api.ts';
import {
  type PluginSnapshot,
  type PluginTransaction,
  type Principal,
  type Row,
  ServiceError,
  type SqlValue,
  sha256Hex,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import { ended, type Job, jobIn, jobOf, jobRow, QUEUE, replace } from './job-row.ts';
import type { JobFilter, JobPlace, JobRequest } from './jobs-api.ts';
import { CANCELLED, type QueueParts, WORK } from './queue-parts.ts';

/** The maximum delay of a job, so that no job waits unnoticed for years. */
const MAX_DELAY_MS = 366 * 24 * 60 * 60 * 1000;
const MAX_PAYLOAD_CHARACTERS = 64 * 1024;
/**
 * The maximum length of a `dedupe` key in characters. Only its digest is stored, because it may repeat parts of the
 * payload.
 */
const MAX_KEY_CHARACTERS = 64 * 1024;
/** The limit of open jobs per type and holder that `resume` applies, because `mostOpen` is not stored with a job. */
export const MOST_OPEN_TO_RESUME = 16;
const CANCELLED_ERROR = 'cancelled';

type Reader = Pick<Principal, 'tenantId' | 'entityUri' | 'permissions'>;

/**
 * The stored queue. Each change of a job is a write of its tenant, and all processes make these writes one after
 * another. A fence identifies the process that holds a job, and all times come from the clock of the store. So neither
 * a suspended process nor a wrong clock can end a job twice.
 */
export class JobStore {
  readonly #parts: QueueParts;

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  async enqueue(request: JobRequest, transaction?: PluginTransaction): Promise<string> {
    if (transaction === undefined) {
      return this.#parts.tables.write(request.tenantId, (_, opened) => this.#enqueueIn(request, opened));
    }
    return this.#enqueueIn(request, transaction);
  }

  /**
   * Returns a job to its creator and to administrators of its tenant. Does not load jobs of others, because results may
   * be large.
   */
  async readableBy(reader: Reader, id: string, snapshot: PluginSnapshot): Promise<Job | undefined> {
    const where = { job_id: id, ...readable(reader) };
    const own = this.#parts.tables.in(snapshot);
    const [row] = await own.select(QUEUE, where);
    return own.parseOne(row, jobOf);
  }

  /** Returns at most `limit` jobs that the reader may read, newest first, without results. */
  async listedFor(
    reader: Reader,
    { type, status }: JobFilter,
    { after, limit }: { readonly after?: JobPlace | undefined; readonly limit: number },
    snapshot: PluginSnapshot,
  ): Promise<Job[]> {
    const where = {
      ...readable(reader),
      ...(type === undefined ? {} : { job_type: type }),
      ...(status === undefined ? {} : { status }),
    };
    const own = this.#parts.tables.in(snapshot);
    const page = async (place: JobPlace | undefined, count: number): Promise<readonly Row[]> => {
      const query = own(QUEUE).where(where).select(LISTED);
      if (place !== undefined) {
        query
          .where('created_ms', '<=', place.createdMs)
          .where((later) =>
            later.where('created_ms', '<', place.createdMs).orWhere((same) => same.where('job_id', '<', place.id)),
          );
      }
      return query
        .orderBy([
          { column: 'created_ms', order: 'desc' },
          { column: 'job_id', order: 'desc' },
        ])
        .limit(count);
    };
    return soundRows<Row, Job>(
      limit,
      (last, count) => page(last === undefined ? after : placeOf(last), count),
      (rows) => own.parse(rows, jobOf),
    );
  }

  /** Ends a job that waits or runs. Throws `conflict` when it has ended. */
  cancel(seen: Job): Promise<void> {
    return this.#parts.tables.write(seen.tenantId, async (own, transaction) => {
      const job = await jobIn(own, seen);
      if (job?.status !== 'pending' && job?.status !== 'running') {
        throw new ServiceError('conflict', 'the job has ended already');
      }
      const nowMs = await this.#parts.storeTime(transaction);
      const outcome = { status: 'failed', error: CANCELLED_ERROR, nowMs } as const;
      await replace(own, { ...ended(job, outcome, this.#parts.keepMs), startedMs: job.startedMs });
      own.signal(CANCELLED);
    });
  }

  /** Returns a failed job to the queue. Returns the job in its new state. */
  resume(seen: Job): Promise<Job> {
    return this.#parts.tables.write(seen.tenantId, async (own, transaction) => {
      const job = await jobIn(own, seen);
      if (job?.status !== 'failed') {
        throw new ServiceError('conflict', 'only a job that has failed or was cancelled can be resumed');
      }
      if (job.isEmptied) {
        throw new ServiceError('conflict', 'an erasure has destroyed what the job worked on; ask for the work anew');
      }
      const [same] =
        job.dedupeKey === null
          ? []
          : await own
              .select(QUEUE, { tenant_id: job.tenantId, dedupe: job.dedupeKey })
              .then((rows) => rows.filter((row) => row['job_id'] !== job.id));
      if (same !== undefined) throw new ServiceError('conflict', 'another job does the same work now');
      await refuseTooMany(own, { ...job, mostOpen: MOST_OPEN_TO_RESUME });
      const dueMs = await this.#parts.storeTime(transaction);
      const waiting: Job = {
        ...job,
        status: 'pending',
        dueMs,
        attempts: 0,
        completedMs: null,
        error: null,
        dedupe: job.dedupeKey,
      };
      await replace(own, waiting);
      own.signal(WORK);
      return waiting;
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
      await tables.writeUnlessErased(tenantId, async (own, transaction) => {
        // A job may have been resumed since the first query.
        await own(QUEUE)
          .where('tenant_id', tenantId)
          .whereIn('job_id', ids)
          .whereIn('status', ['done', 'failed'])
          .where('due_ms', '<=', await storeTime(transaction))
          .delete();
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
    await refuseTooMany(own, request);
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
      holderUri: request.holderUri ?? request.creator,
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
      dedupeKey: key,
      progress: null,
      checkpoint: null,
      isEmptied: false,
    };
    await own.insertRows(QUEUE, [jobRow(job)]);
    if (delayMs === 0) own.signal(WORK);
    return job.id;
  }
}

const placeOf = (row: Row): JobPlace => ({ createdMs: Number(row['created_ms']), id: String(row['job_id']) });

/** The columns of a list, and the columns for its access check. Results are not read, because they may be large. */
const LISTED = [
  'job_id',
  'tenant_id',
  'job_type',
  'status',
  'due_ms',
  'fence',
  'attempts',
  'creator',
  'holder_uri',
  'scope',
  'payload',
  'estimated_s',
  'created_ms',
  'started_ms',
  'completed_ms',
  'error',
  'progress_done',
  'progress_total',
  'progress_rate',
];

const readable = ({ tenantId, entityUri, permissions }: Reader): Record<string, string> => ({
  tenant_id: tenantId,
  ...(permissions.has('admin') ? {} : { creator: entityUri }),
});

type Limited = Pick<JobRequest, 'tenantId' | 'type' | 'creator' | 'holderUri' | 'mostOpen'>;

const refuseTooMany = async (own: WritableTables, job: Limited): Promise<void> => {
  const { tenantId, type, holderUri = job.creator, mostOpen } = job;
  if (mostOpen === undefined) return;
  const open: unknown[] = await own(QUEUE)
    .where({ tenant_id: tenantId, holder_uri: holderUri, job_type: type })
    .whereIn('status', ['pending', 'running'])
    .select('job_id')
    .limit(mostOpen);
  if (open.length < mostOpen) return;
  throw new ServiceError('limit_reached', `a caller can have ${mostOpen} jobs of a kind waiting or running`, {
    hint: 'wait until one of them has ended, or cancel one',
  });
};

const digestOf = ({ tenantId, type }: JobRequest, key: string): string => {
  if (key.length > MAX_KEY_CHARACTERS) throw new RangeError('the key of a job is too long');
  return sha256Hex(JSON.stringify([tenantId, type, key]));
};
