import { join } from 'node:path';
import type { Client } from './client.ts';
import { hookItems, readServerMember, serverMember } from './json-entries.ts';

const GROUP = 'mcpServers';
const EVENTS = { 'session-start': { event: 'sessionStart' }, 'session-end': { event: 'sessionEnd' } } as const;

/** Formats: https://cursor.com/docs/mcp and https://cursor.com/docs/hooks */
export const cursor: Client = {
  name: 'cursor',
  title: 'Cursor',
  scopes: ['user', 'project'],
  transports: ['stdio', 'http'],
  traces: ({ home }) => [join(home, '.cursor')],
  serverFile: ({ scope, folder, folders }) => join(scope === 'project' ? folder : folders.home, '.cursor', 'mcp.json'),
  serverEdit: (name, entry) =>
    serverMember(
      GROUP,
      name,
      entry.transport === 'stdio'
        ? { command: entry.command, args: entry.args }
        : { url: entry.url, headers: { Authorization: `Bearer \${env:${entry.keyVariable}}` } },
    ),
  readEntry: readServerMember(GROUP),
  hooks: {
    names: ['session-start', 'session-end'],
    file: ({ scope, folder, folders }) => join(scope === 'project' ? folder : folders.home, '.cursor', 'hooks.json'),
    edit: (commandOf) => ({
      form: 'json',
      changes: [
        { kind: 'member', path: ['version'], value: 1 },
        ...hookItems(EVENTS, commandOf, (command) => ({ command })),
      ],
    }),
  },
  remarks: [
    'Cursor has no hook that adds to a prompt: it recalls at the start of a session, and whenever it uses the tools.',
    'A Cursor that does not know the hooks sessionStart and sessionEnd reports them: update it, or add --no-hooks.',
  ],
};
