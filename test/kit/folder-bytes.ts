import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const MAX_BYTES = 512 * 1024 * 1024;

/**
 * Returns the bytes of all files below a folder, one character each. Another process reads them, because closing the
 * file of a store drops all locks that the SQLite of this process holds on it. The next process that opens the store
 * would then cut memory that this one still uses.
 */
export const folderBytes = async (folder: string): Promise<string> => {
  const options = { encoding: 'latin1', maxBuffer: MAX_BYTES } as const;
  const { stdout } = await promisify(execFile)('find', [folder, '-type', 'f', '-exec', 'cat', '{}', '+'], options);
  return stdout;
};
