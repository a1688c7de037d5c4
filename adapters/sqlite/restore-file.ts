import { createReadStream, existsSync } from 'node:fs';
import { link, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type RestoredPlace, type RestoreRequest, ServiceError } from '../../ports/ports.ts';
import { createFolder } from '../files/create-folder.ts';
import { syncPath, writeDurably } from '../files/durable-file.ts';
import { COPY_NAME, SQLITE_LAYOUT } from './copy-file.ts';
import { createSqliteStore } from './create-sqlite-store.ts';
import { loadSqliteDriver, type SqliteDatabase } from './sqlite-driver.ts';
import { isBusy } from './sqlite-errors.ts';
import { lockOf, takeLock, unusableLock } from './store-lock.ts';

const LOG_ENDINGS = ['-wal', '-shm'] as const;

/**
 * Restores a store from the single file of a copy. It writes, migrates and closes the file beside the store's location,
 * then renames it. See `StoreAdapter.restore`.
 */
export const restoreFile = async (given: string, request: RestoreRequest): Promise<RestoredPlace> => {
  const path = resolve(given);
  if (request.copy.layout !== SQLITE_LAYOUT) throw foreignLayout(request.copy.layout);
  requireFree(path, request);
  createFolder(dirname(path), 0o700);
  const lock = lockRestore(path);
  try {
    return await restoreAlone(path, request);
  } finally {
    lock.close();
  }
};

/** Two restores at once would take each other's drafts away, and put an empty store into place. */
const lockRestore = (path: string): SqliteDatabase => {
  try {
    return takeLock(path);
  } catch (error) {
    if (!isBusy(error)) throw unusableLock(path, error);
    throw new ServiceError('conflict', `another process restores the store ${path}, or records its changes`, {
      hint: `wait until it has ended, and stop every process on the store; "lsof ${lockOf(path)}" names it`,
      cause: error,
    });
  }
};

const restoreAlone = async (path: string, request: RestoreRequest): Promise<RestoredPlace> => {
  const { copy, folder, label } = request;
  const draft = `${path}.restoring`;
  await removeStore(draft);
  try {
    const file = copy.files.find(({ name }) => name === COPY_NAME);
    const source = createReadStream(join(folder, COPY_NAME));
    const written = await writeDurably(draft, source, (bytes) => request.onProgress?.(bytes, file?.bytes ?? null));
    if (written.sha256 !== file?.sha256) throw changed();
    const store = createSqliteStore({ path: draft });
    try {
      await request.prepare(store);
    } finally {
      await store.close();
    }
    for (const ending of LOG_ENDINGS) await rm(`${draft}${ending}`, { force: true });
    await syncPath(draft);
    // Another process may have made a store meanwhile.
    requireFree(path, request);
    return { keptAside: await swap(draft, path, `${path}.${label}`) };
  } catch (error) {
    await removeStore(draft);
    throw error;
  }
};

/**
 * Swaps the files so that a store exists at any moment: the former file gets a second name, then the new file replaces
 * it.
 */
const swap = async (draft: string, path: string, aside: string): Promise<string | null> => {
  const isThere = existsSync(path);
  if (isThere) {
    await link(path, aside);
    for (const ending of LOG_ENDINGS) {
      if (existsSync(`${path}${ending}`)) await rename(`${path}${ending}`, `${aside}${ending}`);
    }
  } else for (const ending of LOG_ENDINGS) await rm(`${path}${ending}`, { force: true });
  await rename(draft, path);
  await syncPath(dirname(path));
  return isThere ? aside : null;
};

/** Rejects where there is a store that may not be replaced, or that a process uses. */
const requireFree = (path: string, { replaces }: Pick<RestoreRequest, 'replaces'>): void => {
  if (!existsSync(path)) return;
  if (!replaces) throw taken(path);
  requireUnused(path);
};

const removeStore = async (path: string): Promise<void> => {
  for (const ending of ['', ...LOG_ENDINGS]) await rm(`${path}${ending}`, { force: true });
};

/**
 * Checks that no process uses the file, because SQLite removes the log only for a single connection. A damaged file
 * counts as unused.
 */
export const requireUnused = (path: string): void => {
  let database: SqliteDatabase | undefined;
  try {
    database = loadSqliteDriver().open(path);
    database.exec('PRAGMA busy_timeout = 0');
    database.exec('PRAGMA journal_mode = DELETE');
  } catch (error) {
    if (!isBusy(error)) return;
    throw new ServiceError('conflict', `a process uses the store ${path}`, {
      hint: 'stop every process on the store first',
      cause: error,
    });
  } finally {
    database?.close();
  }
};

const taken = (path: string): ServiceError =>
  new ServiceError('conflict', `there is a store at ${path} already`, {
    hint: 'give --replace to keep it aside under another name, or restore into another folder',
  });

const foreignLayout = (layout: string): ServiceError =>
  new ServiceError('validation', `the backup has the layout ${layout}, which a store of SQLite cannot take`, {
    hint: 'restore it to the engine that it was made of; "export" and "import" move a memory to another engine',
  });

const changed = (): ServiceError =>
  new ServiceError('conflict', 'the file of the backup changed while it was read', { hint: 'use another backup' });

/** Returns the size of the store with its log, and the free space of its disk. */
export const sizeOfFile = async (
  given: string,
): Promise<{ readonly storeBytes: number; readonly freeBytes: number | null }> => {
  const path = resolve(given);
  const sizes = await Promise.all(
    [path, `${path}-wal`].map(async (name) => (await stat(name).catch(() => undefined))?.size ?? 0),
  );
  const { bavail, bsize } = await statfs(dirname(path));
  return { storeBytes: sizes.reduce((sum, size) => sum + size, 0), freeBytes: bavail * bsize };
};
