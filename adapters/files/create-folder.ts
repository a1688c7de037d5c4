import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder with its missing parents; does nothing for an existing one. Throws the error of the operating
 * system. It avoids `mkdir` with `recursive`, which never returns where the system denies that an existing parent
 * exists, as below /proc.
 */
export const createFolder = (path: string, mode = 0o777): void => {
  for (const folder of missingFolders(resolve(path)).reverse()) {
    try {
      mkdirSync(folder, { mode });
    } catch (error) {
      // Another process may have created the folder in the meantime.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  if (!statSync(path).isDirectory()) throw new Error(`${path} is not a folder`);
};

/** Returns the missing folders, deepest first. */
const missingFolders = (path: string): string[] => {
  const missing: string[] = [];
  for (let folder = path; !existsSync(folder) && folder !== dirname(folder); folder = dirname(folder)) {
    missing.push(folder);
  }
  return missing;
};
