import { readFile, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';

const IN_MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4 * 1024 ** 3;

/**
 * Returns a folder for short-lived files: in memory if the machine has such a folder with enough space that permits
 * programs, otherwise the temporary folder.
 */
export const scratchPlace = async (): Promise<string> => {
  const stats = await statfs(IN_MEMORY).catch(() => undefined);
  const freeBytes = stats === undefined ? 0 : stats.bavail * stats.bsize;
  return Math.min(freeBytes, freemem()) >= ENOUGH_BYTES && (await permitsPrograms()) ? IN_MEMORY : tmpdir();
};

/**
 * Returns whether programs can run in the folder. Containers often forbid it, and tests install packages with programs
 * and native libraries.
 */
const permitsPrograms = async (): Promise<boolean> => {
  const mounts = (await readFile('/proc/mounts', 'utf8')).split('\n').map((line) => line.split(' '));
  const [, , , options = ''] = mounts.findLast(([, folder]) => folder === IN_MEMORY) ?? [];
  return !options.split(',').includes('noexec');
};

/** Returns a folder on a disk, also where the temporary folder of the tests is in memory. */
export const diskPlace = (): string => process.env['TEST_DISK'] ?? tmpdir();
