import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const runFile = promisify(execFile);

/** Matches the errors of npm when it can reach no registry and its cache lacks a package. */
export const NO_REGISTRY = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTCACHED|ENETUNREACH|E50\d|network/;

/** Creates an npm cache that links to the packages in the cache of the user, so that npx adds nothing to that cache. */
export const cacheBeside = async (place: string): Promise<string> => {
  const { stdout } = await runFile('npm', ['config', 'get', 'cache']);
  const cache = join(place, 'cache');
  mkdirSync(cache);
  const packages = join(stdout.trim(), '_cacache');
  if (existsSync(packages)) symlinkSync(packages, join(cache, '_cacache'), 'dir');
  return cache;
};
