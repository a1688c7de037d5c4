import { mkdir, readdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError, sha256Hex } from '../../kernel/plugin-api.ts';
import { DISK_OF_BACKUPS, explainDisk } from './explain-disk.ts';
import { showBytes } from './show-bytes.ts';

const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** Room for the log of the database and for messages. */
const MARGIN_BYTES = 64 * 1024 * 1024;
const DIGITS = 8;

/**
 * Makes a throw-away folder in the folder of backups, and removes it after the work. First it removes those that killed
 * drills of the same node have left, and none of another node that shares the folder. Call it only while no other
 * process drills the same store.
 */
export const inDrillPlace = async <T>(
  { folder, nodeId, uuid }: { readonly folder: string; readonly nodeId: string | null; readonly uuid: string },
  work: (path: string) => Promise<T>,
): Promise<T> => {
  const ours = `drill-${sha256Hex(nodeId ?? '').slice(0, DIGITS)}-`;
  const path = join(folder, `${ours}${uuid.slice(0, DIGITS)}`);
  await explainDisk(DISK_OF_BACKUPS, async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const name of (await readdir(folder)).filter((one) => one.startsWith(ours))) await remove(join(folder, name));
    await mkdir(path, { mode: 0o700 });
  });
  try {
    return await work(path);
  } finally {
    await remove(path);
  }
};

const remove = (path: string): Promise<void> => rm(path, { recursive: true, force: true });

/**
 * Runs work with a signal that SIGTERM, SIGINT and SIGHUP abort. They would end the process at once otherwise, and
 * leave a copy of the store and its keys behind. Rejects with `unavailable` when the signal has ended the work.
 */
export const untilStopped = async <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  for (const name of STOP_SIGNALS) process.on(name, stop);
  try {
    return await work(stopping.signal);
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    throw new ServiceError('unavailable', 'the drill was stopped', { hint: 'run it again', cause: error });
  } finally {
    for (const name of STOP_SIGNALS) process.off(name, stop);
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
