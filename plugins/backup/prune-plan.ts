import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readOrdinaryFile, replaceSecretFile } from '../../kernel/internal-api.ts';
import { type Random, sha256Hex } from '../../kernel/plugin-api.ts';
import { backupNames, isBackupName } from './backup-folder.ts';

const MAX_BYTES = 4 * 1024 * 1024;

export interface PlanPlace {
  /** The folder of backups of this machine. */
  readonly folder: string;
  /** The location of the target. */
  readonly target: string;
  readonly random: Random;
}

/**
 * Runs a removal of backups from a target whose names are in a file meanwhile: without its manifest, a backup that was
 * half removed looks like one that is half sent. `earlier` are the names that a killed removal has left there, except
 * those that the folder has too. A machine without a folder of backups that can be written plans nothing.
 */
export const withPrunePlan = async <T>(
  { folder, target, random }: PlanPlace,
  names: ReadonlySet<string>,
  remove: (earlier: ReadonlySet<string>) => Promise<T>,
): Promise<T> => {
  const file = join(folder, `.prune-${sha256Hex(target).slice(0, 16)}.json`);
  const earlier = await planned(file);
  // Where the folder cannot be listed, any of them may be there.
  const here = new Set(await backupNames(folder).catch(() => earlier));
  const plan = async (all: readonly string[]): Promise<void> => {
    if (all.length === 0) await rm(file, { force: true });
    else if (await isFolder(folder)) await replaceSecretFile(file, JSON.stringify(all), random);
  };
  // A full disk, or a folder of another user, must not keep anybody from pruning a target.
  await plan([...new Set([...earlier, ...names])]).catch(() => {});
  const result = await remove(new Set([...earlier].filter((name) => !here.has(name))));
  // The node may be sending those again.
  await plan([...earlier].filter((name) => here.has(name))).catch(() => {});
  return result;
};

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** Returns no names for a missing or damaged file. */
const planned = async (file: string): Promise<ReadonlySet<string>> => {
  const bytes = await readOrdinaryFile(file, MAX_BYTES).catch(() => undefined);
  try {
    const names: unknown = JSON.parse(bytes?.toString('utf8') ?? '[]');
    return new Set(Array.isArray(names) ? names.filter((name) => typeof name === 'string' && isBackupName(name)) : []);
  } catch {
    return new Set();
  }
};
