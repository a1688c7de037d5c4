import { isAbsolute, join } from 'node:path';
import type { UserFolders } from '../user-folders.ts';
import type { Client } from './client.ts';
import { hookItems, readServerMember, serverMember } from './json-entries.ts';

const GROUP = 'mcpServers';
/** The timeouts in seconds. All hooks at the end of a session share 1.5 s, unless one of them requests more. */
const EVENTS = {
  'session-start': { event: 'SessionStart', timeout: 10 },
  prompt: { event: 'UserPromptSubmit', timeout: 5 },
  'session-end': { event: 'SessionEnd', timeout: 10 },
} as const;

const namedFolder = ({ env }: UserFolders): string | undefined => {
  const named = env['CLAUDE_CONFIG_DIR'] ?? '';
  return isAbsolute(named) ? named : undefined;
};

/** Formats: https://code.claude.com/docs/en/mcp and https://code.claude.com/docs/en/hooks */
export const claudeCode: Client = {
  name: 'claude-code',
  title: 'Claude Code',
  scopes: ['user', 'project'],
  transports: ['stdio', 'http'],
  traces: (folders) => [namedFolder(folders) ?? join(folders.home, '.claude'), join(folders.home, '.claude.json')],
  serverFile: ({ scope, folder, folders }) =>
    scope === 'project' ? join(folder, '.mcp.json') : join(namedFolder(folders) ?? folders.home, '.claude.json'),
  serverEdit: (name, entry) =>
    serverMember(
      GROUP,
      name,
      entry.transport === 'stdio'
        ? { type: 'stdio', command: entry.command, args: entry.args }
        : { type: 'http', url: entry.url, headers: { Authorization: `Bearer \${${entry.keyVariable}}` } },
    ),
  readEntry: readServerMember(GROUP),
  hooks: {
    names: ['session-start', 'prompt', 'session-end'],
    // The local settings of a project are not committed to its repository.
    file: ({ scope, folder, folders }) =>
      scope === 'project'
        ? join(folder, '.claude', 'settings.local.json')
        : join(namedFolder(folders) ?? join(folders.home, '.claude'), 'settings.json'),
    edit: (commandOf) => ({
      form: 'json',
      changes: hookItems(EVENTS, commandOf, (command, timeout) => ({
        hooks: [{ type: 'command', command, timeout }],
      })),
    }),
  },
  remarks: ['Start Claude Code anew. It asks once whether it may use a server of a project.'],
};
