import { isAbsolute, join } from 'node:path';
import type { UserFolders } from '../user-folders.ts';
import type { Client, Place } from './client.ts';
import { hookItems, readServerMember, serverMember } from './json-entries.ts';

const GROUP = 'mcpServers';
/**
 * The timeouts in milliseconds. Gemini CLI does not wait for a hook of its event SessionEnd, so notes are stored after
 * each turn.
 */
const EVENTS = {
  'session-start': { event: 'SessionStart', timeout: 10_000 },
  prompt: { event: 'BeforeAgent', timeout: 5_000 },
  'session-end': { event: 'AfterAgent', timeout: 10_000 },
} as const;

const ownFolder = ({ env, home }: UserFolders): string => {
  const named = env['GEMINI_CLI_HOME'] ?? '';
  return join(isAbsolute(named) ? named : home, '.gemini');
};

const settingsFile = ({ scope, folder, folders }: Place): string =>
  join(scope === 'project' ? join(folder, '.gemini') : ownFolder(folders), 'settings.json');

/**
 * Formats of version 0.61: https://geminicli.com/docs/tools/mcp-server and https://geminicli.com/docs/hooks/reference
 */
export const geminiCli: Client = {
  name: 'gemini-cli',
  title: 'Gemini CLI',
  scopes: ['user', 'project'],
  transports: ['stdio', 'http'],
  traces: (folders) => [ownFolder(folders)],
  serverFile: settingsFile,
  serverEdit: (name, entry) =>
    serverMember(
      GROUP,
      name,
      entry.transport === 'stdio'
        ? { command: entry.command, args: entry.args }
        : { httpUrl: entry.url, headers: { Authorization: `Bearer \${${entry.keyVariable}}` } },
    ),
  readEntry: readServerMember(GROUP),
  hooks: {
    names: ['session-start', 'prompt', 'session-end'],
    file: settingsFile,
    edit: (commandOf) => ({
      form: 'json',
      changes: hookItems(EVENTS, commandOf, (command, timeout) => ({
        hooks: [{ name: 'fact-memory', type: 'command', command, timeout }],
      })),
    }),
  },
  remarks: [
    'Gemini CLI hides variables such as SVC_API_KEY from servers: in a project, "fact-memory-node login" keeps the key.',
    'Gemini CLI reads the file of a project, and runs its hooks, only in a folder that you trust.',
  ],
};
