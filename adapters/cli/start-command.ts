import { type Command, InvalidArgumentError } from 'commander';
import { EXIT } from '../../kernel/command-api.ts';
import type { GreetingPart } from '../../kernel/internal-api.ts';
import type { Logger } from '../../kernel/plugin-api.ts';
import type { CommandLineDeps, NodeHandle } from './command-line-deps.ts';
import { describeNode } from './describe-node.ts';
import { endGreeting, greetUntilRead } from './first-greeting.ts';
import { firstLines, greeting } from './greeting.ts';
import { leaveAddress, removeAddress } from './node-address.ts';
import { type StopSignal, stopSignal } from './stop-signal.ts';
import { widthOf } from './text-table.ts';
import { runWorkerPool } from './worker-pool.ts';
import { placeOfThisWorker, serveAsWorker, thisWorker } from './worker-process.ts';

interface StartOptions {
  readonly config?: string;
  readonly host?: string;
  readonly port?: string;
  readonly workers?: string;
  readonly print?: boolean;
}

export const addStartCommand = (program: Command, deps: CommandLineDeps, done: (exitCode: number) => void): void => {
  program
    .command('start')
    .summary('run the node')
    .description(
      'Runs the node until it is stopped with Ctrl-C or SIGTERM. The first start makes the store, generates an admin key ' +
        'and writes the key to a file.',
    )
    .option('--config <file>', 'configuration file')
    .option('--host <address>', 'address to listen on (SVC_HOST)')
    .option('--port <number>', 'port to listen on, 0 for a free one (SVC_PORT)', portNumber)
    .option('--workers <number>', 'processes behind the port, auto for one per processor (SVC_WORKERS)', workerCount)
    .option('--print', 'show plugins, settings, routes, hooks and tables, then exit')
    .addHelpText(
      'after',
      `
The log goes to standard error: readable lines on a terminal, JSON otherwise.
NO_COLOR turns colours off. Ctrl-C or SIGTERM lets running requests finish, for
10 seconds at most; a second one stops the node at once. A terminal that closes
sends SIGHUP, which does the same, under nohup too.

Exit codes: 0 the node stopped cleanly, 1 it could not start or was cut off.

Examples:
  fact-memory-node start
  fact-memory-node start --port 9000 --config node.json
  fact-memory-node start --workers auto
  fact-memory-node start --print`,
    )
    .action(async (options: StartOptions) => {
      done(options.print === true ? await print(options, deps) : await run(options, deps));
    });
};

export const addInitCommand = (program: Command, deps: CommandLineDeps, done: (exitCode: number) => void): void => {
  program
    .command('init')
    .summary('make the store and the first key without serving')
    .description('Does what the first start does, except serving. Doing it again changes nothing.')
    .option('--config <file>', 'configuration file')
    .addHelpText('after', '\nExample:\n  fact-memory-node init && fact-memory-node start')
    .action(async (options: StartOptions) => {
      const node = await deps.openNode({ configFile: options.config, env: deps.env, serve: false, createsStore: true });
      try {
        await node.start();
        deps.stdout.write(firstLines(node, await node.greet()));
      } finally {
        await node.stop();
      }
      done(EXIT.ok);
    });
};

const portNumber = (text: string): string => {
  if (/^[0-9]{1,5}$/.test(text) && Number(text) <= 65_535) return text;
  throw new InvalidArgumentError('It must be a whole number from 0 to 65535.');
};

const workerCount = (text: string): string => {
  if (text === 'auto' || /^[1-9][0-9]?$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a whole number of processes, or auto.');
};

/** Flags override environment variables, which override the file. */
const startEnv = (options: StartOptions, env: CommandLineDeps['env']): CommandLineDeps['env'] => ({
  ...env,
  ...(options.host === undefined ? {} : { SVC_HOST: options.host }),
  ...(options.port === undefined ? {} : { SVC_PORT: options.port }),
  ...(options.workers === undefined ? {} : { SVC_WORKERS: options.workers }),
});

const print = async (options: StartOptions, deps: CommandLineDeps): Promise<number> => {
  const env = startEnv(options, deps.env);
  const node = await deps.openNode({ configFile: options.config, env, serve: false, createsStore: false });
  deps.stdout.write(describeNode(await node.describe(), widthOf(deps.stdout)));
  return EXIT.ok;
};

const run = async (options: StartOptions, deps: CommandLineDeps): Promise<number> => {
  const worker = thisWorker();
  let log: Logger | undefined;
  // Listens from the start, because a signal must stop the node even during a long migration. A worker receives two
  // signals, one from the sender and one from its supervisor, so only the supervisor can recognise a second signal of
  // the sender.
  const signal = stopSignal({
    insisting: worker === undefined,
    onForced: (why) => log?.warn(`stopped at once, and what still ran was cut off: ${why}`),
  });
  const open = (): Promise<NodeHandle> =>
    deps.openNode({
      configFile: options.config,
      env: startEnv(options, deps.env),
      serve: true,
      createsStore: true,
      worker: placeOfThisWorker(),
    });
  try {
    if (worker !== undefined) return await serveAsWorker(worker, open, signal, deps.problemsOf);
    const node = await open();
    log = node.log;
    void signal.received.then((name) => {
      // Ends the line on which the terminal has echoed ^C. After SIGHUP the terminal is gone, and takes no text.
      if (name === 'SIGINT' && (deps.stderr as Partial<NodeJS.WriteStream>).isTTY === true) deps.stderr.write('\n');
      node.log.info(STOPPING);
    });
    const exitCode = node.settings.workers > 1 ? await supervise(node, deps, signal) : await serve(node, deps, signal);
    node.log.info('stopped');
    return exitCode;
  } finally {
    signal.dispose();
  }
};

const STOPPING = 'stopping: running requests have 10 s to finish; Ctrl-C again, or another signal, stops at once';

const serve = async (node: NodeHandle, deps: CommandLineDeps, signal: StopSignal): Promise<number> => {
  let url = '';
  let earlier: string | undefined;
  try {
    // A client that finds the node ready reads the first key, so its file must be there by then.
    await node.prepare();
    const parts = await greetUntilRead(node, deps.random);
    await node.start();
    url = node.url() ?? '';
    earlier = await tellCommands(node, url, deps);
    deps.stdout.write(greeting(node, url, parts));
    await endGreeting(node);
    await signal.received;
  } finally {
    await node.stop();
    await forgetAddress(node, url, earlier, deps);
  }
  return EXIT.ok;
};

/**
 * Saves the node's address for the commands of this folder. Without it, each command needs the address as an option.
 * Returns the address that it replaces.
 */
const tellCommands = (
  { settings, log }: NodeHandle,
  url: string,
  { random }: CommandLineDeps,
): Promise<string | undefined> =>
  leaveAddress(settings.dataFolder, url, random).catch((error: unknown) => {
    log.warn('commands of this folder must name the address of the node', { error });
    return undefined;
  });

const forgetAddress = (
  { settings, log }: NodeHandle,
  url: string,
  earlier: string | undefined,
  { random }: CommandLineDeps,
): Promise<void> =>
  removeAddress(settings.dataFolder, url, earlier, random).catch((error: unknown) => {
    log.warn('the file with the address of the node could not be removed', { error });
  });

/** Does the work of a first start once and closes the store, before the workers open it. */
const supervise = async (node: NodeHandle, deps: CommandLineDeps, signal: StopSignal): Promise<number> => {
  let parts: readonly GreetingPart[];
  try {
    await node.prepare();
    parts = await greetUntilRead(node, deps.random);
  } finally {
    await node.stop();
  }
  let served = '';
  let earlier: string | undefined;
  const { clean, failure } = await runWorkerPool({
    count: node.settings.workers,
    log: node.log,
    stop: signal.received,
    onServing: (url) => {
      served = url;
      void tellCommands(node, url, deps).then((replaced) => {
        earlier = replaced;
        deps.stdout.write(greeting(node, url, parts));
        return endGreeting(node);
      });
    },
  });
  await forgetAddress(node, served, earlier, deps);
  if (failure !== undefined) deps.stderr.write(failure);
  return clean ? EXIT.ok : EXIT.failed;
};
