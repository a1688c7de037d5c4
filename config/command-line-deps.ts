import type { CommandLineDeps } from '../adapters/cli/command-line-deps.ts';
import { BootError } from '../kernel/problems/boot-problem.ts';
import { inspectNode } from './inspect-node.ts';
import { loadCommands } from './load-commands.ts';
import { openNode } from './open-node.ts';
import { commonDeps } from './run-client.ts';

/** Gives the command line its nodes, composed here and known to it only by its own interface. */
export const createCommandLineDeps = (running: NodeJS.Process): CommandLineDeps => ({
  ...commonDeps(running),
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
