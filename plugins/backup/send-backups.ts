import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { ObjectContent, ObjectLock, ObjectStore } from '../../kernel/internal-api.ts';
import { ServiceError, sha256Hex } from '../../kernel/plugin-api.ts';
import { backupNames, countedBackups, manifestIn } from './backup-folder.ts';
import { MANIFEST, type Manifest, spellManifest } from './manifest-json.ts';
import { type Retention, retainedBackups } from './retained-backups.ts';
import { isClear, listSent, type SentFiles, sentBackups, wholeBackups } from './target-backups.ts';

export interface SendParts {
  readonly folder: string;
  readonly target: ObjectStore;
  readonly retention: Retention;
  /** The node of the store. Only its own backups are sent, counted and removed. Null for a store without a node. */
  readonly nodeId: string | null;
  readonly nowMs: number;
}

export interface SendOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((doneBytes: number, totalBytes: number) => void) | undefined;
}

/** A backup in a target, with its lock if it has one. */
export interface SentBackup {
  readonly name: string;
  readonly lock: ObjectLock | null;
}

export interface SendResult {
  /** Names of the backups that were sent, newest first. */
  readonly sent: readonly string[];
  readonly removed: readonly string[];
  /** Backups with the private key of the node that stay here, because nothing seals them on their way. */
  readonly withKey: readonly string[];
  /** Backups that are clear or damaged in the target. A lock keeps the node from replacing them by sealed ones. */
  readonly notReplaced: readonly string[];
  /** The backups in the target afterwards, newest first. */
  readonly there: readonly SentBackup[];
}

/**
 * Sends the backups of the folder that the target lacks and that would stay there, newest first. A clear one counts as
 * lacking where a key seals. Then removes from the target those that do not stay. An interrupted run leaves whole
 * backups, and the next one goes on from there.
 */
export const sendBackups = async (
  { folder, target, retention, nodeId, nowMs }: SendParts,
  options: SendOptions = {},
): Promise<SendResult> => {
  const [here, before] = [await backupNames(folder), await sentBackups(target)];
  const manifests = await manifestsOf(folder, here, nodeId);
  const ours = await ownBackups(target, nodeId);
  const seals = target.rewrap !== undefined;
  const withKey = [...manifests].filter(([, { keyFiles }]) => keyFiles.length > 0 && !seals).map(([name]) => name);
  const wholeBefore = new Set(wholeBackups(before));
  const able = [...manifests.keys()].filter((name) => !withKey.includes(name));
  // Clear ones take no place of sealed ones, because they may be made up.
  const isApart = (name: string): boolean => isClear(before.get(name)) && !able.includes(name);
  const counted = countedBackups([...ours.filter((name) => !isApart(name)), ...able], nowMs);
  const clear = countedBackups(ours.filter(isApart), nowMs);
  const staying = new Set([counted, clear].flatMap((names) => [...retainedBackups(names, retention)]));
  // The manifest has to open: anybody who writes to the target can put a seal beside a made-up one.
  const isSent = (name: string): boolean => ours.includes(name) && !isClear(before.get(name));
  const missing = able.filter((name) => staying.has(name) && !isSent(name));
  const total = missing.reduce((sum, name) => sum + bytesOf(manifests.get(name)), 0);
  const sent: string[] = [];
  const notReplaced: string[] = [];
  let done = 0;
  for (const name of missing) {
    const manifest = manifests.get(name) as Manifest;
    const there = before.get(name) ?? new Map();
    // It goes first: with another seal beside it, an interrupted run would leave one that nothing opens.
    const isReplaced = there.has(MANIFEST);
    if (isReplaced && !(await removeUnlocked(target, name, there))) {
      notReplaced.push(name);
      continue;
    }
    await sendBackup({ folder, target }, manifest, isReplaced ? new Map() : there, {
      signal: options.signal,
      onProgress: (bytes) => options.onProgress?.(done + bytes, total),
    });
    sent.push(name);
    done += bytesOf(manifest);
  }
  const goes = new Set([...counted, ...clear].filter((name) => !staying.has(name) && wholeBefore.has(name)));
  // Without a readable backup here, this may be a fresh machine, which must not cut a history that others rely on.
  const removed =
    manifests.size === 0
      ? []
      : await removeSent(
          target,
          (name) => goes.has(name),
          (name) => !here.includes(name),
        );
  return {
    sent,
    removed,
    withKey: withKey.filter((name) => !wholeBefore.has(name)),
    notReplaced,
    there: await withLocks(target),
  };
};

/** Leaves out damaged backups, which `backup list` shows, and those of other nodes. */
const manifestsOf = async (
  folder: string,
  names: readonly string[],
  nodeId: string | null,
): Promise<ReadonlyMap<string, Manifest>> => {
  const found = new Map<string, Manifest>();
  for (const name of names) {
    const manifest = await manifestIn(join(folder, name)).catch(() => undefined);
    if (manifest?.id === name && manifest.copy.nodeId === nodeId) found.set(name, manifest);
  }
  return found;
};

/**
 * Returns the readable backups of the node in a target, newest first. Rejects with `conflict` for a target of another
 * node, and where the key of sealed backups is missing: without any key, the next ones would go in the clear.
 */
const ownBackups = async (target: ObjectStore, nodeId: string | null): Promise<readonly string[]> => {
  const listed = await listSent(target, []);
  const readable = listed.filter(({ damage }) => damage === null);
  const ours = readable.filter((one) => one.nodeId === nodeId).map(({ id }) => id);
  const neededKeys = new Set(listed.flatMap(({ neededKey }) => neededKey ?? []));
  if (neededKeys.size > 0 && (ours.length === 0 || target.rewrap === undefined)) throw ofOtherKey(target, neededKeys);
  if (ours.length === 0 && readable.length > 0) throw ofAnother(target);
  return ours;
};

const ofAnother = ({ place }: ObjectStore): ServiceError =>
  new ServiceError('conflict', `${place} has backups of another node`, {
    hint: 'give each node a prefix or a folder of its own in SVC_BACKUP_TARGET',
  });

const ofOtherKey = ({ place }: ObjectStore, keyIds: ReadonlySet<string>): ServiceError =>
  new ServiceError('conflict', `${place} has backups that are sealed with the key ${[...keyIds].join(', ')}`, {
    hint: 'give that key in SVC_ENCRYPTION_KEY_FILE or SVC_ENCRYPTION_KEY_COMMAND, or another place in SVC_BACKUP_TARGET',
  });

/** Sends the files of one backup, and its manifest last, which makes them a backup. */
const sendBackup = async (
  { folder, target }: Pick<SendParts, 'folder' | 'target'>,
  manifest: Manifest,
  there: SentFiles,
  { signal, onProgress }: { readonly signal: AbortSignal | undefined; onProgress(doneBytes: number): void },
): Promise<void> => {
  let done = 0;
  for (const file of filesOf(manifest)) {
    if (there.get(file.name) !== file.bytes) {
      const content: ObjectContent = {
        bytes: file.bytes,
        sha256: file.sha256,
        read: () => createReadStream(join(folder, manifest.id, file.name)) as AsyncIterable<Buffer>,
      };
      await target.write(`${manifest.id}/${file.name}`, content, {
        signal,
        onProgress: (bytes) => onProgress(done + bytes),
      });
    }
    done += file.bytes;
    onProgress(done);
  }
  const text = Buffer.from(spellManifest(manifest));
  const content = {
    bytes: text.length,
    sha256: sha256Hex(text),
    async *read() {
      yield text;
    },
  };
  await target.write(`${manifest.id}/${MANIFEST}`, content, { signal });
};

/**
 * Removes whole backups from a target that are not locked, and returns their names. Also removes what interrupted
 * sending or removing has left of those that `isLeft` names. Without it, nothing unfinished is listed, which a target
 * may allow to fewer.
 */
export const removeSent = async (
  target: ObjectStore,
  isGone: (name: string) => boolean,
  isLeft?: (name: string) => boolean,
): Promise<string[]> => {
  const removed: string[] = [];
  for (const [name, files] of await sentBackups(target)) {
    const isWhole = files.has(MANIFEST);
    if (!(isWhole ? isGone(name) : isLeft?.(name))) continue;
    if (await removeBackupAt(target, name, files)) {
      if (isWhole) removed.push(name);
    }
  }
  if (isLeft === undefined) return removed;
  for await (const path of target.unfinished('backup-')) {
    if (isLeft(path.split('/')[0] ?? '')) await target.remove(path);
  }
  return removed;
};

/**
 * Removes the manifest first, because half of a backup must not look like a whole one. Returns false for a locked one.
 */
const removeBackupAt = async (target: ObjectStore, name: string, files: SentFiles): Promise<boolean> => {
  if (await isLocked(target, name, files)) return false;
  await target.remove(`${name}/${MANIFEST}`);
  for (const file of files.keys()) await target.remove(`${name}/${file}`);
  return true;
};

/** Removes a backup. Returns false for one that is locked, also where a lock holds only a former version of a file. */
const removeUnlocked = (target: ObjectStore, name: string, files: SentFiles): Promise<boolean> =>
  removeBackupAt(target, name, files).catch((error: { readonly code?: unknown }) => {
    if (error.code === 'conflict') return false;
    throw error;
  });

/** True for a backup of which any file is locked. */
export const isLocked = async (target: ObjectStore, name: string, files: SentFiles = new Map()): Promise<boolean> =>
  (await lockAt(target, name, files)) !== null;

/** The lock that ends last: every file is looked at, because each may have been locked at another time. */
const lockAt = async (target: ObjectStore, name: string, files: SentFiles): Promise<ObjectLock | null> => {
  let last: ObjectLock | null = null;
  for (const file of files.keys()) {
    const lock = await target.lockOf(`${name}/${file}`);
    if (lock === null) continue;
    if (last === null || lock.untilMs === null) last = lock;
    else if (last.untilMs !== null && lock.untilMs > last.untilMs) last = lock;
  }
  return last;
};

/** Returns the whole backups of a target with their locks, newest first. */
export const withLocks = async (target: ObjectStore): Promise<SentBackup[]> => {
  const found: SentBackup[] = [];
  for (const [name, files] of await sentBackups(target)) {
    // A rule of a bucket locks from the moment of writing, and the manifest is written last.
    if (files.has(MANIFEST)) found.push({ name, lock: await target.lockOf(`${name}/${MANIFEST}`) });
  }
  return found;
};

const filesOf = ({ copy, keyFiles }: Manifest): Manifest['keyFiles'] => [...copy.files, ...keyFiles];

const bytesOf = (manifest: Manifest | undefined): number =>
  manifest === undefined ? 0 : filesOf(manifest).reduce((sum, { bytes }) => sum + bytes, 0);
