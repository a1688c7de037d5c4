import { rm } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { readSecretFile, replaceSecretFile } from '../../kernel/internal-api.ts';
import { type Random, sha256Hex } from '../../kernel/plugin-api.ts';

/** The file with a user's key for one node, in the user's own configuration folder. */
export interface KeyFile {
  /** Returns the key; undefined when there is no file. */
  read(): Promise<string | undefined>;
  /** Returns the path of the file, which only the user can read. */
  write(key: string, random: Random): Promise<string>;
  remove(): Promise<void>;
}

/**
 * Returns undefined when the environment names no folder of the user. Each key belongs to one address and is never sent
 * to another one.
 */
export const keyFileOf = (base: string, env: Readonly<Record<string, string | undefined>>): KeyFile | undefined => {
  const folder = configFolder(env);
  if (folder === undefined) return undefined;
  const { host, href } = new URL(base);
  const name = `${host.replaceAll(/[^A-Za-z0-9.-]/g, '_').slice(0, 100)}-${sha256Hex(href).slice(0, 16)}.key`;
  const path = join(folder, 'fact-memory-node', 'keys', name);
  return {
    read: () => readSecretFile(path),
    async write(key, random) {
      await replaceSecretFile(path, key, random);
      return path;
    },
    remove: () => rm(path, { force: true }),
  };
};

/** The XDG base directory specification forbids relative paths. */
const configFolder = (env: Readonly<Record<string, string | undefined>>): string | undefined => {
  const { XDG_CONFIG_HOME: named = '', APPDATA: appData = '', HOME: home = '' } = env;
  if (isAbsolute(named)) return named;
  if (isAbsolute(appData)) return appData;
  return isAbsolute(home) ? join(home, '.config') : undefined;
};
