import { constants, createReadStream } from 'node:fs';
import { lstat, open, readdir, realpath, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { isDiskFull } from '../../ports/full-disk.ts';
import {
  isObjectPath,
  type ObjectContent,
  type ObjectStore,
  type ObjectWriteOptions,
  ServiceError,
  type StoredObject,
} from '../../ports/ports.ts';
import { createFolder } from './create-folder.ts';
import { digestFile, syncPath } from './durable-file.ts';

const PARTIAL = '.partial';
/** Refuses a link in the place of a draft, because its file may lie anywhere. */
const APPEND_TO_DRAFT = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

/** Objects as files below a folder, which is created by the first write. */
export const createFolderObjects = (given: string): ObjectStore => {
  const folder = resolve(given);
  const fileOf = (path: string): string => {
    if (!isObjectPath(path) || path.endsWith(PARTIAL)) throw new Error('the path of an object is made of plain names');
    return join(folder, path);
  };
  async function* below(prefix: string): AsyncGenerator<StoredObject> {
    for await (const found of filesBelow(folder, '', prefix)) if (isObjectPath(found.path)) yield found;
  }
  return {
    place: folder,
    async *list(prefix) {
      for await (const found of below(prefix)) if (!found.path.endsWith(PARTIAL)) yield found;
    },
    async *unfinished(prefix) {
      for await (const { path } of below(prefix)) if (path.endsWith(PARTIAL)) yield path.slice(0, -PARTIAL.length);
    },
    write: (path, content, options) => explained(folder, () => writeFile(folder, fileOf(path), content, options)),
    async *read(path, fromByte = 0) {
      const file = fileOf(path);
      if (!(await lstat(file).catch(() => undefined))?.isFile()) throw missing(folder);
      yield* createReadStream(file, { start: fromByte }) as AsyncIterable<Buffer>;
    },
    lockOf: async () => null,
    async remove(path) {
      const file = fileOf(path);
      await rm(file, { force: true });
      await rm(`${file}${PARTIAL}`, { force: true });
      if (dirname(file) !== folder) await rmdir(dirname(file)).catch(() => undefined);
    },
  };
};

/** Returns the files below a folder by a prefix. A link is no file here, because it may lead anywhere. */
async function* filesBelow(folder: string, at: string, prefix: string): AsyncGenerator<StoredObject> {
  const entries = await readdir(join(folder, at), { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw unreadable(folder, error);
  });
  for (const entry of entries) {
    const path = at === '' ? entry.name : `${at}/${entry.name}`;
    if (entry.isDirectory()) {
      if (path.startsWith(prefix) || prefix.startsWith(`${path}/`)) yield* filesBelow(folder, path, prefix);
    } else if (entry.isFile() && path.startsWith(prefix)) {
      const found = await stat(join(folder, path)).catch(() => undefined);
      if (found !== undefined) yield { path, bytes: found.size };
    }
  }
}

const writeFile = async (
  folder: string,
  file: string,
  content: ObjectContent,
  options: ObjectWriteOptions = {},
): Promise<void> => {
  createFolder(dirname(file), 0o700);
  await refuseLinkedFolder(folder, dirname(file));
  const draft = `${file}${PARTIAL}`;
  const found = await lstat(draft).catch(() => undefined);
  const there = found?.isFile() ? found.size : 0;
  if (found?.isSymbolicLink() || there > content.bytes) await rm(draft);
  await append(draft, content, options).catch(async (error: unknown) => {
    // The store may lie on this disk, and takes no writes while the disk is full.
    if (isDiskFull(error)) await rm(draft, { force: true });
    throw error;
  });
  // Reads the file back, because its beginning may come from an interrupted write of another content.
  if ((await digestFile(draft)).sha256 !== content.sha256) {
    await rm(draft, { force: true });
    if (there > 0) return writeFile(folder, file, content, options);
    throw changed();
  }
  await rename(draft, file);
  await syncFolders(dirname(file), dirname(folder));
};

/**
 * Syncs a folder and those above it, up to `top`: a new folder lasts through a crash of the machine only when its
 * parent is on disk, too.
 */
const syncFolders = async (from: string, top: string): Promise<void> => {
  for (let at = from; at !== top; at = dirname(at)) await syncPath(at);
  await syncPath(top).catch((error: NodeJS.ErrnoException) => {
    // A user who may not open the folder above has not made the place in it.
    if (error.code !== 'EACCES' && error.code !== 'EPERM') throw error;
  });
};

/** Rejects where a folder below the place of the objects is a link, which may lead anywhere. */
const refuseLinkedFolder = async (folder: string, parent: string): Promise<void> => {
  if ((await realpath(parent)) === join(await realpath(folder), relative(folder, parent))) return;
  throw new ServiceError('conflict', `${parent} is a link`, { hint: 'replace it by a folder, or remove it' });
};

/** Appends the part of the content that the file does not have yet. */
const append = async (draft: string, content: ObjectContent, options: ObjectWriteOptions): Promise<void> => {
  const file = await open(draft, APPEND_TO_DRAFT, 0o600);
  try {
    const { size } = await file.stat();
    let at = 0;
    for await (const chunk of content.read()) {
      options.signal?.throwIfAborted();
      at += chunk.length;
      if (at > size) await file.writeFile(chunk.subarray(Math.max(0, size - (at - chunk.length))));
      options.onProgress?.(at);
    }
    await file.sync();
  } finally {
    await file.close();
  }
};

const explained = async <T>(folder: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (isDiskFull(error)) {
      throw new ServiceError('unavailable', `the disk of ${folder} is full`, {
        hint: 'free space on it',
        cause: error,
      });
    }
    if (typeof code === 'string' && /^E[A-Z]+$/.test(code)) throw unreadable(folder, error as NodeJS.ErrnoException);
    throw error;
  }
};

const unreadable = (folder: string, cause: NodeJS.ErrnoException): ServiceError =>
  new ServiceError('unavailable', `the folder ${folder} cannot be used (${cause.code})`, {
    hint: 'check that its disk is mounted, and the owner and the permissions of the folder',
    cause,
  });

const missing = (folder: string): ServiceError =>
  new ServiceError('lookup', `a file is missing in ${folder}`, { hint: 'list what there is' });

const changed = (): ServiceError =>
  new ServiceError('conflict', 'a file changed while it was copied', { hint: 'try again' });
