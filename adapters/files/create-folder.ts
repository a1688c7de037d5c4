import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder and those above it that are missing; one that is there stays as it is. Throws the error of the
 * system when it cannot. Not `mkdir` with `recursive`: where the system says that the folder above is missing although
 * it is there, as below /proc, that tries again for ever.
 */
export const createFolder = (path: string, mode = 0o777): void => {
  for (const folder of missingFolders(resolve(path)).reverse()) {
    try {
      mkdirSync(folder, { mode });
    } catch (error) {
      // Another process may have made it since we looked.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  if (!statSync(path).isDirectory()) throw new Error(`${path} is not a folder`);
};

/** Deepest first. */
const missingFolders = (path: string): string[] => {
  const missing: string[] = [];
  for (let folder = path; !existsSync(folder) && folder !== dirname(folder); folder = dirname(folder)) {
    missing.push(folder);
  }
  return missing;
};
