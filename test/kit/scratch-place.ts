import { statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';

const IN_MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4 * 1024 ** 3;

/**
 * Where to put files that need not outlive the machine: in memory where it has a folder for that, and room, otherwise
 * with other temporary files.
 */
export const scratchPlace = async (): Promise<string> => {
  const stats = await statfs(IN_MEMORY).catch(() => undefined);
  const freeBytes = stats === undefined ? 0 : stats.bavail * stats.bsize;
  return Math.min(freeBytes, freemem()) >= ENOUGH_BYTES ? IN_MEMORY : tmpdir();
};
