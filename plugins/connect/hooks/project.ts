import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { openOrdinaryFile, readPart } from '../../../kernel/internal-api.ts';
import { sha256Hex } from '../../../kernel/plugin-api.ts';

const MAX_LEVELS = 64;
const MAX_FILE_BYTES = 64 * 1024;
const MAX_URL_LENGTH = 2_048;
const MAX_KEY_LENGTH = 200;
/** A folder with this file, and everything in it, is excluded from the memory. */
export const IGNORE_FILE = '.fact-memory-ignore';

/** The project in which the client runs. */
export interface Project {
  /**
   * Identifies the repository: the address of its remote, otherwise the path of its main checkout, otherwise the path
   * of the folder that the client named.
   */
  readonly key: string;
  /** The last part of the key, for people and for queries. */
  readonly name: string;
  /** Address of the remote without credentials, such as `github.com/acme/web`. */
  readonly remote: string | undefined;
  readonly branch: string | undefined;
}

/** Undefined if the folder is excluded from the memory. */
export const readProject = async (folder: string): Promise<Project | undefined> => {
  let root: string | undefined;
  let level = folder;
  for (let count = 0; count < MAX_LEVELS; count += 1) {
    if (await isThere(join(level, IGNORE_FILE))) return undefined;
    if (root === undefined && (await isThere(join(level, '.git')))) root = level;
    if (dirname(level) === level) break;
    level = dirname(level);
  }
  if (root === undefined) return { ...(await placeOf(folder)), remote: undefined, branch: undefined };
  const { common, own } = await gitFolders(root);
  const config = await readSome(join(common, 'config'));
  const head = await readSome(join(own, 'HEAD'));
  const url = remoteUrlOf(config);
  const remote = url === undefined ? undefined : remoteName(url);
  const branch = /^ref: refs\/heads\/(\S+)/.exec(head)?.[1];
  if (remote === undefined) return { ...(await placeOf(mainCheckout(root, common, own))), remote, branch };
  return { key: keyOf(remote.toLowerCase()), name: basename(remote), remote, branch };
};

/** Identifies a folder without a remote by its path, because many folders have the same name. */
const placeOf = async (folder: string): Promise<Pick<Project, 'key' | 'name'>> => {
  const path = await realpath(folder).catch(() => folder);
  return { key: keyOf(path), name: plainName(basename(path)) || 'root' };
};

/** Returns the main checkout of a worktree: the one that contains the common folder, or a bare repository itself. */
const mainCheckout = (root: string, common: string, own: string): string => {
  if (common === own) return root;
  return basename(common) === '.git' ? dirname(common) : common;
};

const keyOf = (text: string): string => {
  const plain = plainName(text);
  return plain.length <= MAX_KEY_LENGTH
    ? plain
    : `${plain.slice(0, MAX_KEY_LENGTH - 17)}~${sha256Hex(text).slice(0, 16)}`;
};

/**
 * Returns the address of the remote `origin`, otherwise that of the first remote. Reads in one pass, because a stranger
 * may have written the configuration.
 */
const remoteUrlOf = (config: string): string | undefined => {
  let remote: string | undefined;
  let first: string | undefined;
  for (const line of config.split('\n').map((one) => one.trim())) {
    if (line.startsWith('[')) remote = /^\[remote "([^"]*)"\]/i.exec(line)?.[1];
    const equals = line.indexOf('=');
    if (remote === undefined || equals < 0 || line.slice(0, equals).trimEnd().toLowerCase() !== 'url') continue;
    const url = line
      .slice(equals + 1, equals + MAX_URL_LENGTH)
      .trim()
      .replace(/^"([^"]*)".*$/, '$1');
    if (remote === 'origin') return url;
    first ??= url;
  }
  return first;
};

/**
 * Returns the common and the own Git folder. In a worktree, `.git` is a file with the path of its own folder, which
 * contains the path of the common one.
 */
const gitFolders = async (root: string): Promise<{ common: string; own: string }> => {
  const place = join(root, '.git');
  const named = /^gitdir: (.+)/.exec(await readSome(place))?.[1]?.trim();
  if (named === undefined) return { common: place, own: place };
  const own = resolve(root, named);
  const common = (await readSome(join(own, 'commondir'))).trim();
  return { own, common: common === '' ? own : resolve(own, common) };
};

/**
 * Converts `https://user:token@host/a/b.git`, `ssh://git@host:22/a/b` and `git@host:a/b.git` to `host/a/b`. Returns
 * undefined for a path of this machine.
 */
export const remoteName = (url: string): string | undefined => {
  // A host name of one letter is a Windows drive.
  const scp = /^(?:[^@/:]+@)?([\w.-]{2,}):(?!\/\/)(.+)$/.exec(url);
  const [host, path] =
    scp === null ? (/^\w[\w+.-]*:\/\/(?:[^@/]*@)?([^/?#]+)\/([^?#]*)/.exec(url) ?? []).slice(1) : scp.slice(1);
  if (host === undefined || path === undefined) return undefined;
  const plainHost = host.replace(/:(?:22|80|443|9418)$/, '');
  return plainName(`${plainHost}/${path.replace(/^\/+/, '').replace(/(?:\.git)?\/*$/, '')}`);
};

/** Removes control characters, which are not allowed in an entity. */
const plainName = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '')
    .trim();

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Returns the first bytes of a file; empty unless it is a regular file. */
const readSome = async (path: string): Promise<string> => {
  const file = await openOrdinaryFile(path).catch(() => undefined);
  if (file === undefined) return '';
  try {
    return (await readPart(file, 0, MAX_FILE_BYTES)).toString('utf8');
  } catch {
    return '';
  } finally {
    await file.close();
  }
};
