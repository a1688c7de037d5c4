import { mkdirSync, statSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

const OTHERS_MAY_WRITE = 0o022;

/** The part of the module `node:module` that Node.js has since 22.8. */
interface CompileCache {
  enableCompileCache?(folder: string): unknown;
}

/**
 * Keeps the compiled code of the program in the cache folder of the user, so that later starts take a third less
 * processor time. Does nothing where Node.js cannot, or where the folder is not the user's own.
 */
export const keepCompiledCode = (
  env: Readonly<Record<string, string | undefined>>,
  { enableCompileCache }: CompileCache = module as CompileCache,
): void => {
  if (enableCompileCache === undefined) return;
  try {
    const folder = compiledCodeFolder(env);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (isOwn(folder)) enableCompileCache(folder);
  } catch {
    // The program starts without, for example under a user that has no home.
  }
};

const compiledCodeFolder = ({ XDG_CACHE_HOME: given = '' }: Readonly<Record<string, string | undefined>>): string =>
  join(isAbsolute(given) ? given : join(homedir(), '.cache'), 'fact-memory-node');

/** Node.js runs the code of this folder unchecked, so nobody else may write there. */
const isOwn = (folder: string): boolean => {
  // Windows has neither user ids nor these modes.
  if (process.getuid === undefined) return true;
  const { uid, mode } = statSync(folder);
  return uid === process.getuid() && (mode & OTHERS_MAY_WRITE) === 0;
};
