import { createHash } from 'node:crypto';
import { type ObjectStore, portions } from '../../kernel/internal-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';
import type { BackupSummary } from './backup-api.ts';
import { countedBackups, isBackupName, MAX_MANIFEST_BYTES, summaryOf, unreadable } from './backup-folder.ts';
import { erasureInstants } from './erasure-journals.ts';
import { MANIFEST, type Manifest, readManifest } from './manifest-json.ts';

/** A backup in a target, as its manifest describes it. */
export interface SentSummary extends BackupSummary {
  /** False if it lies in the clear. */
  readonly isSealed: boolean;
}

/** The objects of one backup in a target, by file name. Without a manifest it was never completed. */
export type SentFiles = ReadonlyMap<string, number>;
/** Stands for the size of an object that lies in the clear where others are sealed, so that it never counts as sent. */
const CLEAR = -1;

/** Bounds the list of a target, into which others may have put any number of objects. */
const MOST_OBJECTS = 200_000;
/** How many manifests are read at once. */
const AT_ONCE = 8;

/** Returns the backups in a target, from the newest to the oldest, unfinished ones included. */
export const sentBackups = async (target: ObjectStore): Promise<ReadonlyMap<string, SentFiles>> => {
  const found = new Map<string, Map<string, number>>();
  let count = 0;
  for await (const { path, bytes, isSealed } of target.list('backup-')) {
    count += 1;
    if (count > MOST_OBJECTS) throw tooMany(target);
    const [name = '', file = '', ...deeper] = path.split('/');
    if (!isBackupName(name) || file === '' || deeper.length > 0) continue;
    const files = found.get(name) ?? new Map<string, number>();
    found.set(name, files.set(file, target.rewrap === undefined || isSealed ? bytes : CLEAR));
  }
  return new Map([...found].sort(([one], [other]) => (one < other ? 1 : -1)));
};

/**
 * True for a backup that lies in the clear where others are sealed. Anybody who writes to the target can make one up.
 */
export const isClear = (files: SentFiles | undefined): boolean => files?.get(MANIFEST) === CLEAR;

/** Returns the names of the whole backups, in the given order. */
export const wholeBackups = (sent: ReadonlyMap<string, SentFiles>): string[] =>
  [...sent].filter(([, files]) => files.has(MANIFEST)).map(([name]) => name);

/** Reads the manifest of a backup in a target. Rejects with `validation` for a damaged one, and for that of another. */
export const manifestAt = async (target: ObjectStore, name: string): Promise<Manifest> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of target.read(`${name}/${MANIFEST}`)) {
    bytes += chunk.length;
    if (bytes > MAX_MANIFEST_BYTES) throw new ServiceError('validation', `the manifest of ${name} is too long`);
    chunks.push(chunk);
  }
  const manifest = readManifest(Buffer.concat(chunks).toString('utf8'));
  if (manifest.id === name) return manifest;
  throw new ServiceError('validation', `the manifest of ${name} belongs to another backup`, {
    hint: 'use another backup',
  });
};

/** Lists the backups of a target, newest first, including those whose manifest is missing or damaged. */
export const listSent = async (target: ObjectStore, erasureFiles: readonly string[]): Promise<SentSummary[]> => {
  const erasedAt = await erasureInstants(erasureFiles);
  const sent = [...(await sentBackups(target))];
  const found: SentSummary[] = [];
  for (const portion of portions(sent, AT_ONCE)) {
    const some = portion.map(async ([name, files]) => {
      // A node without a key tells by the manifest, which it cannot read where it is sealed.
      const isSealed = target.rewrap !== undefined && [...files.values()].every((bytes) => bytes !== CLEAR);
      if (!files.has(MANIFEST)) {
        return { ...unreadable(name, `it was not completed, or its ${MANIFEST} is no file`), isSealed };
      }
      try {
        return { ...summaryOf(await manifestAt(target, name), erasedAt, name), isSealed };
      } catch (error) {
        if (!(error instanceof ServiceError) || error.status >= 500) throw error;
        const { key_id: neededKey } = error.members;
        const found = { ...unreadable(name, error.message), isSealed };
        return typeof neededKey === 'string' ? { ...found, isSealed: true, neededKey } : found;
      }
    });
    found.push(...(await Promise.all(some)));
  }
  return found;
};

/**
 * Returns the given backup, or the newest whole one up to now: a name of the future may be planted. Rejects with
 * `lookup` when there is none, and with `conflict` for a clear one where a key seals others.
 */
export const chosenBackup = async (target: ObjectStore, given: string | undefined, nowMs: number): Promise<string> => {
  if (given !== undefined && !isBackupName(given)) {
    throw new ServiceError('validation', 'a backup in a target has the form backup-…, without a path', {
      hint: `"fact-memory-node backup list --from ${target.place}" shows which there are`,
    });
  }
  const sent = await sentBackups(target);
  const names = wholeBackups(sent);
  // Anybody who writes to the target can make up a clear backup, so a sealed one goes before it.
  const sealed = names.filter((name) => !isClear(sent.get(name)));
  const newest = countedBackups(sealed.length > 0 ? sealed : names, nowMs)[0];
  const chosen = given === undefined ? newest : names.find((name) => name === given);
  if (chosen !== undefined && isClear(sent.get(chosen))) throw liesClear(chosen);
  if (chosen !== undefined) return chosen;
  throw new ServiceError(
    'lookup',
    given === undefined ? `there is no backup in ${target.place}` : `${given} is not there`,
    {
      hint: `"fact-memory-node backup list --from ${target.place}" shows which there are`,
    },
  );
};

const liesClear = (name: string): ServiceError =>
  new ServiceError('conflict', `${name} lies in the clear, so anybody who writes to the target may have made it up`, {
    hint: 'to use it all the same, run the command without a key',
  });

/** Reads every file of a backup in a target, and keeps none. Rejects with `validation` if one has changed. */
export const checkSent = async (
  target: ObjectStore,
  name: string,
  onProgress: (doneBytes: number, totalBytes: number) => void = () => {},
): Promise<Manifest> => {
  const manifest = await manifestAt(target, name);
  const files = [...manifest.copy.files, ...manifest.keyFiles];
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  for (const file of files) {
    const hash = createHash('sha256');
    for await (const chunk of readWithin(target, name, file)) {
      hash.update(chunk);
      done += chunk.length;
      onProgress(done, total);
    }
    if (hash.digest('hex') !== file.sha256) throw damaged(file.name);
  }
  return manifest;
};

/** Reads a file of a backup. Rejects with `validation` for one that is missing, or longer than its manifest says. */
export async function* readWithin(
  target: ObjectStore,
  name: string,
  file: { readonly name: string; readonly bytes: number },
  fromByte = 0,
): AsyncGenerator<Uint8Array> {
  let bytes = fromByte;
  try {
    for await (const chunk of target.read(`${name}/${file.name}`, fromByte)) {
      bytes += chunk.length;
      if (bytes > file.bytes) throw damaged(file.name);
      yield chunk;
    }
  } catch (error) {
    throw (error as { readonly code?: unknown }).code === 'lookup' ? damaged(file.name) : error;
  }
}

export const damaged = (file: string): ServiceError =>
  new ServiceError('validation', `the file ${file} of the backup is missing or damaged`, {
    hint: 'use another backup, and look for errors of the place that this one lies in, and of the way to it',
  });

const tooMany = ({ place }: ObjectStore): ServiceError =>
  new ServiceError('unavailable', `there are more than ${MOST_OBJECTS} objects in ${place}`, {
    hint: 'give the backups of each node a prefix of their own',
  });
