import { resolve } from 'node:path';
import { shellQuote } from '../../kernel/command-api.ts';
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

/** Uses double quotes, which the shells of all systems understand. */
const quoted = (word: string): string => {
  if (/^[\w@%+=:,.\\/-]+$/.test(word)) return word;
  return /["$`\\!]/.test(word) ? shellQuote(word) : `"${word}"`;
};
