import { open, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

const MAX_LEVELS = 64;
const MAX_FILE_BYTES = 64 * 1024;
/** A folder with this file, and everything in it, is excluded from the memory. */
export const IGNORE_FILE = '.fact-memory-ignore';

/** The project that is being worked on. */
export interface Project {
  /** The root folder of the git repository; otherwise the folder that the client named. */
  readonly name: string;
  /** Address of `origin` without credentials, such as `github.com/acme/web`. */
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
  const name = plainName(basename(root ?? folder)) || 'root';
  if (root === undefined) return { name, remote: undefined, branch: undefined };
  const { common, own } = await gitFolders(root);
  const config = await readSome(join(common, 'config'));
  const head = await readSome(join(own, 'HEAD'));
  const url = /\[remote "origin"\][^[]*?\n\s*url\s*=\s*(\S+)/.exec(config)?.[1];
  return {
    name,
    remote: url === undefined ? undefined : remoteName(url),
    branch: /^ref: refs\/heads\/(\S+)/.exec(head)?.[1],
  };
};

/** In a worktree, `.git` is a file that names its folder, which in turn names the common one. */
const gitFolders = async (root: string): Promise<{ common: string; own: string }> => {
  const place = join(root, '.git');
  const named = /^gitdir: (.+)/.exec(await readSome(place))?.[1]?.trim();
  if (named === undefined) return { common: place, own: place };
  const own = resolve(root, named);
  const common = (await readSome(join(own, 'commondir'))).trim();
  return { own, common: common === '' ? own : resolve(own, common) };
};

/** `https://user:token@host/a/b.git` and `git@host:a/b.git` both become `host/a/b`. */
export const remoteName = (url: string): string | undefined => {
  const scp = /^(?:[^@/:]+@)?([\w.-]+):(?!\/\/)(.+)$/.exec(url);
  const [host, path] =
    scp === null ? (/^\w[\w+.-]*:\/\/(?:[^@/]*@)?([^/?#]+)\/([^?#]*)/.exec(url) ?? []).slice(1) : scp.slice(1);
  if (host === undefined || path === undefined) return undefined;
  return plainName(`${host}/${path.replace(/^\/+/, '').replace(/(?:\.git)?\/*$/, '')}`);
};

/** Removes control characters, and cuts the name to a sensible length. */
const plainName = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, 200);

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** The first bytes of a file; empty without a file. */
const readSome = async (path: string): Promise<string> => {
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return '';
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_FILE_BYTES), 0, MAX_FILE_BYTES, 0);
    return buffer.subarray(0, bytesRead).toString('utf8');
  } catch {
    return '';
  } finally {
    await file.close();
  }
};
