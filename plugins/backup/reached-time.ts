import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readOrdinaryFile } from '../../kernel/internal-api.ts';

const FILE = 'increments-reached';
const MOST_BYTES = 32;

/** Writes down the time that the increments in the target reach, for other processes of the node. */
export const noteReached = async (folder: string, reachedMs: number): Promise<void> => {
  const path = join(folder, FILE);
  await writeFile(`${path}.partial`, `${reachedMs}\n`, { mode: 0o600 });
  await rename(`${path}.partial`, path);
};

/** Returns the time that any process has written down, in milliseconds since the epoch; 0 without one. */
export const readReached = async (folder: string): Promise<number> => {
  const bytes = await readOrdinaryFile(join(folder, FILE), MOST_BYTES).catch(() => undefined);
  return Number(/^\d{1,15}$/.exec(bytes?.toString('latin1').trim() ?? '')?.[0] ?? 0);
};
