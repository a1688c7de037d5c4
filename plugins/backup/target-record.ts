import { join } from 'node:path';
import { readOrdinaryFile, replaceSecretFile } from '../../kernel/internal-api.ts';
import { formatInstant, parseInstant, type Random } from '../../kernel/plugin-api.ts';
import { countedBackups, isBackupName, startOfBackup } from './backup-folder.ts';
import type { SentBackup } from './send-backups.ts';

const FILE = 'target.json';
const MAX_BYTES = 4 * 1024 * 1024;

/** The content of a target when it was last seen, kept in the folder of backups. So nobody has to ask the target. */
export interface TargetRecord {
  /** The location of the target, for people. */
  readonly place: string;
  readonly backups: readonly SentBackup[];
}

/** Remembers the backups in a target. */
export const recordTarget = async (folder: string, { place, backups }: TargetRecord, random: Random): Promise<void> => {
  const listed = backups.map(({ name, lock }) => ({
    name,
    locked: lock !== null,
    locked_until: lock?.untilMs == null ? null : formatInstant(lock.untilMs),
  }));
  await replaceSecretFile(join(folder, FILE), `${JSON.stringify({ place, backups: listed })}\n`, random);
};

/** Returns undefined before anything was sent, and for a damaged file, which the next sending replaces. */
export const readTarget = async (folder: string): Promise<TargetRecord | undefined> => {
  const text = await readOrdinaryFile(join(folder, FILE), MAX_BYTES);
  if (text === undefined) return undefined;
  try {
    const { place, backups } = JSON.parse(text.toString('utf8')) as { place: unknown; backups: unknown[] };
    return typeof place === 'string'
      ? { place, backups: backups.map(backupOf).filter((one) => one !== null) }
      : undefined;
  } catch {
    return undefined;
  }
};

const backupOf = (given: unknown): SentBackup | null => {
  const { name, locked, locked_until: until } = (given ?? {}) as Record<string, unknown>;
  if (typeof name !== 'string' || !isBackupName(name)) return null;
  return { name, lock: locked === true ? { untilMs: parseInstant(String(until)) ?? null } : null };
};

/** The limit that an erasure has because of locked backups, for receipts. Undefined when none is locked any more. */
export const lockedLimit = ({ place, backups }: TargetRecord, nowMs: number): string | undefined => {
  const ends = backups.flatMap(({ lock }) => (lock === null ? [] : [lock.untilMs ?? Number.POSITIVE_INFINITY]));
  const last = Math.max(0, ...ends);
  if (last <= nowMs) return undefined;
  const until = Number.isFinite(last) ? `until ${formatInstant(last)} at the latest` : 'without an end';
  return `backups in ${place}, which are locked ${until}`;
};

/** Returns when the newest backup of the target was begun. Names of the future do not count. */
export const newestSentMs = ({ backups }: TargetRecord, nowMs: number): number | undefined => {
  const names = backups.map(({ name }) => name);
  return countedBackups(names, nowMs).map(startOfBackup)[0];
};
