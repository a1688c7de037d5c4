import { statSync } from 'node:fs';
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

const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR']);
