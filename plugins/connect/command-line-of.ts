import { resolve } from 'node:path';
import { shellQuote } from '../../kernel/command-api.ts';
import { maskUrls } from '../../kernel/internal-api.ts';
import { DEFAULT_KEY_VARIABLE, DEFAULT_SERVER_NAME } from './client-lines.ts';
import type { HookName, Place, Scope } from './clients/client.ts';

/** The program that a client starts, as a list of words. */
export interface ProgramWords {
  readonly program: readonly string[];
  /** Arguments that select the node: `--url …`, and the key file if there is one. */
  readonly node: readonly string[];
}

/**
 * Returns the program to write into a client's file. Files of a project are often committed, so they must not contain
 * paths of this machine.
 */
export const programOf = (scope: Scope, own: readonly string[], command: string | undefined): readonly string[] => {
  if (command !== undefined) return command.split(/\s+/).filter((word) => word !== '');
  return scope === 'project' ? ['fact-memory-node'] : own;
};

/** `more` holds further options of the hook. */
export const hookCommandLine = (
  { program, node }: ProgramWords,
  hook: HookName,
  client: string,
  more: readonly string[],
): string => [...program, 'hook', hook, '--client', client, ...more, ...node].map(quoted).join(' ');

/** Returns the options that select a place on the command line, with a space before them; empty for the user. */
export const placeWords = ({ scope, folder }: Place): string => {
  if (scope === 'user') return '';
  return ` --scope project${folder === resolve('.') ? '' : ` --folder ${quoted(folder)}`}`;
};

/** The parts of a connection that another run of `connect` has to name unless they are its defaults. */
interface ConnectionParts {
  readonly url: string | undefined;
  readonly name: string;
  readonly isHttp: boolean;
  readonly keyVariable: string | undefined;
}

/** Returns the options that make the same connection again, with a space before each. */
export const connectionWords = ({ url, name, isHttp, keyVariable }: ConnectionParts): string => {
  const options = [
    // An address with a secret in it must not be shown.
    ['--url', url === maskUrls(url ?? '') && url !== DEFAULT_URL ? url : undefined],
    ['--name', name === DEFAULT_SERVER_NAME ? undefined : name],
    ['--transport', isHttp ? 'http' : undefined],
    ['--key-variable', keyVariable === DEFAULT_KEY_VARIABLE ? undefined : keyVariable],
  ] as const;
  return options.map(([option, word]) => (word === undefined ? '' : ` ${option} ${quoted(word)}`)).join('');
};

const DEFAULT_URL = 'http://127.0.0.1:8765';

/** Uses double quotes, which the shells of all systems understand. */
const quoted = (word: string): string => {
  if (/^[\w@%+=:,.\\/-]+$/.test(word)) return word;
  return /["$`\\!]/.test(word) ? shellQuote(word) : `"${word}"`;
};
