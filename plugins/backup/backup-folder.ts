import { lstat, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { formatHlc, syncPath } from '../../kernel/internal-api.ts';
import { parseInstant, ServiceError } from '../../kernel/plugin-api.ts';
import type { BackupSummary } from './backup-api.ts';
import { erasureInstants } from './erasure-journals.ts';
import { MANIFEST, type Manifest, readManifest } from './manifest-json.ts';

/** `backup-20261123T021500123Z-1a2b3c4d`: sorting by name sorts by age. */
const NAME = /^backup-\d{8}T\d{9}Z-[0-9a-f]{8}$/;
const PARTIAL = '.partial';
/** A backup whose removal has begun. A name of its own, because another process may make a partial one meanwhile. */
const REMOVED = '.removed';

/** A manifest names every tenant once, so no genuine one is longer. */
export const MAX_MANIFEST_BYTES = 256 * 1024 * 1024;

/** Returns the name of a backup that starts now. */
export const backupName = (nowMs: number, uuid: string): string =>
  `backup-${new Date(nowMs).toISOString().replaceAll(/[-:.]/g, '')}-${uuid.slice(0, 8)}`;

export const isBackupName = (text: string): boolean => NAME.test(text);

/** Returns the start of a backup by its name, in milliseconds since the epoch. */
export const startOfBackup = (name: string): number => {
  const [, year, month, day, hour, minute, second, ms] = (STARTED.exec(name) ?? []).map(Number);
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second, ms);
};

const STARTED = /^backup-(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(\d{3})Z/;

/**
 * Returns each name once, newest first. Leaves out names of the future, which would take places of real backups. They
 * are made up, or from when the clock was ahead.
 */
export const countedBackups = (names: readonly string[], nowMs: number): string[] =>
  [...new Set(names)]
    .filter((name) => startOfBackup(name) <= nowMs)
    .sort()
    .reverse();

/** Makes the folder of all backups unless it is there. */
export const createOwnFolder = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
};

/** Makes the folder of an unfinished backup. It becomes a backup with `completeFolder`. */
export const beginFolder = async (folder: string, name: string): Promise<string> => {
  const draft = join(folder, `${name}${PARTIAL}`);
  await mkdir(draft, { recursive: true, mode: 0o700 });
  return draft;
};

/** Writes the manifest and renames the folder, which makes it a backup. */
export const completeFolder = async (draft: string, manifest: string): Promise<string> => {
  // A crash just before the renaming leaves a manifest in a draft with which the next fetch goes on.
  await rm(join(draft, MANIFEST), { force: true });
  const file = await open(join(draft, MANIFEST), 'wx', 0o600);
  try {
    await file.writeFile(manifest);
    await file.sync();
  } finally {
    await file.close();
  }
  await syncPath(draft);
  const path = draft.slice(0, -PARTIAL.length);
  await rename(draft, path);
  await syncPath(dirname(path));
  return path;
};

/** Removes the leftovers of interrupted backups and removals. Call it only while no other process makes a backup. */
export const removePartial = async (folder: string): Promise<void> => {
  for (const name of await namesIn(folder)) {
    if (name.endsWith(PARTIAL) && NAME.test(name.slice(0, -PARTIAL.length))) await removeFolder(join(folder, name));
  }
  for (const name of await halfRemovedNames(folder)) await removeBackup(folder, name);
};

/** Returns the names of backups, newest first. */
export const backupNames = async (folder: string): Promise<string[]> =>
  (await namesIn(folder))
    .filter((name) => NAME.test(name))
    .sort()
    .reverse();

/** Returns the names of backups whose removal a killed process has begun. */
export const halfRemovedNames = async (folder: string): Promise<string[]> =>
  (await namesIn(folder))
    .filter((name) => name.endsWith(REMOVED))
    .map((name) => name.slice(0, -REMOVED.length))
    .filter((name) => NAME.test(name));

/**
 * Renames the folder first, because a half-deleted folder under this name would look like a backup. Goes on where a
 * killed process has begun.
 */
export const removeBackup = async (folder: string, name: string): Promise<void> => {
  const removed = join(folder, `${name}${REMOVED}`);
  await rename(join(folder, name), removed).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await removeFolder(removed);
};

const removeFolder = (path: string): Promise<void> => rm(path, { recursive: true, force: true });

/** Returns the names in a folder; none for a missing one. */
export const namesIn = async (folder: string): Promise<string[]> => {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
};

/** The manifest in a folder. Throws `lookup` without one, and `validation` for a damaged one. */
export const manifestIn = async (path: string): Promise<Manifest> => {
  const file = join(path, MANIFEST);
  try {
    const found = await lstat(file);
    // A link may lead anywhere.
    if (!found.isFile()) throw noManifest(`${file} is no file`);
    if (found.size > MAX_MANIFEST_BYTES) throw noManifest(`${file} is too long for a manifest`);
    return readManifest(await readFile(file, 'utf8'));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    if (!(await isThere(path))) throw noBackup(path);
    throw new ServiceError('lookup', `${path} is no backup: it has no ${MANIFEST}`, {
      hint: '"fact-memory-node backup list" shows which there are; a folder without a manifest was never completed',
    });
  }
};

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

const noBackup = (path: string): ServiceError =>
  new ServiceError('lookup', `there is no backup ${path}`, {
    hint: '"fact-memory-node backup list" shows which there are',
  });

const noManifest = (message: string): ServiceError =>
  new ServiceError('validation', message, { hint: 'use another backup' });

/** Lists backups, newest first, including folders with a damaged manifest, so that operators see them. */
export const listBackups = async (folder: string, erasureFiles: readonly string[]): Promise<BackupSummary[]> => {
  const erasedAt = await erasureInstants(erasureFiles);
  const names = await backupNames(folder);
  return Promise.all(
    names.map(async (name) => {
      try {
        return summaryOf(await manifestIn(join(folder, name)), erasedAt, name);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        return unreadable(name, error.message);
      }
    }),
  );
};

/** The newest readable backup, by the present time. */
export const newestBackup = async (folder: string, nowMs: number): Promise<BackupSummary | undefined> => {
  for (const name of countedBackups(await backupNames(folder), nowMs).slice(0, LOOKED_AT)) {
    const manifest = await manifestIn(join(folder, name)).catch(() => undefined);
    if (manifest !== undefined) return summaryOf(manifest, [], name);
  }
  return undefined;
};

const LOOKED_AT = 3;

/** Describes a backup whose manifest cannot be read, with the reason. */
export const unreadable = (id: string, damage: string): BackupSummary => ({
  id,
  createdAt: '',
  bytes: 0,
  facts: 0,
  nodeId: null,
  stamp: null,
  hasKey: false,
  erasuresSince: 0,
  damage,
});

export const summaryOf = (
  { createdAt, copy, keyFiles }: Manifest,
  erasedAt: readonly number[],
  id: string,
): BackupSummary => ({
  id,
  createdAt,
  bytes: [...copy.files, ...keyFiles].reduce((sum, { bytes }) => sum + bytes, 0),
  facts: copy.tables['facts'] ?? 0,
  nodeId: copy.nodeId,
  stamp: copy.head === null ? null : formatHlc(copy.head),
  hasKey: keyFiles.length > 0,
  erasuresSince: erasedAt.filter((ms) => ms >= (parseInstant(createdAt) ?? 0)).length,
  damage: null,
});

/** Returns the path of a backup: a name in the folder of backups, or the path of any folder. */
export const pathOfBackup = (folder: string, given: string): string =>
  NAME.test(given) ? join(folder, given) : resolve(given);
