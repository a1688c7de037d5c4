import { existsSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void;

const OPEN_FILES = '/proc/self/fd';
const COLLECTION_PAUSE_MS = 10;
/** The timers of ended connections keep parts of a node for some seconds. */
const RELEASE_LIMIT_MS = 10_000;
/** Collections of new objects alone, which are enough for a store that was open for a command. */
const MINOR_COLLECTIONS = 2;

/**
 * Closes the files of closed SQLite stores in a folder, which the driver keeps open until their statements are
 * collected and a later turn of the event loop has closed them. Collects only while there are any, and new objects
 * first, because a whole collection walks all memory of the test process and takes longer than most commands.
 */
export const releaseFiles = async (folder: string): Promise<void> => {
  if (!existsSync(OPEN_FILES)) {
    collectGarbage();
    await setTimeout(0);
    return;
  }
  const endMs = performance.now() + RELEASE_LIMIT_MS;
  for (let at = 0; at < MINOR_COLLECTIONS && holdsStore(folder); at += 1) {
    collectGarbage({ type: 'minor' });
    await setTimeout(0);
  }
  let pauseMs = 0;
  while (holdsStore(folder) && performance.now() < endMs) {
    collectGarbage();
    await setTimeout(pauseMs);
    pauseMs = Math.min(1_000, 2 * pauseMs + COLLECTION_PAUSE_MS);
  }
};

/** The files of a store. Others may be open for long, such as those of a connection to a target of backups. */
const STORE_FILE = /\.db(?:-wal|-shm)?$/;

/** Returns whether this process has a store in the folder open, or may have one. */
const holdsStore = (folder: string): boolean => {
  const real = realpathSync(folder);
  return readdirSync(OPEN_FILES).some((name) => {
    try {
      const path = readlinkSync(join(OPEN_FILES, name));
      return path.startsWith(real) && STORE_FILE.test(path);
    } catch {
      // It has been closed meanwhile.
      return false;
    }
  });
};
