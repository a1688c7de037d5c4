import { realpath, rm } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { readOrdinaryFile, readSecretFile, replaceSecretFile } from '../../kernel/internal-api.ts';
import { type Random, sha256Hex } from '../../kernel/plugin-api.ts';

const MAX_TEXT_BYTES = 64 * 1024;

export type Environment = Readonly<Record<string, string | undefined>>;

/** The file with a user's key for one node, in the user's own configuration folder. */
export interface KeyFile {
  /** Returns the key; undefined when there is no file. */
  read(): Promise<string | undefined>;
  /** Returns the path of the file, which only the user can read. */
  write(key: string, random: Random): Promise<string>;
  remove(): Promise<void>;
  /** Saves a text about the address in the folder of the key. */
  remember(name: string, text: string, random: Random): Promise<void>;
  remembered(name: string): Promise<string | undefined>;
}

/**
 * Returns undefined when the environment names no folder of the user. Each key belongs to one address and is never sent
 * to another one.
 */
export const keyFileOf = (base: string, env: Environment): KeyFile | undefined => {
  const folder = ownFolder(env);
  if (folder === undefined) return undefined;
  const { host } = new URL(base);
  const name = `${host.replaceAll(/[^A-Za-z0-9.-]/g, '_').slice(0, 100)}-${endOf(base)}`;
  const path = join(folder, 'keys', name);
  return {
    read: () => readSecretFile(path, ', or remove the file and sign in again with "fact-memory-node login"'),
    async write(key, random) {
      await replaceSecretFile(path, key, random);
      return path;
    },
    remove: () => rm(path, { force: true }),
    remember: (name, text, random) => replaceSecretFile(`${path}.${name}`, text, random),
    remembered: async (name) => (await readOrdinaryFile(`${path}.${name}`, MAX_TEXT_BYTES))?.toString('utf8').trim(),
  };
};

/** Returns the user's own folder of this program; undefined when the environment names none. */
export const ownFolder = (env: Environment): string | undefined => {
  const folder = configFolder(env);
  return folder === undefined ? undefined : join(folder, 'fact-memory-node');
};

/**
 * Returns true for a file of the user's own folder whose name belongs to another address, so that a planted command
 * line cannot carry such a key away.
 */
export const isKeyOfAnotherAddress = async (path: string, base: string, env: Environment): Promise<boolean> => {
  const folder = ownFolder(env);
  if (folder === undefined) return false;
  const own = await realPath(folder);
  const [kind, name = ''] = relative(own, await realPath(path)).split(sep);
  return (kind === 'keys' || kind === 'clients') && !name.endsWith(`-${endOf(base)}`);
};

const realPath = (path: string): Promise<string> => realpath(path).catch(() => resolve(path));

/** The end of a file's name, which binds the key in the file to an address. */
const endOf = (base: string): string => `${sha256Hex(base).slice(0, 16)}.key`;

/** The XDG base directory specification forbids relative paths. */
const configFolder = (env: Environment): string | undefined => {
  const { XDG_CONFIG_HOME: named = '', APPDATA: appData = '', HOME: home = '' } = env;
  if (isAbsolute(named)) return named;
  if (isAbsolute(appData)) return appData;
  return isAbsolute(home) ? join(home, '.config') : undefined;
};
