import { join } from 'node:path';
import type { UserFolders } from '../user-folders.ts';
import type { Client } from './client.ts';
import { readServerMember, serverMember } from './json-entries.ts';

const GROUP = 'context_servers';

const ownFolder = ({ platform, home, config }: UserFolders): string =>
  platform === 'darwin' ? join(home, '.config', 'zed') : join(config, platform === 'win32' ? 'Zed' : 'zed');

/**
 * Formats: https://zed.dev/docs/ai/mcp and https://zed.dev/docs/worktree-trust. Zed inserts no variables into headers,
 * so an entry for HTTP would have to contain the key itself.
 */
export const zed: Client = {
  name: 'zed',
  title: 'Zed',
  scopes: ['user', 'project'],
  transports: ['stdio'],
  traces: (folders) => [ownFolder(folders)],
  serverFile: ({ scope, folder, folders }) =>
    join(scope === 'project' ? join(folder, '.zed') : ownFolder(folders), 'settings.json'),
  serverEdit: (name, entry) =>
    serverMember(GROUP, name, entry.transport === 'stdio' ? { command: entry.command, args: entry.args } : {}),
  readEntry: readServerMember(GROUP),
  remarks: [
    'Zed has no hooks: nothing is recalled or noted by itself. Ask its agent to recall.',
    'Zed starts a server of a project only after you have trusted the folder.',
  ],
};
