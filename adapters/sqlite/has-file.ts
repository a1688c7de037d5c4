import { realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ServiceError } from '../../ports/ports.ts';

/** Returns whether the file exists. Throws `unavailable` where it cannot look, because the file may be there. */
export const hasFile = (path: string): boolean => {
  try {
    statSync(path);
    return true;
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    if (ABSENT.has(code)) return false;
    throw new ServiceError('unavailable', `cannot look for the store in ${dirname(resolve(path))} (${code})`, {
      hint: 'run the command as the user of the node, or let this user read the folder',
      cause,
    });
  }
};

/** Each table has a page of its own after the first one, so a file of one page has none. */
const PAGE_BYTES = 4_096;

/**
 * Returns whether the file holds a store. A copy that was cut or was made without the log beside it may hold none.
 * Throws as `hasFile`.
 */
export const hasContent = (path: string): boolean => {
  if (!hasFile(path)) return false;
  if (statSync(path).size > PAGE_BYTES) return true;
  // SQLite puts the log beside the file itself where the path is a link.
  const log = `${realpathSync(path)}-wal`;
  return hasFile(log) && statSync(log).size > 0;
};

const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR']);
