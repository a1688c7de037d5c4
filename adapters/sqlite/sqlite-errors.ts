import { ServiceError } from '../../ports/ports.ts';

/** Primary result codes of SQLite, the lowest byte of an extended one: https://sqlite.org/rescode.html */
const PERM = 3;
const BUSY = 5;
const LOCKED = 6;
const NOMEM = 7;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const PROTOCOL = 15;
const AUTH = 23;
const NOTADB = 26;

/** The extended codes of a failed write and sync. Only for a full disk, and not for a quota, SQLite has a code. */
const FAILED_WRITES: ReadonlySet<number> = new Set([3, 4, 6].map((kind) => IOERR | (kind << 8)));

/** The extended code where the index of the log cannot grow, for which a full disk is the usual reason. */
const IOERR_SHMSIZE = IOERR | (19 << 8);

interface Explanation {
  readonly message: string;
  readonly hint: string;
}

const LOCKED_OUT: Explanation = {
  message: 'the store is locked by another process',
  hint: 'try again; if it stays locked, find out what else has the file open',
};
const NO_RIGHT: Explanation = {
  message: 'the store may not be written',
  hint: 'check the owner and the permissions of the file, of the -wal and -shm files beside it and of their folder',
};
const DAMAGED: Explanation = {
  message: 'the store is damaged or is not a database',
  hint: 'check the path; if it is right, restore a copy, or run PRAGMA integrity_check on the file',
};

const NO_ROOM: Explanation = {
  message: 'the disk of the store is full',
  hint: 'free space on the disk that holds the store',
};

const EXPLANATIONS: ReadonlyMap<number, Explanation> = new Map([
  [BUSY, LOCKED_OUT],
  [LOCKED, LOCKED_OUT],
  [PROTOCOL, LOCKED_OUT],
  [PERM, NO_RIGHT],
  [READONLY, NO_RIGHT],
  [AUTH, NO_RIGHT],
  [CORRUPT, DAMAGED],
  [NOTADB, DAMAGED],
  [FULL, NO_ROOM],
  [NOMEM, { message: 'the store ran out of memory', hint: 'give the process more memory' }],
  [
    IOERR,
    {
      message: 'the disk of the store failed',
      hint: 'look for a quota or a limit on the size of files, and for disk errors in the log of the system',
    },
  ],
  [
    CANTOPEN,
    {
      message: 'the store could not be opened',
      hint:
        'check that the path names a file, that the user of the node may read and write this file and its folder, ' +
        'and the limit on open files',
    },
  ],
]);

/** Returns `unavailable` for an error about the state of the store, and any other error unchanged as a bug. */
export const toServiceError = (error: unknown): unknown => {
  const explanation = codeOf(error) === IOERR_SHMSIZE ? NO_ROOM : EXPLANATIONS.get(primaryCode(error));
  if (explanation === undefined) return error;
  return new ServiceError('unavailable', explanation.message, { hint: explanation.hint, cause: error });
};

/**
 * Translates an error of copying a store into a new file, which may lie on another disk. The error of a full disk has a
 * cause with `ENOSPC`, as one of the file system has.
 */
export const toCopyError = (error: unknown): unknown => {
  if (primaryCode(error) === FULL) {
    return new ServiceError('unavailable', 'the disk of the copy is full', {
      hint: 'free as much space on it as the store takes',
      cause: Object.assign(new Error('no room', { cause: error }), { code: 'ENOSPC' }),
    });
  }
  // The copy is the only file that is written here, so the fault is on its disk.
  if (FAILED_WRITES.has(codeOf(error))) {
    return new ServiceError('unavailable', 'the disk of the copy failed', {
      hint: 'look for a quota or a limit on the size of files, and for disk errors in the log of the system',
      cause: error,
    });
  }
  return toServiceError(error);
};

/**
 * Translates an error of COMMIT. After a failed write or sync, the pages may be on the disk, and a recovery of the log
 * may restore them. After any other error, nothing was committed.
 */
export const toCommitError = (error: unknown): unknown => {
  if (primaryCode(error) !== IOERR) return toServiceError(error);
  return new ServiceError('commit_unknown', 'the disk failed while the write was being committed', {
    hint: 'look whether the write is there before repeating it, or repeat it with the same Idempotency-Key',
    cause: error,
  });
};

export const isBusy = (error: unknown): boolean => primaryCode(error) === BUSY;

/** Returns whether the disk, the memory or the file failed, so that only a real write shows whether writes work. */
export const isResourceFailure = (error: unknown): boolean => {
  const code = primaryCode(error);
  return code === IOERR || code === FULL || code === NOMEM || code === CORRUPT || code === READONLY;
};

const primaryCode = (error: unknown): number => codeOf(error) & 0xff;

const codeOf = (error: unknown): number => {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code : NO_CODE;
};

/** Its lowest byte is the code of no failure. */
const NO_CODE = 0;
