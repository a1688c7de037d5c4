import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { shellQuote } from '../../kernel/command-api.ts';

/** The names under which users call the program. */
export const PROGRAM_NAMES: readonly string[] = ['fact-memory-node', 'svc'];

/** A started program: what the call of `startedAs` depends on. */
export interface Start {
  /** The absolute paths of the interpreter and of the script of this program. */
  readonly program: readonly string[];
  /** The path under which the script was called, such as that of a link in `node_modules/.bin`. */
  readonly called: string | undefined;
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns the words with which a person starts this program again in the same folder. They are its name where a shell
 * finds it, and `npx` where the folder has the package or a checkout. Elsewhere they are the paths of interpreter and
 * script. A program of that name that is not this one never counts. `--no` keeps `npx` from installing a package of a
 * stranger.
 */
export const startedAs = ({ program, called = '', folder, env }: Start): string => {
  const main = realPath(program.at(-1) ?? '');
  const bare = basename(called);
  const name = PROGRAM_NAMES.find((one) => one === bare) ?? 'fact-memory-node';
  const isOurs = (path: string): boolean => realPath(path) === main;
  if (shellFolders(env).some((at) => isOurs(join(at, name)) || (onWindows && existsSync(join(at, `${name}.cmd`))))) {
    return name;
  }
  const script = join('dist', 'config', 'main.js');
  const isHere = (at: string) =>
    isOurs(join(at, 'node_modules', 'fact-memory-node', script)) || isOurs(join(at, script));
  if (aboveOf(folder).some(isHere)) return `npx --no -- ${name}`;
  return program.map(shellQuote).join(' ');
};

const onWindows = process.platform === 'win32';

/** The folders in which a shell looks. Those that npm adds for the run of one command are left out. */
const shellFolders = (env: Start['env']): readonly string[] => {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const isByNpm = env['npm_execpath'] !== undefined;
  return folders.filter((folder) => !(isByNpm && basename(dirname(folder)) === 'node_modules'));
};

const aboveOf = (folder: string): readonly string[] =>
  dirname(folder) === folder ? [folder] : [folder, ...aboveOf(dirname(folder))];

const realPath = (path: string): string | undefined => {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
};

/** Spells the commands in a text of this program as the person has to type them. */
export const asTyped = (text: string, words: string): string =>
  words === 'fact-memory-node' ? text : text.replaceAll(COMMAND, (_, before: string) => `${before}${words} `);

const COMMAND = /(^|["\s])fact-memory-node (?=[a-z])/gm;

/** Returns the stream for hints and remarks, whose commands are written as the person has to type them. */
export const withTypedCommands = <S extends Writable>(stream: S, words: () => string): S =>
  new Proxy(stream, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'write') return value.bind(target);
      return (chunk: unknown, ...rest: readonly unknown[]): unknown =>
        value.call(target, typeof chunk === 'string' ? asTyped(chunk, words()) : chunk, ...rest);
    },
  });
