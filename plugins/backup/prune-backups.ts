import { backupNames, countedBackups, halfRemovedNames, listBackups, removeBackup } from './backup-folder.ts';
import { type Retention, retainedBackups } from './retained-backups.ts';

export interface PruneRequest {
  readonly retention: Retention;
  /** The present time. Backups of the future stay, and take no place of others. */
  readonly nowMs: number;
  /**
   * Files with receipts of erasures. With them, only backups that may contain erased data are deleted, and `retention`
   * does not apply.
   */
  readonly erasedBy?: readonly string[];
  /** True to name the backups that would be removed, without removing them. */
  readonly isTrial?: boolean;
}

/**
 * Deletes backups and returns their names. Completes removals that a kill has interrupted. Retention judges a backup by
 * its name, even if the backup is damaged. Erasures are compared with the contents, so a backup that cannot be read
 * stays.
 */
export const pruneBackups = async (
  folder: string,
  { retention, nowMs, erasedBy, isTrial = false }: PruneRequest,
): Promise<string[]> => {
  const gone = new Set(await halfRemovedNames(folder));
  const all = erasedBy === undefined ? countedBackups(await backupNames(folder), nowMs) : [];
  const staying = retainedBackups(all, retention);
  for (const name of all) if (!staying.has(name)) gone.add(name);
  if (erasedBy !== undefined) {
    for (const { id, erasuresSince } of await listBackups(folder, erasedBy)) if (erasuresSince > 0) gone.add(id);
  }
  if (!isTrial) for (const name of gone) await removeBackup(folder, name);
  return [...gone];
};
