import { fileURLToPath } from 'node:url';
import type { CommandLineDeps } from '../adapters/cli/command-line-deps.ts';
import { createSystemClock } from '../adapters/clock/system-clock.ts';
import { createSystemRandom } from '../adapters/random/system-random.ts';
import { NODE_VERSION } from '../kernel/identity/node-version.ts';
import { BootError } from '../kernel/problems/boot-problem.ts';
import { inspectNode } from './inspect-node.ts';
import { loadCommands } from './load-commands.ts';
import { openNode } from './open-node.ts';

/** Gives the command line its nodes, composed here and known to it only by its own interface. */
export const createCommandLineDeps = ({ env, stdin, stdout, stderr }: NodeJS.Process): CommandLineDeps => ({
  version: NODE_VERSION,
  env,
  stdin,
  stdout,
  stderr,
  clock: createSystemClock(),
  random: createSystemRandom(),
  program: [process.execPath, fileURLToPath(new URL('main.js', import.meta.url))],
  openTransport,
  loadCommands,
  openNode,
  inspectNode,
  problemsOf: (error) => (error instanceof BootError ? error.problems : []),
});

/** Loaded by the few commands that need it. */
export const openTransport: CommandLineDeps['openTransport'] = async () => {
  const { createKoaTransport } = await import('../adapters/koa/koa-transport.ts');
  return createKoaTransport({
    host: '127.0.0.1',
    port: 0,
    corsAllowedOrigins: [],
    corsDevLocalhost: false,
    // The command itself reports failures.
    report: () => {},
  });
};
