import { rm } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { type Random, readSecretFile, replaceSecretFile, sha256Hex } from '../../kernel/plugin-api.ts';

/** The key that its user has for one node, in the user's own folder. */
export interface KeptKey {
  /** Undefined where there is none. */
  read(): Promise<string | undefined>;
  /** Returns the path of the file, which only the user may read. */
  keep(key: string, random: Random): Promise<string>;
  forget(): Promise<void>;
}

/** Undefined where the environment names no folder of the user. A key is for one address, and never sent to another. */
export const keptKeyOf = (base: string, env: Readonly<Record<string, string | undefined>>): KeptKey | undefined => {
  const folder = configFolder(env);
  if (folder === undefined) return undefined;
  const { host, href } = new URL(base);
  const name = `${host.replaceAll(/[^A-Za-z0-9.-]/g, '_').slice(0, 100)}-${sha256Hex(href).slice(0, 16)}.key`;
  const path = join(folder, 'fact-memory-node', 'keys', name);
  return {
    read: () => readSecretFile(path),
    async keep(key, random) {
      await replaceSecretFile(path, key, random);
      return path;
    },
    forget: () => rm(path, { force: true }),
  };
};

/** As the XDG base directory specification has it: a relative path is not to be used. */
const configFolder = (env: Readonly<Record<string, string | undefined>>): string | undefined => {
  const { XDG_CONFIG_HOME: named = '', APPDATA: appData = '', HOME: home = '' } = env;
  if (isAbsolute(named)) return named;
  if (isAbsolute(appData)) return appData;
  return isAbsolute(home) ? join(home, '.config') : undefined;
};
