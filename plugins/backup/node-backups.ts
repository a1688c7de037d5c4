import {
  DEFAULT_TENANT,
  type Principal,
  requirePermission,
  ServiceError,
  type StoreCopies,
} from '../../kernel/plugin-api.ts';
import type { JobData, JobQueue, JobRun } from '../jobs/jobs-api.ts';
import type { Backups } from './backup-api.ts';
import { listBackups } from './backup-folder.ts';
import { type BackupParts, createBackup } from './create-backup.ts';

export const BACKUP_JOB = 'backup.run';

export interface NodeBackupsParts extends BackupParts {
  readonly copies: StoreCopies;
  readonly jobs: JobQueue | undefined;
  readonly erasureFiles: readonly string[];
}

/** Backups that a node makes of its own store. */
export const createBackups = ({ jobs, folder, erasureFiles }: NodeBackupsParts): Backups => ({
  async list(caller) {
    requireOperator(caller);
    return listBackups(folder, erasureFiles);
  },
  async begin(caller) {
    requireOperator(caller);
    if (jobs === undefined) {
      throw new ServiceError('unavailable', 'the plugin "jobs" is off, so that nothing runs in the background', {
        hint: 'run "fact-memory-node backup" on the machine of the node, or switch the plugin on',
      });
    }
    return jobs.enqueue({
      type: BACKUP_JOB,
      tenantId: DEFAULT_TENANT,
      creator: caller.entityUri,
      scope: null,
      dedupe: { key: BACKUP_JOB, until: 'ended' },
    });
  },
});

/** Runs a backup job. After a crash the next attempt restarts, and removes the leftovers. */
export const runBackup = async (parts: BackupParts, job: Pick<JobRun, 'signal' | 'progress'>): Promise<JobData> => {
  const { id, createdAt, bytes, facts, removed } = await createBackup(parts, {
    signal: job.signal,
    onProgress: (done, total) => job.progress({ done, total: total ?? done }),
  });
  return { backup: id, backup_created_at: createdAt, bytes, facts, removed: removed.length };
};

/** Only operators may make backups, because a backup contains every fact of every tenant. */
export const isOperator = ({ kind, permissions, tenantId }: Principal): boolean =>
  (kind === 'node' || permissions.has('admin')) && tenantId === DEFAULT_TENANT;

const requireOperator = (caller: Principal): void => {
  requirePermission(caller, 'admin');
  if (isOperator(caller)) return;
  throw new ServiceError('authorization', 'backups are made for the operator of the node, in the tenant "default"');
};
