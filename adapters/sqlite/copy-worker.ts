import { join } from 'node:path';
import { ServiceError, type StoreCopy } from '../../ports/ports.ts';
import { COPY_NAME, type CopyOutcome } from './copy-file.ts';
import { describeFile, onDatabase } from './describe-file.ts';
import { toCopyError } from './sqlite-errors.ts';

/**
 * The program of the child process that copies a store, because SQLite copies without a pause and cannot be cancelled.
 * Its arguments are the file of the store and the folder of the copy. It sends a `CopyOutcome` to its parent.
 */

/**
 * Copies the store into a file without a log. The description comes from the copy itself, so that both have the same
 * state.
 */
const copy = async (path: string, folder: string): Promise<StoreCopy> => {
  const target = join(folder, COPY_NAME);
  await onDatabase(path, (database) => {
    database.prepare('VACUUM INTO ?').run(target);
  });
  return describeFile(target);
};

const outcome = async (): Promise<CopyOutcome> => {
  try {
    const [path = '', folder = ''] = process.argv.slice(2);
    return { copy: await copy(path, folder) };
  } catch (error) {
    const found = toCopyError(error);
    const { code } = ((found as Error).cause ?? found) as NodeJS.ErrnoException;
    if (found instanceof ServiceError) return { problem: found.message, hint: found.hint, code };
    return { problem: error instanceof Error ? error.message : 'unknown', code };
  }
};

const told = await outcome();
// The parent process may have ended in the meantime.
if (process.connected) process.send?.(told, () => process.disconnect?.());
