import { Readable, Writable } from 'node:stream';
import { runCommandLine } from '../../../adapters/cli/command-line.ts';
import type { CommandLineDeps } from '../../../adapters/cli/command-line-deps.ts';
import { createSystemClock } from '../../../adapters/clock/system-clock.ts';
import { createSystemRandom } from '../../../adapters/random/system-random.ts';
import { openTransport } from '../../../config/command-line-deps.ts';
import { loadCommands } from '../../../config/load-commands.ts';

import type { Clock } from '../../../ports/ports.ts';

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A simulated terminal with a user who answers prompts. */
export interface Terminal {
  readonly columns: number;
  /** The answers of the user to the prompts, in order. */
  readonly answers?: readonly string[];
}

class Collected extends Writable {
  text = '';
  readonly #onText: (text: string) => void;

  constructor(onText: (text: string) => void = () => {}, terminal: Terminal | undefined = undefined) {
    super();
    this.#onText = onText;
    if (terminal !== undefined) Object.assign(this, { isTTY: true, columns: terminal.columns, hasColors: () => true });
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: () => void): void {
    this.text += chunk.toString();
    this.#onText(chunk.toString());
    callback();
  }
}

/** Simulates a keyboard: types one answer for each prompt, and ends the input after the last one. */
const keyboardOf = (): Readable => Object.assign(new Readable({ read() {} }), { isTTY: true });

/** Names an address without a node, because the default address may have one of the person who runs the tests. */
const NO_NODE = { SVC_URL: 'http://127.0.0.1:1' };

/**
 * Runs a command in this process, with no terminal unless one is given. Without `deps.openNode` the command must not
 * need a node of its own.
 */
export const runInProcess = async (
  argv: readonly string[],
  deps: Partial<
    Pick<CommandLineDeps, 'env' | 'program' | 'loadCommands' | 'openNode' | 'inspectNode' | 'problemsOf'>
  > & {
    readonly input?: string;
    /** The terminal to use instead of pipes. */
    readonly terminal?: Terminal;
    readonly clock?: Clock;
    readonly openTransport?: CommandLineDeps['openTransport'];
    /** The program to run, in place of the whole command line. */
    readonly runProgram?: typeof runCommandLine;
    /** Receives each chunk of standard error as it is written. */
    readonly onStderr?: (text: string) => void;
  } = {},
): Promise<CommandResult> => {
  const { terminal } = deps;
  const stdout = new Collected(undefined, terminal);
  const stdin = terminal === undefined ? Readable.from([Buffer.from(deps.input ?? '')]) : keyboardOf();
  const answers = [...(terminal?.answers ?? [])];
  const stderr = new Collected((text) => {
    deps.onStderr?.(text);
    if (terminal === undefined) return;
    // Text that ends with a colon and a blank counts as a prompt.
    if (!text.endsWith(': ')) return;
    const answer = answers.shift();
    stdin.push(answer === undefined ? null : `${answer}\n`);
  }, terminal);
  const exitCode = await (deps.runProgram ?? runCommandLine)(argv, {
    version: '1.2.3',
    env: deps.env ?? NO_NODE,
    stdin,
    stdout,
    stderr,
    clock: deps.clock ?? createSystemClock(),
    random: createSystemRandom(),
    program: deps.program ?? ['/usr/bin/node', '/opt/fact-memory-node/main.js'],
    asTyped: (text) => text,
    openTransport: deps.openTransport ?? openTransport,
    loadCommands: deps.loadCommands ?? loadCommands,
    openNode: deps.openNode ?? (() => Promise.reject(new Error('no node here'))),
    inspectNode: deps.inspectNode ?? (() => Promise.reject(new Error('no node here'))),
    problemsOf: deps.problemsOf ?? (() => []),
  });
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
};
