import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

import { openOrdinaryFile, readPart } from '../../../kernel/internal-api.ts';

const MAX_LEVELS = 64;
const MAX_FILE_BYTES = 64 * 1024;
const MAX_URL_LENGTH = 2_048;
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
  const url = originOf(config);
  return {
    name,
    remote: url === undefined ? undefined : remoteName(url),
    branch: /^ref: refs\/heads\/(\S+)/.exec(head)?.[1],
  };
};

/** Reads the address of the remote `origin` in one pass, because a stranger may have written the configuration. */
const originOf = (config: string): string | undefined => {
  let isOrigin = false;
  for (const line of config.split('\n').map((one) => one.trim())) {
    if (line.startsWith('[')) isOrigin = line.startsWith('[remote "origin"]');
    const equals = line.indexOf('=');
    if (!isOrigin || equals < 0 || line.slice(0, equals).trimEnd() !== 'url') continue;
    return line.slice(equals + 1, equals + MAX_URL_LENGTH).trim();
  }
  return undefined;
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

/** The first bytes of a file; empty without an ordinary file. */
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
