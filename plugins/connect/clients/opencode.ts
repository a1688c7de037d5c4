import { isAbsolute, join } from 'node:path';
import type { UserFolders } from '../user-folders.ts';
import type { Client, HookName, Place } from './client.ts';
import { readServerMember, serverMember } from './json-entries.ts';

const GROUP = 'mcp';
const HOOKS: readonly HookName[] = ['session-start', 'prompt', 'session-end'];
/** OpenCode runs modules as hooks instead of commands. This module runs our commands. */
const HOOKS_FILE = 'opencode-hooks.js';

/** OpenCode uses this folder on every system, even where other programs store settings elsewhere. */
const ownFolder = ({ env, home }: UserFolders): string => {
  const named = env['XDG_CONFIG_HOME'] ?? '';
  return join(isAbsolute(named) ? named : join(home, '.config'), 'opencode');
};

const configFile = ({ scope, folder, folders }: Place): string =>
  join(scope === 'project' ? folder : ownFolder(folders), 'opencode.json');

/**
 * Formats of version 1.18, which version 2 reads too: https://opencode.ai/v1/docs/mcp-servers and
 * https://opencode.ai/v1/docs/plugins
 */
export const opencode: Client = {
  name: 'opencode',
  title: 'OpenCode',
  scopes: ['user', 'project'],
  transports: ['stdio', 'http'],
  traces: (folders) => [ownFolder(folders)],
  serverFile: configFile,
  serverEdit: (name, entry) =>
    serverMember(
      GROUP,
      name,
      entry.transport === 'stdio'
        ? { type: 'local', command: [entry.command, ...entry.args] }
        : {
            type: 'remote',
            url: entry.url,
            headers: { Authorization: `Bearer {env:${entry.keyVariable}}` },
            oauth: false,
          },
    ),
  readEntry: readServerMember(GROUP),
  hooks: {
    names: HOOKS,
    // The entry contains a path of this machine, so it must not be in the shared files of a project.
    scopes: ['user'],
    file: configFile,
    edit: (commandOf) => {
      const commands = Object.fromEntries(HOOKS.flatMap((hook) => [[hook, commandOf(hook)]]).filter(([, one]) => one));
      const value = [new URL(`./${HOOKS_FILE}`, import.meta.url).href, commands];
      return { form: 'json', changes: [{ kind: 'item', path: ['plugin'], value, marker: HOOKS_FILE }] };
    },
  },
  remarks: [
    'Start OpenCode anew. Its version 2 runs no hooks of version 1: there, ask it to recall.',
    'For hooks in one project alone, put the OpenCode plugin of a release into its folder .opencode/plugins.',
  ],
};
