import {
  DEFAULT_TENANT,
  type Principal,
  requirePermission,
  ServiceError,
  type StoreCopies,
} from '../../kernel/plugin-api.ts';
import type { JobData, JobQueue, JobRun } from '../jobs/jobs-api.ts';
import type { Backups } from './backup-api.ts';
import { backupNames, listBackups } from './backup-folder.ts';
import { type BackupParts, createBackup } from './create-backup.ts';
import { erasureFilesOf, type JournalFolder } from './erasure-journals.ts';
import type { SendOptions } from './send-backups.ts';
import { sendToTarget, type TargetParts } from './send-to-target.ts';

export const BACKUP_JOB = 'backup.run';

export interface BackupJobParts extends BackupParts, Omit<TargetParts, 'copies'> {
  readonly copies: StoreCopies;
}

export interface NodeBackupsParts extends BackupJobParts {
  readonly jobs: JobQueue | undefined;
  readonly node: JournalFolder;
}

/** Backups that a node makes of its own store. */
export const createBackups = ({ jobs, folder, node }: NodeBackupsParts): Backups => ({
  async list(caller) {
    requireOperator(caller);
    return listBackups(folder, await erasureFilesOf(node));
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

type BackupRun = Pick<JobRun, 'signal' | 'progress' | 'checkpoint' | 'resumedFrom'>;

/**
 * Runs a backup job. After a crash the next attempt restarts, and removes the leftovers. Each attempt waits for the
 * lease of a killed process, because all attempts may be over before that lease. With a target, a backup that could not
 * be sent is not made again: the next attempt goes on with sending.
 */
export const runBackup = async (parts: BackupJobParts, job: BackupRun): Promise<JobData> => {
  if (parts.config.target === undefined) return makeBackup(parts, job);
  const before = job.resumedFrom;
  const isThere = before !== null && (await backupNames(parts.folder)).includes(String(before['backup']));
  const made = isThere ? before : await makeBackup(parts, job);
  if (!isThere) await job.checkpoint(made);
  const options: SendOptions = {
    signal: job.signal,
    onProgress: (done, total) => job.progress({ done, total }),
  };
  const { place, sent, removed, there } = await sendToTarget(parts, options, job.signal);
  return { ...made, target: place, sent: sent.length, removed_there: removed.length, kept_there: there.length };
};

const makeBackup = async (parts: BackupParts, job: Pick<JobRun, 'signal' | 'progress'>): Promise<JobData> => {
  const { id, createdAt, bytes, facts, removed } = await createBackup(parts, {
    signal: job.signal,
    patience: job.signal,
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
