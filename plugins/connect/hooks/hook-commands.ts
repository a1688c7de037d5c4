import type { Readable, Writable } from 'node:stream';
import {
  type CommandGroup,
  type CommandServer,
  defineCommand,
  EXIT,
  type ServerPlace,
} from '../../../kernel/command-api.ts';
import { withinTime } from '../../../kernel/internal-api.ts';
import { type Clock, type Random, ServiceError } from '../../../kernel/plugin-api.ts';
import { CLIENT_NAMES, clientOf } from '../clients/all-clients.ts';
import { type UserFolders, userFolders } from '../user-folders.ts';
import { saidLength } from './fact-relevance.ts';
import { readHookInput } from './hook-input.ts';
import { readNotes, storeNotes } from './note-session.ts';
import { dropNotes, keepNotes, sendKeptNotes } from './pending-notes.ts';
import { readProject } from './project.ts';
import { type HookRun, type RecallWish, recallForSession } from './recall-for-session.ts';
import { forgetOldSessions, logHook, readState, saveState } from './session-state.ts';

const MAX_BUDGET = 8_000;
const MAX_QUERY_LENGTH = 2_000;
/** The minimum length of a prompt that triggers a recall. Shorter prompts are replies such as "go on". */
const MIN_PROMPT_LENGTH = 12;
/** Usual names of branches, which do not describe the work. */
const USUAL_BRANCHES: ReadonlySet<string> = new Set(['main', 'master', 'trunk', 'develop', 'dev']);

const COMMON_OPTIONS = {
  client: { type: 'text', value: 'name', of: CLIENT_NAMES, required: true, summary: 'whose hook it is' },
  url: { type: 'text', value: 'url', summary: 'base address of the node (SVC_URL)' },
  keyFile: { type: 'text', value: 'file', summary: 'file that holds the API key' },
} as const;

const budgetOption = (tokens: number, what: string) =>
  ({
    type: 'integer',
    value: 'tokens',
    unit: 'tokens',
    minimum: 0,
    maximum: MAX_BUDGET,
    default: tokens,
    summary: `how much of the memory ${what} may get; 0 for nothing`,
  }) as const;

const SHARE_NOTES = {
  type: 'flag',
  summary: 'recall the notes of every project, as one memory for everything',
} as const;

export const NOTE_AGENT = {
  type: 'text',
  value: 'word',
  of: ['agent'],
  summary: 'agent: also note what the agent concluded at the end of each turn',
} as const;

const limitOption = (ms: number) =>
  ({
    type: 'integer',
    value: 'ms',
    unit: 'milliseconds',
    minimum: 1,
    maximum: 600_000,
    default: ms,
    summary: 'how long it may take, without the start of this program',
  }) as const;

interface HookContext {
  readonly options: {
    readonly timeoutMs: number;
    readonly client: string;
    readonly url?: string | undefined;
    readonly keyFile?: string | undefined;
  };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly clock: Clock;
  readonly random: Random;
  openServer(place: ServerPlace): Promise<CommandServer>;
}

/**
 * Runs a hook so that the client never sees a failure. An error or a timeout becomes one line in a log file, with an
 * empty output and exit code 0.
 */
const failOpen = async (
  context: HookContext,
  hook: string,
  work: (run: HookRun) => Promise<string>,
): Promise<number> => {
  const { options, env, stdin, stdout, clock } = context;
  const { timeoutMs: limitMs } = options;
  let folders: UserFolders | undefined;
  let reached: CommandServer | undefined;
  const late = (): ServiceError => new ServiceError('unavailable', `it took longer than ${limitMs} ms`);
  try {
    folders = userFolders(env);
    const place = folders;
    const output = await withinTime(
      clock,
      limitMs,
      async () => {
        const input = await readHookInput(stdin);
        const project = await readProject(input.folder);
        if (project === undefined) return '';
        const server = await context.openServer({ url: options.url, keyFile: options.keyFile });
        const run = { input, project, folders: place, server: hasty(server, limitMs) };
        const text = await work(run);
        reached = run.server;
        return text;
      },
      late,
    );
    if (output !== '') stdout.write(output);
    const node = reached;
    if (node !== undefined) await withinTime(clock, limitMs, () => sendKeptNotes(node, place), late);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown';
    if (folders !== undefined) await logHook(folders, clock, `${hook} ${options.client}: ${why}`);
  }
  // Stops reading, because a client that keeps the input open would keep the process alive.
  stdin.destroy();
  return EXIT.ok;
};

/**
 * Returns the server with a time limit per request, because a late request would keep the process alive after the hook
 * has ended.
 */
const hasty = (server: CommandServer, timeoutMs: number): CommandServer => ({
  ...server,
  send: (request) => server.send({ timeoutMs, ...request }),
});

/** Recalls facts, and returns the output for the client. */
const recall = async (run: HookRun, wish: RecallWish, { options, random }: HookContext): Promise<string> => {
  const text = await recallForSession(run, wish, random);
  if (text === '') return '';
  const output =
    options.client === 'cursor'
      ? { additional_context: text }
      : { hookSpecificOutput: { hookEventName: wish.event, additionalContext: text } };
  return `${JSON.stringify(output)}\n`;
};

const plainQuery = (text: string): string => text.slice(0, MAX_QUERY_LENGTH).toWellFormed().replaceAll('\u0000', ' ');

const sessionStartCommand = defineCommand({
  name: 'session-start',
  summary: 'recall what matters for the project, when a session of a client begins',
  needs: 'nothing',
  options: {
    ...COMMON_OPTIONS,
    budget: budgetOption(1_500, 'the start of a session'),
    shareNotes: SHARE_NOTES,
    timeoutMs: limitOption(2_000),
  },
  run: (context) =>
    failOpen(context, 'session-start', async (run) => {
      await forgetOldSessions(run.folders);
      const { name, remote, branch = '' } = run.project;
      const parts = [name, remote, USUAL_BRANCHES.has(branch) ? '' : branch];
      const query = plainQuery(parts.filter(Boolean).join(' '));
      return recall(run, { event: 'SessionStart', query, ...context.options }, context);
    }),
});

const promptCommand = defineCommand({
  name: 'prompt',
  summary: 'recall what matters for a prompt, before a client sends it',
  needs: 'nothing',
  // A prompt may wait two seconds, and the start of the program takes a part of them.
  options: {
    ...COMMON_OPTIONS,
    budget: budgetOption(600, 'a prompt'),
    shareNotes: SHARE_NOTES,
    timeoutMs: limitOption(1_200),
  },
  run: (context) =>
    failOpen(context, 'prompt', async (run) => {
      const query = plainQuery(run.input.prompt.trim());
      const hooks = clientOf(context.options.client).hooks?.names ?? [];
      // A slash command is an instruction to the client, and some clients accept no text from a hook then.
      if (saidLength(query) < MIN_PROMPT_LENGTH || query.startsWith('/') || !hooks.includes('prompt')) return '';
      return recall(run, { event: 'UserPromptSubmit', query, ...context.options }, context);
    }),
});

const sessionEndCommand = defineCommand({
  name: 'session-end',
  summary: 'note what the user has said, when a session of a client ends',
  needs: 'nothing',
  // One client stops its hooks three seconds after the end of a session.
  options: {
    ...COMMON_OPTIONS,
    noNotes: { type: 'flag', summary: 'note nothing' },
    note: NOTE_AGENT,
    timeoutMs: limitOption(2_500),
  },
  run: (context) =>
    failOpen(context, 'session-end', async ({ input, project, folders, server }) => {
      if (context.options.noNotes) return '';
      const { env, clock, random } = context;
      const state = await readState(folders, input.session);
      const user = (env['USER'] ?? env['USERNAME'] ?? '').replaceAll(/[^\w.@-]/g, '') || 'unknown';
      const speakers = {
        person: `user:${user}`,
        agent: context.options.note === 'agent' ? `agent:${context.options.client}` : undefined,
      };
      const { facts, ids, masked } = await readNotes(input, project, speakers, new Set(state.noted));
      const kept = facts.length === 0 ? undefined : await keepNotes(facts, server, folders, context);
      const refused = await storeNotes(facts, server);
      await dropNotes(kept);
      await saveState(folders, input.session, { ...state, noted: [...state.noted, ...ids] }, random);
      const log = (what: string): Promise<void> =>
        logHook(folders, clock, `session-end ${context.options.client}: ${what}`);
      if (masked > 0) await log(`masked values that look like secrets: ${masked}`);
      if (refused > 0) await log(`notes that the node refused: ${refused}`);
      return '';
    }),
});

export const hookCommands: CommandGroup = {
  name: 'hook',
  topic: 'agents',
  summary: 'what editors and agents run by themselves; "connect" sets it up',
  description:
    'Reads the JSON of a client on standard input, and prints what the client is to read. Trouble is never shown to the ' +
    'client: it is one line in hooks.log of your cache folder. A folder with a file .fact-memory-ignore is left out.',
  commands: [sessionStartCommand, promptCommand, sessionEndCommand],
};
