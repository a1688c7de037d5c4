import { isAbsolute, join } from 'node:path';
import type { TomlEdit } from '../config-edit.ts';
import { valueAt } from '../json-edit.ts';
import { readToml } from '../toml-edit.ts';
import type { UserFolders } from '../user-folders.ts';
import type { Client, ServerEntry } from './client.ts';
import { hookItems, writtenEntry } from './json-entries.ts';

const GROUP = 'mcp_servers';
/**
 * The timeouts in seconds. `Stop` runs after each turn, so that no prompt is lost when the user closes the terminal.
 */
const EVENTS = {
  'session-start': { event: 'SessionStart', timeout: 10 },
  prompt: { event: 'UserPromptSubmit', timeout: 5 },
  'session-end': { event: 'Stop', timeout: 10 },
} as const;

const ownFolder = ({ env, home }: UserFolders): string => {
  const named = env['CODEX_HOME'] ?? '';
  return isAbsolute(named) ? named : join(home, '.codex');
};

/** A JSON text without control characters is also a basic TOML string. */
const tomlText = (text: string): string => JSON.stringify(text);

const tableOf = (name: string, entry: ServerEntry): TomlEdit => ({
  form: 'toml',
  table: [GROUP, name],
  lines: [
    `[${GROUP}.${/^[\w-]+$/.test(name) ? name : tomlText(name)}]`,
    ...(entry.transport === 'stdio'
      ? [`command = ${tomlText(entry.command)}`, `args = [${entry.args.map(tomlText).join(', ')}]`]
      : [`url = ${tomlText(entry.url)}`, `bearer_token_env_var = ${tomlText(entry.keyVariable)}`]),
  ],
});

/** Formats: https://developers.openai.com/codex/mcp and https://developers.openai.com/codex/hooks */
export const codex: Client = {
  name: 'codex',
  title: 'Codex',
  scopes: ['user', 'project'],
  transports: ['stdio', 'http'],
  traces: (folders) => [ownFolder(folders)],
  serverFile: ({ scope, folder, folders }) =>
    join(scope === 'project' ? join(folder, '.codex') : ownFolder(folders), 'config.toml'),
  serverEdit: tableOf,
  readEntry: async (text, name) => writtenEntry(valueAt(await readToml(text), [GROUP, name])),
  hooks: {
    names: ['session-start', 'prompt', 'session-end'],
    file: ({ scope, folder, folders }) =>
      join(scope === 'project' ? join(folder, '.codex') : ownFolder(folders), 'hooks.json'),
    edit: (commandOf) => ({
      form: 'json',
      changes: hookItems(EVENTS, commandOf, (command, timeout) => ({
        hooks: [{ type: 'command', command, timeout }],
      })),
    }),
  },
  remarks: [
    'Codex runs new hooks only after you have trusted them: enter /hooks in Codex.',
    'Codex reads the files of a project only where you have trusted the project.',
  ],
};
