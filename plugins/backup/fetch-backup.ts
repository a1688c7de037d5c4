import { createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type ObjectStore, syncPath } from '../../kernel/internal-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';
import { beginFolder, completeFolder, manifestIn } from './backup-folder.ts';
import { checkBackup, digestOfFile } from './check-files.ts';
import { DISK_OF_BACKUPS, explainDisk } from './explain-disk.ts';
import { spellManifest } from './manifest-json.ts';
import { damaged, manifestAt, readWithin } from './target-backups.ts';

/**
 * Fetches a backup from a target into the folder of backups, and returns its path there. Each file is compared with its
 * digest. An interrupted fetch goes on where it ended, and a backup that is there already is not fetched again.
 */
export const fetchBackup = async (
  target: ObjectStore,
  name: string,
  folder: string,
  onProgress: (doneBytes: number, totalBytes: number) => void = () => {},
): Promise<string> => {
  const path = join(folder, name);
  const manifest = await manifestAt(target, name);
  const here = await manifestIn(path).catch(() => undefined);
  if (here !== undefined && spellManifest(here) === spellManifest(manifest)) {
    await checkBackup(path, onProgress);
    return path;
  }
  if ((await stat(path).catch(() => undefined)) !== undefined) throw taken(path);
  return explainDisk(DISK_OF_BACKUPS, async () => {
    const draft = await beginFolder(folder, name);
    const files = [...manifest.copy.files, ...manifest.keyFiles];
    const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    let done = 0;
    for (const file of files) {
      const fetched = { target, name, file, path: join(draft, file.name) };
      // Once more from the beginning, because a network or an earlier run may have damaged it.
      const isWhole =
        (await fetchFile(fetched, (bytes) => onProgress(done + bytes, total))) ||
        (await fetchFile(fetched, (bytes) => onProgress(done + bytes, total)));
      if (!isWhole) throw damaged(file.name);
      done += file.bytes;
    }
    return completeFolder(draft, spellManifest(manifest));
  });
};

interface FetchedFile {
  readonly target: ObjectStore;
  readonly name: string;
  readonly file: { readonly name: string; readonly bytes: number; readonly sha256: string };
  readonly path: string;
}

/** Fetches the rest of a file. Returns false, and removes the file, when it does not have its digest. */
const fetchFile = async (
  { target, name, file, path }: FetchedFile,
  onBytes: (doneBytes: number) => void,
): Promise<boolean> => {
  const there = (await stat(path).catch(() => undefined))?.size ?? 0;
  if (there < file.bytes || file.bytes === 0) {
    let done = there;
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of readWithin(target, name, file, there)) {
        yield chunk;
        done += chunk.length;
        onBytes(done);
      }
    };
    await pipeline(counted, createWriteStream(path, { flags: 'a', mode: 0o600 }));
    await syncPath(path);
  }
  if ((await digestOfFile(path)).sha256 === file.sha256) return true;
  await rm(path);
  return false;
};

const taken = (path: string): ServiceError =>
  new ServiceError('conflict', `there is another folder ${path} already`, {
    hint: 'move it away, or name another folder of backups in SVC_BACKUP_FOLDER',
  });
