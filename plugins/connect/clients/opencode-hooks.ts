import { spawn } from 'node:child_process';

// OpenCode loads the compiled file alone, and a release copies it, so it may import only modules of Node.js.

type Hook = 'session-start' | 'prompt' | 'session-end';

/**
 * The command line of each hook. An absent hook is off. Without any command lines, the installed program runs all
 * hooks.
 */
type Commands = Readonly<Partial<Record<Hook, string>>>;

interface Part {
  readonly id: string;
  readonly type: string;
  readonly text?: string;
  readonly synthetic?: boolean;
  readonly ignored?: boolean;
}

interface Message {
  readonly info: { readonly role: string; readonly time: { readonly created: number } };
  readonly parts: readonly Part[];
}

type Reply<T> = Promise<{ readonly data?: T }>;
type Named = { readonly path: { readonly id: string } };

interface Host {
  readonly directory: string;
  readonly client: {
    readonly session: {
      get(session: Named): Reply<{ readonly parentID?: string }>;
      messages(session: Named): Reply<readonly Message[]>;
    };
  };
}

const DEFAULT_COMMANDS: Commands = {
  'session-start': 'fact-memory-node hook session-start --client opencode',
  prompt: 'fact-memory-node hook prompt --client opencode',
  'session-end': 'fact-memory-node hook session-end --client opencode',
};
const SERVER = { type: 'local', command: ['fact-memory-node', 'mcp'] };
/** The timeout in milliseconds for a command that ignores its own, shorter timeout. */
const MAX_RUN_MS = 60_000;
const MAX_MESSAGES = 400;

/** Returns the output; empty after any failure, because a hook never disturbs the client. */
const run = (line: string | undefined, input: Readonly<Record<string, string>>): Promise<string> =>
  new Promise((resolve) => {
    if (line === undefined) return resolve('');
    const child = spawn(line, { shell: true, stdio: ['pipe', 'pipe', 'ignore'], timeout: MAX_RUN_MS });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.on('error', () => resolve(''));
    child.on('close', () => resolve(output));
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify(input));
  });

const contextIn = (output: string): string => {
  try {
    return String(JSON.parse(output).hookSpecificOutput.additionalContext ?? '');
  } catch {
    return '';
  }
};

const isSaid = ({ type, synthetic, ignored }: Part): boolean => type === 'text' && !synthetic && !ignored;

const textOf = (parts: readonly Part[]): string =>
  parts
    .filter(isSaid)
    .map(({ text }) => text ?? '')
    .join('\n');

const lineOf = ({ info: { role, time }, parts }: Message): string =>
  JSON.stringify({ role, timestamp: new Date(time.created).toISOString(), content: textOf(parts) });

const server = async ({ directory, client }: Host, commands: Commands = DEFAULT_COMMANDS) => {
  const begun = new Set<string>();
  const ofPersons = new Map<string, Promise<boolean>>();
  /** Returns false for a session inside another one, because its prompts come from an agent. */
  const isOfPerson = (id: string): Promise<boolean> => {
    const known =
      ofPersons.get(id) ??
      client.session.get({ path: { id } }).then(
        ({ data }) => data !== undefined && data.parentID === undefined,
        () => false,
      );
    ofPersons.set(id, known);
    return known;
  };

  return {
    config: async (config: { mcp?: Record<string, unknown> }): Promise<void> => {
      // Also configures the tools for a user who has installed only this file.
      if (commands === DEFAULT_COMMANDS) config.mcp = { 'fact-memory': SERVER, ...config.mcp };
    },

    'chat.message': async (
      { sessionID }: { readonly sessionID: string },
      { message, parts }: { readonly message: { readonly id: string }; readonly parts: Part[] },
    ): Promise<void> => {
      const last = parts.at(-1);
      if (last === undefined || !(await isOfPerson(sessionID))) return;
      const input = { session_id: sessionID, cwd: directory, prompt: textOf(parts) };
      const isFirst = !begun.has(sessionID);
      begun.add(sessionID);
      const start = isFirst ? contextIn(await run(commands['session-start'], input)) : '';
      const recalled = [start, contextIn(await run(commands.prompt, input))].filter((one) => one !== '');
      if (recalled.length === 0) return;
      // OpenCode sorts the parts of a message by their ids.
      const place = { id: `${last.id}0`, sessionID, messageID: message.id };
      parts.push({ ...place, type: 'text', text: recalled.join('\n'), synthetic: true } satisfies Part & typeof place);
    },

    event: async ({ event }: { readonly event: { readonly type: string; readonly properties: unknown } }) => {
      if (event.type !== 'session.idle' || commands['session-end'] === undefined) return;
      const { sessionID: id } = event.properties as { readonly sessionID: string };
      if (!(await isOfPerson(id))) return;
      const { data = [] } = await client.session.messages({ path: { id } });
      const transcript = data.slice(-MAX_MESSAGES).map(lineOf).join('\n');
      await run(commands['session-end'], { session_id: id, cwd: directory, transcript });
    },
  };
};

/** OpenCode 1 calls `server`. OpenCode 2 has other hooks; without `setup` it would report a broken plugin. */
const opencodeHooks = { id: 'fact-memory', server, setup: async (): Promise<void> => {} };

// OpenCode reads only the default export.
export { opencodeHooks as default };
