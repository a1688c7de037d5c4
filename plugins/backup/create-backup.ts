import { chmod, copyFile, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CopyOptions, StoreCopy } from '../../kernel/internal-api.ts';
import {
  type Clock,
  formatInstant,
  type NodeSettings,
  type Random,
  ServiceError,
  type StoreCopies,
} from '../../kernel/plugin-api.ts';
import { removeAssemblies } from './assemble-chain.ts';
import type { BackupSummary } from './backup-api.ts';
import { backupName, beginFolder, completeFolder, removePartial, summaryOf } from './backup-folder.ts';
import { digestOfFile } from './check-files.ts';
import { DISK_OF_BACKUPS, explainDisk } from './explain-disk.ts';
import { KEY_FILE, type Manifest, spellManifest } from './manifest-json.ts';
import { pruneBackups } from './prune-backups.ts';
import type { Retention } from './retained-backups.ts';

export interface BackupParts {
  readonly copies: Pick<StoreCopies, 'alone' | 'placeKeys'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly node: Pick<NodeSettings, 'dataFolder'>;
  /** Folder of all backups. Created if missing. */
  readonly folder: string;
  /** The backups that stay in the folder. */
  readonly retention: Retention;
}

export interface BackupRequest extends CopyOptions {
  /** Folder with the node's keys to include; without it the backup holds no key. */
  readonly keysFrom?: string | undefined;
  /** See `StoreCopies.alone`. */
  readonly patience?: AbortSignal | undefined;
}

export interface CreatedBackup extends BackupSummary {
  readonly path: string;
  /** Names of the deleted older backups. */
  readonly removed: readonly string[];
}

/**
 * Makes a backup, then removes the oldest ones beyond the limit. Before that it removes leftovers of interrupted
 * backups and restores. Rejects with `unavailable` while another process makes one.
 */
export const createBackup = (
  { copies, clock, random, node, folder, retention }: BackupParts,
  { keysFrom, patience, ...options }: BackupRequest = {},
): Promise<CreatedBackup> =>
  copies.alone(
    async (copyInto) => {
      await removePartial(folder);
      await removeAssemblies({ folder, node });
      // Read before the copy, so that the copy contains everything acknowledged until then.
      const nowMs = clock.nowMs();
      const id = backupName(nowMs, random.uuid());
      const draft = await explained(() => beginFolder(folder, id));
      try {
        // Before the copy, which takes long, because a folder with the keys of another store is refused.
        const placed = await explained(() => copies.placeKeys({ folder }));
        const copy = await explained(() => copyInto(draft, options));
        const keyFiles = keysFrom === undefined ? [] : await explained(() => copyKeys(keysFrom, draft));
        const manifest: Manifest = { id, createdAt: formatInstant(nowMs), copy, keyFiles };
        await explained(() => copies.placeKeys({ folder }, placed));
        const path = await explained(() => completeFolder(draft, spellManifest(manifest)));
        return { ...summaryOf(manifest, [], id), path, removed: await pruneBackups(folder, { retention, nowMs }) };
      } catch (error) {
        await rm(draft, { recursive: true, force: true });
        throw error;
      }
    },
    'backup',
    patience,
  );

const explained = <T>(work: () => Promise<T>): Promise<T> => explainDisk(DISK_OF_BACKUPS, work);

/** The present and former private keys of the node. */
const copyKeys = async (from: string, to: string): Promise<StoreCopy['files']> => {
  const names = (await readdir(from)).filter((name) => KEY_FILE.test(name));
  if (!names.includes('node.key')) {
    throw new ServiceError('lookup', `there is no node.key in ${from}`, {
      hint: 'leave --with-key out, and keep the value of SVC_NODE_PRIVATE_KEY where you keep secrets',
    });
  }
  return Promise.all(
    names.map(async (name) => {
      const path = join(to, name);
      await copyFile(join(from, name), path);
      await chmod(path, 0o600);
      const file = await open(path, 'r');
      await file.sync().finally(() => file.close());
      return { name, ...(await digestOfFile(path)) };
    }),
  );
};
