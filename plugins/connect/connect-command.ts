import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type CommandContext, type CommandServer, defineCommand, EXIT } from '../../kernel/command-api.ts';
import { maskUrls } from '../../kernel/internal-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';
import { hasOwnKey, type KeyPlan, lookAtNode, makeKey, planKey } from './client-key.ts';
import { DEFAULT_KEY_VARIABLE, DEFAULT_SERVER_NAME } from './client-lines.ts';
import { CLIENT_NAMES, CLIENTS, clientOf, isInstalled } from './clients/all-clients.ts';
import {
  type Client,
  type HookName,
  hooksIn,
  type Place,
  type Scope,
  type ServerEntry,
  type TransportName,
} from './clients/client.ts';
import { hookCommandLine, placeWords, programOf } from './command-line-of.ts';
import type { ConfigEdit } from './config-edit.ts';
import { confirmed, showPlans } from './confirm-plans.ts';
import { type ConnectionRecord, type FileRecord, readRecord, readRecords, saveRecord } from './connection-record.ts';
import { NOTE_AGENT } from './hooks/hook-commands.ts';
import { keyOverHttp } from './key-over-http.ts';
import { carryOut, type FilePlan, isChange, planEdit, planUndo, recordOf } from './plan-files.ts';
import { type UserFolders, userFolders } from './user-folders.ts';

const ARGUMENTS = {
  client: { summary: `${CLIENT_NAMES.join(', ')}; without it they are listed`, optional: true },
} as const;

export const PLACE_OPTIONS = {
  scope: {
    type: 'text',
    value: 'word',
    of: ['user', 'project'],
    summary: 'user: all your projects; project: one folder',
    default: 'user',
  },
  folder: { type: 'text', value: 'folder', summary: 'the project, for --scope project', default: '.' },
} as const;

const OPTIONS = {
  ...PLACE_OPTIONS,
  dryRun: { type: 'flag', summary: 'show what would change in each file, and write nothing' },
  yes: { type: 'flag', summary: 'write without asking' },
  noHooks: { type: 'flag', summary: 'the tools alone: nothing is recalled or noted by itself' },
  shareNotes: { type: 'flag', summary: 'recall the notes of all your projects in each of them' },
  note: NOTE_AGENT,
  noNotes: { type: 'flag', summary: 'recall by itself, and note nothing at the end of a session' },
  transport: {
    type: 'text',
    value: 'word',
    of: ['stdio', 'http'],
    summary: 'how the client reaches the node',
    default: 'stdio',
  },
  keyVariable: {
    type: 'text',
    value: 'name',
    summary: 'variable that holds the key, for --transport http',
    default: DEFAULT_KEY_VARIABLE,
  },
  name: { type: 'text', value: 'name', summary: 'name of the server in the client', default: DEFAULT_SERVER_NAME },
  command: {
    type: 'text',
    value: 'line',
    summary: 'how the client starts this program, such as its absolute path',
  },
} as const;

type Context = CommandContext<typeof ARGUMENTS, typeof OPTIONS, 'server', Record<never, never>, undefined>;

export const connectCommand = defineCommand({
  name: 'connect',
  topic: 'agents',
  summary: 'connect an editor or an agent to a running node',
  description:
    'Writes the configuration of a client: the server of tools, and hooks that recall and note by themselves where the ' +
    'client has hooks. Shows what would change before anything is written.',
  notes: `A key of an administrator stays with you: with it the command makes a key for the
client, which may read and write. "disconnect" takes out what was written.`,
  examples: [
    'fact-memory-node connect',
    'fact-memory-node connect claude-code --key-file data/admin.key --dry-run',
    'fact-memory-node connect cursor --scope project --yes',
  ],
  needs: 'server',
  arguments: ARGUMENTS,
  options: OPTIONS,
  run: (context) => (context.arguments.client === undefined ? listClients(context) : connect(context)),
});

const listClients = async ({ env, stdout, table }: Context): Promise<void> => {
  const folders = userFolders(env);
  const records = await readRecords(folders);
  const rows = await Promise.all(
    CLIENTS.map(async (client) => [
      client.name,
      (await isInstalled(client, folders)) ? 'yes' : 'no',
      records
        .filter((record) => record.client === client.name)
        .map(nameOf)
        .join(', ') || 'no',
      client.transports.join(', '),
      client.hooks?.names.join(', ') ?? 'none',
    ]),
  );
  stdout.write(table([['client', 'found here', 'connected', 'transports', 'hooks'], ...rows], { titled: true }));
};

const nameOf = ({ scope, folder }: ConnectionRecord): string => (folder === null ? scope : folder);

const connect = async (context: Context): Promise<number> => {
  const { options, server, env, stdout, stderr } = context;
  const client = clientOf(context.arguments.client as string);
  const place = await readPlace(client, options, userFolders(env));
  const transport = readTransport(client, options.transport);
  const former = await readRecord(client.name, place);
  const { isDown, isRefused, caller } = await lookAtNode(server);
  if (isDown) stderr.write(`The node at ${maskUrls(server.url)} is down: no key is checked or made. ${START_FIRST}\n`);
  if (isRefused && (await hasOwnKey(server, keyFileOf(context), env))) {
    stderr.write(`The node at ${maskUrls(server.url)} refuses the key of this command. ${GIVE_GOOD}\n`);
  }
  const keyPlan = await planKey({ client, place, server, keyFile: keyFileOf(context), caller });
  const note = options.note ?? former?.note;
  const isShared = options.shareNotes || former?.shareNotes === true;
  const connection = { client, place, transport, former, keyPlan, shareNotes: isShared, note };
  let plans = await planConnection(context, connection);
  const isDone = !plans.some(isChange) && !(keyPlan.kind !== 'none' && keyPlan.make);
  if (isDone) {
    stdout.write(`${client.title} is connected already; nothing changes.\n`);
    return EXIT.ok;
  }
  showPlans(plans, stdout);
  tellKey(keyPlan, client, transport, context);
  const mayShare = hooksIn(client, place) !== undefined && !options.noHooks && !isShared;
  const answer = await confirmed(context, mayShare ? SHARING : undefined);
  if (answer === false) return options.dryRun ? EXIT.ok : EXIT.failed;
  if (answer === 'other') plans = await planConnection(context, { ...connection, shareNotes: true });
  const key = await makeKey(keyPlan, { client, server, place }, context.random);
  const name = readName(options.name);
  const shareNotes = isShared || answer === 'other';
  const common = { client: client.name, scope: place.scope, name, url: server.url, key, shareNotes, note };
  const folder = place.scope === 'project' ? place.folder : null;
  await write(plans, { ...common, folder, files: [] }, place.folders, context);
  const check = context.asTyped(`"fact-memory-node doctor ${client.name}${placeWords(place)}"`);
  stdout.write(`${client.title} is connected. ${check} checks the connection.\n`);
  if (transport === 'http') {
    const keyFile = key?.file ?? (keyPlan.kind === 'file' ? keyPlan.file : undefined);
    stderr.write(`${keyOverHttp(client, options.keyVariable, keyFile)}\n`);
  }
  for (const remark of client.remarks) stderr.write(`${remark}\n`);
  return EXIT.ok;
};

const START_FIRST = 'Start it, and run this command again.';
const GIVE_GOOD = 'Run it again with a key that is neither expired nor revoked, by --key-file or SVC_API_KEY.';

/**
 * By default, notes of a project are recalled only in that project. With this answer, all projects share their notes.
 */
const SHARING = { letter: 's', summary: 'yes, and share notes among all projects' } as const;

/** Reads the option for the key file. All commands for a running node share it, so this command does not declare it. */
const keyFileOf = ({ options }: Context): string | undefined => (options as { readonly keyFile?: string }).keyFile;

export const readPlace = async (
  client: Client,
  { scope, folder }: { readonly scope: string; readonly folder: string },
  folders: UserFolders,
): Promise<Place> => {
  const known = client.scopes.find((one) => one === scope);
  if (known === undefined) {
    throw new ServiceError('validation', `--scope must be ${client.scopes.join(' or ')} for ${client.name}`);
  }
  const path = resolve(folder);
  const isFolder = await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (known === 'project' && !isFolder) throw new ServiceError('lookup', `there is no folder ${path}`);
  return { folders, scope: known satisfies Scope, folder: path };
};

const readTransport = (client: Client, given: string): TransportName => {
  const known = client.transports.find((one) => one === given);
  if (known !== undefined) return known;
  throw new ServiceError('validation', `--transport must be ${client.transports.join(' or ')} for ${client.name}`);
};

const readName = (name: string): string => {
  if (/^[A-Za-z][\w-]{0,63}$/.test(name)) return name;
  throw new ServiceError('validation', '--name must be a letter, then at most 63 letters, digits, _ or -');
};

interface Connection {
  readonly client: Client;
  readonly place: Place;
  readonly transport: TransportName;
  readonly former: ConnectionRecord | undefined;
  readonly keyPlan: KeyPlan;
  readonly shareNotes: boolean;
  /** `agent` to also note the conclusions of the agent. */
  readonly note: string | undefined;
}

const planConnection = async ({ options, server, program }: Context, connection: Connection): Promise<FilePlan[]> => {
  const { client, place, transport, former, keyPlan, shareNotes, note } = connection;
  const within = place.scope === 'project' ? place.folder : undefined;
  const words = {
    program: programOf(place.scope, program, options.command),
    node: ['--url', server.url, ...(keyPlan.kind === 'file' ? ['--key-file', keyPlan.file] : [])],
  };
  const entry: ServerEntry =
    transport === 'stdio'
      ? { transport, command: words.program[0] ?? '', args: [...words.program.slice(1), 'mcp', ...words.node] }
      : { transport, url: mcpUrl(server), keyVariable: readVariable(options.keyVariable) };
  const edits: FileEdit[] = [
    { path: client.serverFile(place), edit: client.serverEdit(readName(options.name), entry), within },
  ];
  const hooks = hooksIn(client, place);
  if (hooks !== undefined && !options.noHooks) {
    const isWanted = (hook: HookName): boolean => hook !== 'session-end' || !options.noNotes;
    const ofRecall = shareNotes ? ['--share-notes'] : [];
    const ofNotes = note === undefined ? [] : ['--note', note];
    const more = (hook: HookName): readonly string[] => (hook === 'session-end' ? ofNotes : ofRecall);
    const commandOf = (hook: HookName) =>
      isWanted(hook) ? hookCommandLine(words, hook, client.name, more(hook)) : undefined;
    addEdit(edits, { path: hooks.file(place), edit: hooks.edit(commandOf), within });
  }
  const recorded = former?.files ?? [];
  const over = recorded.filter(({ path }) => !edits.some((edit) => edit.path === path));
  return Promise.all([
    ...edits.map((edit) =>
      planEdit(
        edit,
        recorded.find(({ path }) => path === edit.path),
      ),
    ),
    ...over.map((file) => planUndo(file, false, within)),
  ]);
};

interface FileEdit {
  readonly path: string;
  readonly edit: ConfigEdit;
  readonly within: string | undefined;
}

/** Merges the edits of one file, because a second plan would not contain the changes of the first one. */
const addEdit = (edits: FileEdit[], added: FileEdit): void => {
  const place = edits.findIndex(({ path }) => path === added.path);
  const first = edits[place];
  if (first?.edit.form !== 'json' || added.edit.form !== 'json') edits.push(added);
  else edits[place] = { ...first, edit: { form: 'json', changes: [...first.edit.changes, ...added.edit.changes] } };
};

const mcpUrl = ({ url }: CommandServer): string => `${url}/v1/mcp`;

const readVariable = (name: string): string => {
  if (/^[A-Za-z_]\w{0,127}$/.test(name)) return name;
  throw new ServiceError('validation', '--key-variable must be the name of a variable');
};

const tellKey = (plan: KeyPlan, { title }: Client, transport: TransportName, { options, stderr }: Context): void => {
  const making = options.dryRun ? 'would be made' : 'is made';
  if (plan.kind === 'none') stderr.write(`${title} gets no key: ${plan.why}.\n`);
  else if (plan.make) stderr.write(`A key ${making} for ${title}, which may read and write.\n`);
  else if (transport === 'http') return;
  else if (plan.kind === 'file') stderr.write(`${title} sends the key in ${plan.file}.\n`);
  else stderr.write(`${title} sends the key that you keep for this address.\n`);
};

const write = async (
  plans: readonly FilePlan[],
  record: ConnectionRecord,
  folders: UserFolders,
  { random }: Context,
): Promise<void> => {
  const files: FileRecord[] = [];
  for (const plan of plans) {
    const file = await recordOf(plan, folders, random);
    if (file !== undefined) files.push(file);
  }
  await saveRecord(folders, { ...record, files }, random);
  const made = new Map<string, string>();
  for (const plan of plans) {
    const madeFolder = await carryOut(plan, random);
    if (madeFolder !== undefined) made.set(plan.file.realPath, madeFolder);
  }
  if (made.size === 0) return;
  const withFolders = files.map((file) => ({ ...file, madeFolder: made.get(file.realPath) ?? file.madeFolder }));
  await saveRecord(folders, { ...record, files: withFolders }, random);
};
