import { numberOrNull, textOrNull } from '../../kernel/internal-api.ts';
import {
  DEFAULT_TENANT,
  openJson,
  type PluginSnapshot,
  type PluginTables,
  type PluginTransaction,
  type SealedColumns,
  type SqlValue,
  sealJson,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import type { JobData } from '../jobs/jobs-api.ts';
import { PLANS, RUNS } from './upkeep-migrations.ts';

export type RunStatus = 'pending' | 'running' | 'done' | 'failed';

/** One run of a task for one tenant. */
export interface StoredRun {
  readonly tenantId: string;
  readonly task: string;
  readonly dueMs: number;
  readonly jobId: string;
  readonly status: RunStatus;
  readonly startedMs: number | null;
  readonly completedMs: number | null;
  readonly result: JobData | null;
  readonly error: string | null;
}

export const SEALED = {
  table: RUNS,
  key: ['tenant_id', 'task', 'due_ms'],
  columns: ['result'],
} as const satisfies SealedColumns;

type RunKey = Pick<StoredRun, 'tenantId' | 'task' | 'dueMs'>;

/** Number of stored runs of each task and tenant. */
export const KEPT_RUNS = 20;

/** The maximum number of runs that are read for one metric of a task. */
const MOST_MEASURED = 1_000;

/** The time up to which a schedule was planned. */
export interface Plan {
  readonly patterns: string;
  readonly plannedMs: number;
}

/** The stored runs with their results. */
export class RunStore {
  readonly #tables: PluginTables;

  constructor(tables: PluginTables) {
    this.#tables = tables;
  }

  planOf(task: string): Promise<Plan | undefined> {
    return this.#tables.read(async (own) => {
      const [row] = await own.select(PLANS, { tenant_id: DEFAULT_TENANT, task });
      return row && { patterns: String(row['patterns']), plannedMs: Number(row['planned_ms']) };
    });
  }

  /** `confirm` checks in the transaction that this process may plan. */
  setPlan(task: string, { patterns, plannedMs }: Plan, confirm: (transaction: PluginTransaction) => Promise<void>) {
    return this.#tables.write(DEFAULT_TENANT, async (own, transaction) => {
      await confirm(transaction);
      const changed = await own(PLANS)
        .where({ tenant_id: DEFAULT_TENANT, task })
        .update({ patterns, planned_ms: plannedMs });
      if (changed > 0) return;
      await own.insertRows(PLANS, [{ tenant_id: DEFAULT_TENANT, task, patterns, planned_ms: plannedMs }]);
    });
  }

  /**
   * Adds a run and its job, both or neither. Returns the job, or the job of an existing run for this time. Deletes the
   * oldest runs.
   */
  add(key: RunKey, enqueue: (transaction: PluginTransaction) => Promise<string>): Promise<string> {
    const { tenantId, task, dueMs } = key;
    return this.#tables.write(tenantId, async (own, transaction) => {
      const [known] = await own.select(RUNS, rowKey(key));
      if (known !== undefined) return String(known['job_id']);
      const jobId = await enqueue(transaction);
      const row = { ...rowKey(key), job_id: jobId, status: 'pending' };
      await own.insertRows(RUNS, [{ ...row, started_ms: null, completed_ms: null, result: null, error: null }]);
      const kept = await own(RUNS)
        .where({ tenant_id: tenantId, task })
        .orderBy('due_ms', 'desc')
        .limit(KEPT_RUNS)
        .select('due_ms');
      const oldest = Math.min(...kept.map((one: Record<string, SqlValue>) => Number(one['due_ms'])), dueMs);
      await own(RUNS).where({ tenant_id: tenantId, task }).where('due_ms', '<', oldest).delete();
      return jobId;
    });
  }

  /** Changes an existing run, in a transaction of its tenant. */
  async update(
    own: WritableTables,
    key: RunKey,
    change: Partial<Pick<StoredRun, 'status' | 'startedMs' | 'completedMs' | 'result' | 'error'>>,
  ): Promise<void> {
    const { status, startedMs, completedMs, result, error } = change;
    await own(RUNS)
      .where(rowKey(key))
      .update({
        ...(status === undefined ? {} : { status }),
        ...(startedMs === undefined ? {} : { started_ms: startedMs }),
        ...(completedMs === undefined ? {} : { completed_ms: completedMs }),
        ...(result === undefined ? {} : { result: sealJson(result) }),
        ...(error === undefined ? {} : { error }),
      });
  }

  in(transaction: PluginTransaction): WritableTables {
    return this.#tables.in(transaction);
  }

  /** Returns the newest runs of a tenant by task, newest first. */
  async newest(tenantId: string, tasks: readonly string[], limit: number): Promise<Map<string, StoredRun[]>> {
    return this.#tables.read(async (own) => {
      const found = new Map<string, StoredRun[]>();
      for (const task of tasks) {
        const rows: Record<string, SqlValue>[] = await own(RUNS)
          .where({ tenant_id: tenantId, task })
          .orderBy('due_ms', 'desc')
          .limit(limit)
          .select();
        found.set(task, own.parse(rows, runOf));
      }
      return found;
    });
  }

  /** Returns the last completed run of a task for each tenant. Beyond the limit, only for the tenants that ran last. */
  async lastDone(task: string): Promise<readonly StoredRun[]> {
    const runs = await this.#tables.read(async (own) => {
      const done = own(RUNS).where({ task, status: 'done' }).orderBy('due_ms', 'desc').limit(MOST_MEASURED);
      return own.parse((await done) as Record<string, SqlValue>[], runOf);
    });
    const last = new Map<string, StoredRun>();
    for (const run of runs) if (!last.has(run.tenantId)) last.set(run.tenantId, run);
    return [...last.values()];
  }

  /** Returns every tenant with a ledger, except removed ones, in order. */
  tenants(): Promise<readonly string[]> {
    return this.#tables.read(async (_own, snapshot: PluginSnapshot) => {
      const ends = await snapshot.ledgerEnds();
      return ends.map(({ tenantId }) => tenantId).sort();
    });
  }
}

const rowKey = ({ tenantId, task, dueMs }: RunKey) => ({ tenant_id: tenantId, task, due_ms: dueMs });

const runOf = (row: Readonly<Record<string, SqlValue>>): StoredRun => ({
  tenantId: String(row['tenant_id']),
  task: String(row['task']),
  dueMs: Number(row['due_ms']),
  jobId: String(row['job_id']),
  status: row['status'] as RunStatus,
  startedMs: numberOrNull(row['started_ms']),
  completedMs: numberOrNull(row['completed_ms']),
  result: openJson<JobData | null>(SEALED, row, 'result'),
  error: textOrNull(row['error']),
});
