import { chmod, lstat, mkdir, open, readFile, realpath, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, isAbsolute, relative } from 'node:path';
import { withDraft } from '../../kernel/internal-api.ts';
import { type Random, ServiceError } from '../../kernel/plugin-api.ts';

const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** The present state of a client's file. */
export interface ConfigFile {
  /** The path in the configuration of the client. */
  readonly path: string;
  /** The path after resolving symbolic links. */
  readonly realPath: string;
  /** Undefined if the file does not exist. */
  readonly text: string | undefined;
  /** Permission bits. For a missing file, the bits of a private file. */
  readonly mode: number;
}

/**
 * Reads a file before an edit. Follows a link only within `within`: a project of a stranger must not make a command
 * edit the user's other files. Throws `validation` for a file that cannot be edited.
 */
export const readConfigFile = async (path: string, within?: string): Promise<ConfigFile> => {
  const realPath = await followLinks(path);
  if (within !== undefined) await refuseOutside(realPath, path, within);
  const stats = await lstat(realPath).catch(missing);
  if (stats === undefined) return { path, realPath, text: undefined, mode: 0o600 };
  if (!stats.isFile()) throw new ServiceError('validation', `${path} is no file`);
  if (stats.size > MAX_FILE_BYTES) throw new ServiceError('validation', `${path} is larger than 16 MiB`);
  // A superuser could write the file nevertheless, but somebody has made it read-only on purpose.
  if ((stats.mode & 0o222) === 0) {
    throw new ServiceError('validation', `${path} is read-only`, { hint: 'make it writable, and run this again' });
  }
  return { path, realPath, text: decode(await readFile(realPath), path), mode: stats.mode & 0o777 };
};

const decode = (bytes: Uint8Array, path: string): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ServiceError('validation', `${path} is not in UTF-8`, {
      hint: 'save it as UTF-8, and run this again; nothing was changed',
    });
  }
};

const followLinks = async (path: string): Promise<string> => {
  const stats = await lstat(path).catch(missing);
  if (stats === undefined || !stats.isSymbolicLink()) return path;
  try {
    return await realpath(path);
  } catch {
    throw new ServiceError('validation', `${path} is a link to a file that is not there`, {
      hint: 'make the file, or remove the link, and run this again',
    });
  }
};

const refuseOutside = async (realPath: string, path: string, within: string): Promise<void> => {
  let folder = dirname(realPath);
  while ((await lstat(folder).catch(missing)) === undefined && folder !== dirname(folder)) folder = dirname(folder);
  const inside = relative(await realpath(within), await realpath(folder));
  if (!isAbsolute(inside) && !/^\.\.(?:[/\\]|$)/.test(inside)) return;
  throw new ServiceError('validation', `${path} leads out of the project folder`, {
    hint: 'put a file of its own into the place of the link',
  });
};

/**
 * Replaces the file completely or not at all. Returns the outermost folder that was created for it. Throws `conflict`
 * if the file has changed since it was read.
 */
export const replaceConfigFile = (
  { path, realPath, text: before, mode }: ConfigFile,
  text: string,
  random: Random,
): Promise<string | undefined> =>
  writeWholeFile(realPath, text, mode, random, () => refuseChanged(path, realPath, before));

/**
 * Writes the file completely or not at all, and creates its folders. `check` runs last, before the new file replaces
 * the old one.
 */
export const writeWholeFile = async (
  path: string,
  text: string,
  mode: number,
  random: Random,
  check: () => Promise<void> = async () => {},
): Promise<string | undefined> => {
  const madeFolder = await mkdir(dirname(path), { recursive: true });
  await withDraft(path, random, async (draft) => {
    const file = await open(draft, 'wx', mode);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await chmod(draft, mode);
    await check();
    await rename(draft, path);
  });
  return madeFolder;
};

const refuseChanged = async (path: string, realPath: string, before: string | undefined): Promise<void> => {
  const now = await readFile(realPath).then((bytes) => decode(bytes, path), missing);
  if (now === before) return;
  throw new ServiceError('conflict', `${path} was changed meanwhile`, { hint: 'run this again' });
};

/** Removes a file, and the empty folders around it up to `madeFolder`, the outermost folder that was created for it. */
export const removeConfigFile = async (realPath: string, madeFolder: string | undefined): Promise<void> => {
  await rm(realPath, { force: true });
  if (madeFolder === undefined) return;
  for (let folder = dirname(realPath); folder.startsWith(madeFolder); folder = dirname(folder)) {
    const isGone = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
};

const missing = (error: unknown): undefined => {
  const { code } = error as { readonly code?: unknown };
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
  throw error;
};
