import { defineRef, type Principal } from '../../kernel/plugin-api.ts';

/** One backup, as its folder tells. */
export interface BackupSummary {
  /** Name of its folder. */
  readonly id: string;
  /** RFC 3339. Everything that was acknowledged before is in it. */
  readonly createdAt: string;
  /** Of all files together. */
  readonly bytes: number;
  readonly facts: number;
  readonly nodeId: string | null;
  /** Stamp of the newest entry of the feed in it; null for an empty feed. */
  readonly stamp: string | null;
  /** Whether it holds the private key of the node. */
  readonly hasKey: boolean;
  /** Erasures that ended after it was begun: what they destroyed may still lie in it. */
  readonly erasuresSince: number;
  /** False for a folder whose manifest cannot be read. */
  readonly isReadable: boolean;
}

export interface Backups {
  /** Newest first. Needs `admin` in the default tenant. */
  list(caller: Principal): Promise<readonly BackupSummary[]>;
  /** Begins a backup in the background, and returns the id of its job. Needs `admin` in the default tenant. */
  begin(caller: Principal): Promise<string>;
}

export const Backups = defineRef<Backups>('backup.backups');
