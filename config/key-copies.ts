import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readKeyFile, readKeyFileHeader, replaceKeyFile } from '../adapters/sealed/content-key-file.ts';
import { sha256 } from '../adapters/sealed/sha256.ts';
import type { KeyCopyPlace } from '../kernel/leases/store-copies.ts';
import { type ObjectStore, type ObjectStores, ServiceError } from '../ports/ports.ts';
import { CONTENT_KEYS } from './content-key-place.ts';

/** The path of the copy in a target. It has a folder of its own, as each backup has. */
const OBJECT = `content-keys/${CONTENT_KEYS}`;
const MOST_BYTES = 256 * 1024 * 1024;

/** The places of backups, as the settings of the plugin name them. */
export interface BackupPlaces {
  readonly folder?: string;
  readonly target?: string;
}

/**
 * Puts the text of the present file of content keys in the place of its former copy, of which nothing stays. Rejects
 * with `conflict` for a place that has the keys of another store.
 */
export const placeKeyCopy = async (place: KeyCopyPlace, text: string): Promise<void> => {
  await refuseOtherStore(place, text);
  await writeCopy(place, text);
};

const writeCopy = async (place: KeyCopyPlace, text: string): Promise<void> => {
  if ('folder' in place) {
    await replaceKeyFile(join(place.folder, CONTENT_KEYS), text);
    return;
  }
  const bytes = Buffer.from(text);
  await place.target.write(OBJECT, {
    bytes: bytes.length,
    sha256: sha256(bytes).toString('hex'),
    async *read() {
      yield bytes;
    },
  });
  await place.target.removeFormer?.(OBJECT);
};

/** A new store in place of a lost one must not take away the only keys that open the backups of that one. */
const refuseOtherStore = async (place: KeyCopyPlace, text: string): Promise<void> => {
  const there = await readKeyCopy(place);
  const id = there === undefined ? undefined : idOf(there);
  if (id === undefined || id === idOf(text)) return;
  const [where, setting, path] =
    'folder' in place
      ? [place.folder, 'SVC_BACKUP_FOLDER', CONTENT_KEYS]
      : [place.target.place, 'SVC_BACKUP_TARGET', OBJECT];
  throw new ServiceError('conflict', `the content keys in ${where} belong to another store`, {
    hint:
      `name another place in ${setting}, or restore the store that these keys belong to; remove ${path} there only ` +
      'when no backup of that store is needed any more',
  });
};

/** Returns undefined for a damaged copy, which opens nothing. */
const idOf = (text: string): string | undefined => {
  try {
    return readKeyFileHeader(text, OBJECT).id;
  } catch {
    return undefined;
  }
};

/** Reads the copy of the file of content keys in a place; undefined where there is none. */
export const readKeyCopy = async (place: KeyCopyPlace): Promise<string | undefined> =>
  'folder' in place ? readKeyFile(join(place.folder, CONTENT_KEYS)) : readObject(place.target);

const readObject = async (target: ObjectStore): Promise<string | undefined> => {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const part of target.read(OBJECT)) {
      parts.push(part);
      bytes += part.length;
      if (bytes > MOST_BYTES) throw new ServiceError('validation', `the content keys in ${target.place} are too long`);
    }
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'lookup') return undefined;
    throw error;
  }
  return Buffer.concat(parts).toString('utf8');
};

/**
 * Replaces the copies of the file of content keys beside all backups. Returns a sentence for each place where that
 * failed, so that destroyed keys are still there.
 */
export const replaceKeyCopies = async (
  { folder, target }: BackupPlaces,
  objects: ObjectStores,
  text: string,
): Promise<readonly string[]> => {
  const copiesNotReplaced: string[] = [];
  const attempt = async (name: string, find: () => Promise<KeyCopyPlace>): Promise<void> => {
    let isChecked = false;
    try {
      const place = await find();
      await refuseOtherStore(place, text);
      isChecked = true;
      await writeCopy(place, text);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      copiesNotReplaced.push(
        // A conflict after the check is a lock on a former version.
        error.code === 'conflict' && !isChecked
          ? `${name} has no copy of these content keys: ${error.message}`
          : `${name} still has an earlier copy of the content keys, with the destroyed ones: ${error.message}`,
      );
    }
  };
  // The folder of the first backup does not exist yet.
  if (folder !== undefined && existsSync(folder)) await attempt(folder, async () => ({ folder }));
  if (target !== undefined) {
    await attempt('the target of the backups', async () => ({ target: await objects.open(target) }));
  }
  return copiesNotReplaced;
};
