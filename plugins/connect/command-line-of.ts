import { shellQuote } from '../../kernel/plugin-api.ts';
import type { HookName, Scope } from './clients/client.ts';

/** What a client starts, as a list of words. */
export interface ProgramWords {
  readonly program: readonly string[];
  /** Words that name the node: `--url …`, and the file of the key where there is one. */
  readonly node: readonly string[];
}

/** Files of a project are often committed: nothing of this machine may stand in them. */
export const programOf = (scope: Scope, own: readonly string[], command: string | undefined): readonly string[] => {
  if (command !== undefined) return command.split(/\s+/).filter((word) => word !== '');
  return scope === 'project' ? ['fact-memory-node'] : own;
};

export const hookCommandLine = ({ program, node }: ProgramWords, hook: HookName, client: string): string =>
  [...program, 'hook', hook, '--client', client, ...node].map(quoted).join(' ');

/** Double quotes are understood by the shells of all systems. */
const quoted = (word: string): string => {
  if (/^[\w@%+=:,.\\/-]+$/.test(word)) return word;
  return /["$`\\!]/.test(word) ? shellQuote(word) : `"${word}"`;
};
