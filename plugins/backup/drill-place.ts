import { mkdir, readdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../../kernel/plugin-api.ts';
import { DISK_OF_BACKUPS, explainDisk } from './explain-disk.ts';
import { showBytes } from './show-bytes.ts';

const NAME = /^drill-([0-9]{1,10})-[0-9a-f]{8}$/;
/** Room for the log of the database and for messages. */
const MARGIN_BYTES = 64 * 1024 * 1024;

/**
 * Makes a throw-away folder in the folder of backups, and removes it after the work. First it removes those of
 * processes that have ended. Call it only while no other process drills the same store.
 */
export const inDrillPlace = async <T>(folder: string, uuid: string, work: (path: string) => Promise<T>): Promise<T> => {
  const path = join(folder, `drill-${process.pid}-${uuid.slice(0, 8)}`);
  await explainDisk(DISK_OF_BACKUPS, async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await removeLeftovers(folder);
    await mkdir(path, { mode: 0o700 });
  });
  try {
    return await work(path);
  } finally {
    await rm(path, { recursive: true, force: true });
  }
};

const removeLeftovers = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder)) {
    const [, pid] = NAME.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(folder, name), { recursive: true, force: true });
  }
};

/** This process has not begun yet, so a folder with its number is from an earlier one. */
const isAlive = (pid: number): boolean => {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
};

/** Rejects with `unavailable` when the disk of a folder lacks room for so many bytes. */
export const requireRoom = async (folder: string, bytes: number): Promise<void> => {
  const { bavail, bsize } = await statfs(folder);
  const [free, needed] = [bavail * bsize, bytes + MARGIN_BYTES];
  if (free >= needed) return;
  throw new ServiceError('unavailable', `the drill needs ${showBytes(needed)}, and ${showBytes(free)} are free`, {
    hint: 'free space on the disk of the backups, or set SVC_BACKUP_FOLDER',
  });
};
