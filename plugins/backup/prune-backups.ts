import { backupNames, listBackups, removeBackup } from './backup-folder.ts';

export interface PruneRequest {
  /** Number of the newest backups to keep. At least one. */
  readonly keep: number;
  /**
   * Files with receipts of erasures. Backups that may contain erased data are deleted. Of the others, the newest are
   * kept.
   */
  readonly erasedBy?: readonly string[];
  /** True to name the backups that would be removed, without removing them. */
  readonly isTrial?: boolean;
}

/** Deletes backups and returns their names. Unreadable ones are kept, and do not count. */
export const pruneBackups = async (
  folder: string,
  { keep, erasedBy, isTrial = false }: PruneRequest,
): Promise<string[]> => {
  const gone = new Set<string>();
  const all = erasedBy === undefined ? await backupNames(folder) : [];
  for (const name of all.slice(Math.max(1, keep))) gone.add(name);
  if (erasedBy !== undefined) {
    for (const { id, erasuresSince } of await listBackups(folder, erasedBy)) if (erasuresSince > 0) gone.add(id);
  }
  if (!isTrial) for (const name of gone) await removeBackup(folder, name);
  return [...gone];
};
