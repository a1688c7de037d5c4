import { join } from 'node:path';
import type { UserFolders } from '../user-folders.ts';
import type { Client } from './client.ts';
import { hookItems, readServerMember, serverMember } from './json-entries.ts';

const GROUP = 'servers';
/** The timeouts in seconds. */
const EVENTS = {
  'session-start': { event: 'SessionStart', timeout: 10 },
  'session-end': { event: 'Stop', timeout: 10 },
} as const;

/** The folder of the default profile. */
const profileFolder = ({ platform, home, config }: UserFolders): string =>
  platform === 'darwin' ? join(home, 'Library', 'Application Support', 'Code', 'User') : join(config, 'Code', 'User');

/**
 * Formats: https://code.visualstudio.com/docs/copilot/reference/mcp-configuration and
 * https://code.visualstudio.com/docs/agent-customization/hooks
 */
export const vscode: Client = {
  name: 'vscode',
  title: 'VS Code',
  scopes: ['user', 'project'],
  transports: ['stdio', 'http'],
  asksForKey: true,
  traces: (folders) => [profileFolder(folders)],
  serverFile: ({ scope, folder, folders }) =>
    scope === 'project' ? join(folder, '.vscode', 'mcp.json') : join(profileFolder(folders), 'mcp.json'),
  serverEdit: (name, entry) => {
    if (entry.transport === 'stdio') {
      return serverMember(GROUP, name, { type: 'stdio', command: entry.command, args: entry.args });
    }
    const id = `${name}-key`;
    const headers = { Authorization: `Bearer \${input:${id}}` };
    const input = { type: 'promptString', id, description: `API key for ${entry.url}`, password: true };
    return {
      form: 'json',
      changes: [
        { kind: 'item', path: ['inputs'], value: input, marker: `"${id}"` },
        { kind: 'member', path: [GROUP, name], value: { type: 'http', url: entry.url, headers } },
      ],
    };
  },
  readEntry: readServerMember(GROUP),
  hooks: {
    names: ['session-start', 'session-end'],
    file: ({ scope, folder, folders }) =>
      scope === 'project'
        ? join(folder, '.github', 'hooks', 'fact-memory.json')
        : join(folders.home, '.copilot', 'hooks', 'fact-memory.json'),
    edit: (commandOf) => ({
      form: 'json',
      changes: hookItems(EVENTS, commandOf, (command, timeout) => ({ type: 'command', command, timeout })),
    }),
  },
  remarks: [
    'Hooks of VS Code are a preview, and none of them adds to a prompt: it recalls at the start of a session.',
    'VS Code asks once whether it may start the server.',
  ],
};
