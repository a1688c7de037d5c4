import { isDiskFull } from '../../kernel/internal-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';

/** A disk, with a remedy for the operator if it is full. */
export interface WrittenDisk {
  /** Completes the phrases "the disk of" and "the folder of". */
  readonly of: string;
  readonly full: string;
  readonly refused: string;
}

export const DISK_OF_BACKUPS: WrittenDisk = {
  of: 'the backups',
  full: 'free space, remove old backups with "fact-memory-node backup prune", or set SVC_BACKUP_FOLDER',
  refused: 'check the owner and the permissions of SVC_BACKUP_FOLDER',
};

export const DISK_OF_STORE: WrittenDisk = {
  of: 'the store',
  full: 'free as much space as the backup takes, and restore again; the place of the store is as it was',
  refused: 'check the owner and the permissions of the data folder; the place of the store is as it was',
};

/** Errors that name a full disk already. Work within other work may write to another disk than that. */
const EXPLAINED = new WeakSet<Error>();
const NO_RIGHT: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS']);

/** Runs work that writes files. If the disk is full, the error says so and names the remedy. */
export const explainDisk = async <T>(disk: WrittenDisk, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (cause) {
    if (EXPLAINED.has(cause as Error)) throw cause;
    // An adapter throws an error of its own, with that of the file system as its cause.
    if (isDiskFull(cause) || isDiskFull((cause as Error).cause)) {
      const full = new ServiceError('unavailable', `the disk of ${disk.of} is full`, { hint: disk.full, cause });
      EXPLAINED.add(full);
      throw full;
    }
    if (!NO_RIGHT.has((cause as { readonly code?: unknown }).code)) throw cause;
    const message = `the folder of ${disk.of} may not be written`;
    throw new ServiceError('unavailable', message, { hint: disk.refused, cause });
  }
};
