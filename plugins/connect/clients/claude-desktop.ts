import { join } from 'node:path';
import type { UserFolders } from '../user-folders.ts';
import type { Client } from './client.ts';
import { readServerMember, serverMember } from './json-entries.ts';

const GROUP = 'mcpServers';

const ownFolder = ({ platform, home, config }: UserFolders): string =>
  platform === 'darwin' ? join(home, 'Library', 'Application Support', 'Claude') : join(config, 'Claude');

/** Format: https://modelcontextprotocol.io/docs/develop/connect-local-servers */
export const claudeDesktop: Client = {
  name: 'claude-desktop',
  title: 'Claude Desktop',
  scopes: ['user'],
  transports: ['stdio'],
  traces: (folders) => [ownFolder(folders)],
  serverFile: ({ folders }) => join(ownFolder(folders), 'claude_desktop_config.json'),
  serverEdit: (name, entry) =>
    serverMember(GROUP, name, entry.transport === 'stdio' ? { command: entry.command, args: entry.args } : {}),
  readEntry: readServerMember(GROUP),
  remarks: [
    'Claude Desktop has no hooks: nothing is recalled or noted by itself. Ask it to recall, or choose a prompt of the server.',
    'Quit Claude Desktop and start it anew.',
  ],
};
