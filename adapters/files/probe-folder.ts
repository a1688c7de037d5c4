import { existsSync, mkdtempSync, rmdirSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** A problem that keeps files out of a folder. */
export interface FolderProblem {
  readonly message: string;
  readonly hint: string;
}

/** The minimum free space in bytes. The log of an embedded store uses up less within minutes. */
const LEAST_FREE_BYTES = 64 * 1024 * 1024;

const freeBytesOf = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};

/**
 * Tests whether the process can create files in a folder, or the folder itself, and whether the disk has room. Leaves
 * nothing behind. Returns undefined when there is no problem.
 */
export const probeFolder = (path: string, freeBytes = freeBytesOf): FolderProblem | undefined => {
  const folder = nearestThere(resolve(path));
  if (!statSync(folder).isDirectory()) {
    return {
      message: `${folder} is a file where a folder is needed`,
      hint: 'move the file away, or name another folder',
    };
  }
  try {
    rmdirSync(mkdtempSync(join(folder, '.probe-')));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    const hint = 'check the owner and the permissions of the folder and the state of the disk, or name another folder';
    return { message: `nothing can be written in ${folder} (${code})`, hint };
  }
  const free = freeBytes(folder);
  if (free >= LEAST_FREE_BYTES) return undefined;
  const message = `only ${Math.floor(free / 1024 / 1024)} MiB are free on the disk of ${folder}`;
  return { message, hint: 'free space, or move the store to a larger disk' };
};

const nearestThere = (path: string): string => (existsSync(path) ? path : nearestThere(dirname(path)));
