import { fileURLToPath } from 'node:url';
import { asTyped, startedAs, withTypedCommands } from '../adapters/cli/called-as.ts';
import type { CommandLineDeps, OwnedCommand } from '../adapters/cli/command-line-deps.ts';
import { runClientCommand } from '../adapters/cli/run-client-command.ts';
import { createSystemClock } from '../adapters/clock/system-clock.ts';
import { createSystemRandom } from '../adapters/random/system-random.ts';
import { NODE_VERSION } from '../kernel/identity/node-version.ts';
import { runToEnd } from './run-to-end.ts';

/** Runs the command that the arguments of this process name, out of `commands`. */
export const runClient = (commands: readonly OwnedCommand[]): Promise<void> =>
  runToEnd(() => runClientCommand(process.argv.slice(2), commands, clientDeps(process)));

const clientDeps = (running: NodeJS.Process): CommandLineDeps => ({
  ...commonDeps(running),
  openTransport: noNode,
  loadCommands: noNode,
  openNode: noNode,
  inspectNode: noNode,
  problemsOf: () => [],
});

const noNode = (): Promise<never> => Promise.reject(new Error('a bundle of client commands holds no node'));

/** Returns the dependencies that the command line needs with and without a node. */
export const commonDeps = ({ env, stdin, stdout, stderr, execPath, argv, cwd }: NodeJS.Process) => {
  const program = [execPath, fileURLToPath(new URL('main.js', import.meta.url))];
  let found: string | undefined;
  const words = (): string => {
    found ??= startedAs({ program, called: argv[1], folder: cwd(), env });
    return found;
  };
  return {
    version: NODE_VERSION,
    env,
    stdin,
    stdout,
    stderr: withTypedCommands(stderr, words),
    clock: createSystemClock(),
    random: createSystemRandom(),
    program,
    asTyped: (text: string) => asTyped(text, words()),
  };
};
