import { CLIENTS } from './clients/all-clients.ts';
import type { Client, ServerEntry, TransportName } from './clients/client.ts';
import { applyJson } from './json-edit.ts';
import type { UserFolders } from './user-folders.ts';

export const DEFAULT_SERVER_NAME = 'fact-memory';
export const DEFAULT_KEY_VARIABLE = 'SVC_API_KEY';
const PROGRAM = 'fact-memory-node';

/** Stands for the address of the node in the lines, because each reader reaches the node by an address of their own. */
export const ADDRESS = '{address}';

/** The lines that connect one client, as the command `connect` writes them into an empty file, without comments. */
export interface ClientLines {
  readonly name: string;
  readonly title: string;
  readonly transport: TransportName;
  /** The command that writes the lines. */
  readonly command: string;
  /** The file of a user, on each system where it differs. */
  readonly files: readonly string[];
  readonly text: string;
  readonly remarks: readonly string[];
}

/** Returns the lines of every client: by address where the client can keep the key in a variable, or by a program. */
export const readClientLines = (): Promise<readonly ClientLines[]> => Promise.all(CLIENTS.map(linesOf));

const linesOf = async (client: Client): Promise<ClientLines> => {
  const { name, title, transports, remarks } = client;
  const transport = transports.includes('http') ? 'http' : 'stdio';
  const edit = client.serverEdit(DEFAULT_SERVER_NAME, entryOf(transport));
  // By hand, a table needs no comments that tell the command where it begins and ends.
  const text = edit.form === 'json' ? (await applyJson('', edit.changes)).text : `${edit.lines.join('\n')}\n`;
  const way = transport === 'http' ? ' --transport http' : '';
  return {
    name,
    title,
    transport,
    command: `${PROGRAM} connect ${name} --url ${ADDRESS}${way}`,
    files: [...new Set(SYSTEMS.map((folders) => fileOf(client, folders)))],
    text,
    remarks,
  };
};

const entryOf = (transport: TransportName): ServerEntry =>
  transport === 'http'
    ? { transport, url: `${ADDRESS}/v1/mcp`, keyVariable: DEFAULT_KEY_VARIABLE }
    : { transport, command: PROGRAM, args: ['mcp', '--url', ADDRESS] };

const fileOf = (client: Client, folders: UserFolders): string =>
  client.serverFile({ folders, scope: 'user', folder: '' }).replaceAll('\\', '/');

const folders = (platform: NodeJS.Platform, config: string): UserFolders => ({
  home: '~',
  config,
  own: config,
  cache: config,
  platform,
  env: {},
});

/** The folders of a user without settings of their own, on each system. */
const SYSTEMS = [folders('linux', '~/.config'), folders('darwin', '~/.config'), folders('win32', '%APPDATA%')];
