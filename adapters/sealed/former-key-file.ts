import { constants, type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises';

/** A pipe would wait without the second flag, which Windows has not. */
const WRITTEN = constants.O_RDWR | (constants.O_NONBLOCK ?? 0);

const formerOf = (path: string): string => `${path}.former`;

/**
 * Gives a file a second name before another one takes its place. So a process that follows a killed one finds the bytes
 * and zeroes them. Some file systems have no hard links: a kill leaves the bytes in free blocks there.
 */
export const nameFormer = (path: string): Promise<void> => link(path, formerOf(path)).catch(() => undefined);

/**
 * Zeroes and removes the former file of `path`, and then a `draft` that never took its place. Never zeroes the present
 * file, and another process may replace it meanwhile.
 */
export const removeFormer = async (path: string, draft?: string): Promise<void> => {
  await removeZeroed(formerOf(path), path);
  if (draft === undefined) return;
  // Takes its name away first, so that no other process can put the zeroed file in its place.
  const isThere = await rename(draft, formerOf(path)).then(() => true, missing);
  if (isThere) await removeZeroed(formerOf(path), path);
};

/** Zeroes the open file that `nameFormer` named, and removes its second name. */
export const endFormer = async (path: string, former: FileHandle): Promise<void> => {
  await zero(former);
  await rm(formerOf(path), { force: true });
};

const zero = async (file: FileHandle): Promise<void> => {
  const { size } = await file.stat();
  await file.write(Buffer.alloc(size), 0, size, 0);
  await file.sync();
};

const removeZeroed = async (path: string, present: string): Promise<void> => {
  const file = await open(path, WRITTEN).catch(missing);
  if (file === false) return;
  try {
    const own = await file.stat({ bigint: true });
    const kept = await stat(present, { bigint: true }).catch(missing);
    if (own.isFile() && !(kept !== false && kept.ino === own.ino && kept.dev === own.dev)) await zero(file);
  } finally {
    await file.close();
  }
  await rm(path, { force: true });
};

const missing = (error: unknown): false => {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
  throw error;
};
