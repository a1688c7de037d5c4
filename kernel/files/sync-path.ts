import { open } from 'node:fs/promises';

/** Syncs a file or a folder to disk, on systems that can sync both. */
export const syncPath = async (path: string): Promise<void> => {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};
