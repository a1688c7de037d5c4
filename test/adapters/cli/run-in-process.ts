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

class Collected extends Writable {
  text = '';
  readonly #onText: (text: string) => void;

  constructor(onText: (text: string) => void = () => {}) {
    super();
    this.#onText = onText;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: () => void): void {
    this.text += chunk.toString();
    this.#onText(chunk.toString());
    callback();
  }
}

/**
 * Runs a command in this process, with no terminal. Without `deps.openNode` the command must not need a node of its
 * own.
 */
export const runInProcess = async (
  argv: readonly string[],
  deps: Partial<Pick<CommandLineDeps, 'env' | 'loadCommands' | 'openNode' | 'inspectNode' | 'problemsOf'>> & {
    readonly input?: string;
    readonly clock?: Clock;
    readonly openTransport?: CommandLineDeps['openTransport'];
    /** Gets standard error as it comes. */
    readonly onStderr?: (text: string) => void;
  } = {},
): Promise<CommandResult> => {
  const stdout = new Collected();
  const stderr = new Collected(deps.onStderr);
  const exitCode = await runCommandLine(argv, {
    version: '1.2.3',
    env: deps.env ?? {},
    stdin: Readable.from([Buffer.from(deps.input ?? '')]),
    stdout,
    stderr,
    clock: deps.clock ?? createSystemClock(),
    random: createSystemRandom(),
    openTransport: deps.openTransport ?? openTransport,
    loadCommands: deps.loadCommands ?? loadCommands,
    openNode: deps.openNode ?? (() => Promise.reject(new Error('no node here'))),
    inspectNode: deps.inspectNode ?? (() => Promise.reject(new Error('no node here'))),
    problemsOf: deps.problemsOf ?? (() => []),
  });
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
};
