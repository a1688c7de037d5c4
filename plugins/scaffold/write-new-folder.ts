import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ServiceError } from '../../kernel/plugin-api.ts';

/** Writes files into a folder that is new or empty. Refuses to overwrite a file that appears meanwhile. */
export const writeNewFolder = async (folder: string, files: ReadonlyMap<string, string>): Promise<void> => {
  try {
    await mkdir(folder, { recursive: true });
    if ((await readdir(folder)).length > 0) throw isTaken('this folder is not empty');
    for (const [path, content] of files) {
      const place = join(folder, path);
      await mkdir(dirname(place), { recursive: true });
      await writeFile(place, content, { flag: 'wx', mode: 0o644 });
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || code === 'ENOTDIR') throw isTaken('a file is in the way of this folder');
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'ENOSPC') {
      throw new ServiceError('unavailable', `the folder cannot be written (${code})`, {
        hint: 'name another with --out',
      });
    }
    throw error;
  }
};

const isTaken = (why: string): ServiceError =>
  new ServiceError('conflict', `${why}, and nothing is ever overwritten`, { hint: 'name another with --out' });
