import { isAbsolute, join } from 'node:path';
import { ServiceError } from '../../kernel/plugin-api.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Folders of the user who runs a command. */
export interface UserFolders {
  readonly home: string;
  /** The folder for settings: `~/.config`, or `%APPDATA%`. */
  readonly config: string;
  /** Settings of this program. */
  readonly own: string;
  /** Files that may be deleted at any time. */
  readonly cache: string;
  readonly platform: NodeJS.Platform;
  readonly env: Env;
}

/** Reads the folders from the environment. Ignores relative paths. */
export const userFolders = (env: Env, platform: NodeJS.Platform = process.platform): UserFolders => {
  const home = [env['HOME'], env['USERPROFILE']].find((path) => path !== undefined && isAbsolute(path));
  if (home === undefined) {
    throw new ServiceError('unavailable', 'there is no folder of yours to write to', {
      hint: 'set HOME to the absolute path of your folder',
    });
  }
  const absolute = (name: string, fallback: string): string => {
    const path = env[name] ?? '';
    return isAbsolute(path) ? path : fallback;
  };
  const config = absolute('XDG_CONFIG_HOME', absolute('APPDATA', join(home, '.config')));
  const cache = absolute('XDG_CACHE_HOME', absolute('LOCALAPPDATA', join(home, '.cache')));
  const own = join(config, 'fact-memory-node');
  return { home, config, own, cache: join(cache, 'fact-memory-node'), platform, env };
};
