import { statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';

const IN_MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4 * 1024 ** 3;

/**
 * Returns a folder for short-lived files: in memory if the machine has such a folder with enough space, otherwise the
 * temporary folder.
 */
export const scratchPlace = async (): Promise<string> => {
  const stats = await statfs(IN_MEMORY).catch(() => undefined);
  const freeBytes = stats === undefined ? 0 : stats.bavail * stats.bsize;
  return Math.min(freeBytes, freemem()) >= ENOUGH_BYTES ? IN_MEMORY : tmpdir();
};
