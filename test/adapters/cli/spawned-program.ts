import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { leaveAddress, removeAddress } from '../../../adapters/cli/node-address.ts';
import { createSystemRandom } from '../../../adapters/random/system-random.ts';
import { createNode, type Node } from '../../../config/create-node.ts';
import { inspectNode } from '../../../config/inspect-node.ts';
import { openNode } from '../../../config/open-node.ts';
import { BootError } from '../../../kernel/problems/boot-problem.ts';
import { createMemoryLogger } from '../../fakes/memory-logger.ts';
import { quietBilling } from '../../fakes/quiet-billing.ts';
import { servedAddress } from '../../kit/served-address.ts';
import { type CommandResult, runInProcess } from './run-in-process.ts';

/** The file of this build's program. */
export const MAIN = fileURLToPath(new URL('../../../config/main.js', import.meta.url));

export type Variables = Readonly<Record<string, string>>;

/** A node that serves, in this process or in one of its own. */
export interface ServingNode {
  readonly url: string;
  /** Stops the node as SIGTERM would. May be called several times. */
  end(): Promise<unknown>;
}

/** A running node, started as a user would. */
export interface RunningProgram extends ServingNode {
  /** The output of the node until it began to serve requests. */
  readonly greeting: string;
  readonly child: ChildProcess;
  /** Sends the signal and waits until the process ends. */
  end(signal?: NodeJS.Signals): Promise<CommandResult>;
}

/** A node in this process. Forgets the node when it ends, because the driver closes files of what nobody holds. */
class NodeHere implements ServingNode {
  readonly url: string;
  #node: Node | undefined;

  private constructor(node: Node, url: string) {
    this.#node = node;
    this.url = url;
  }

  get isEnded(): boolean {
    return this.#node === undefined;
  }

  /** Leaves the address of the node for commands, and the first key of a new store, as the command "start" does. */
  static async start(node: Node): Promise<NodeHere> {
    try {
      const { url } = await node.start();
      await leaveAddress(node.settings.dataFolder, url, createSystemRandom());
      await node.kernel.greet();
      return new NodeHere(node, url);
    } catch (error) {
      await node.stop();
      throw error;
    }
  }

  async end(): Promise<void> {
    const node = this.#node;
    if (node === undefined) return;
    this.#node = undefined;
    await node.stop();
    await removeAddress(node.settings.dataFolder, this.url, undefined, createSystemRandom());
  }
}

/** Runs the built program in a folder of its own, and removes everything on `dispose`. */
export class Workplace {
  readonly folder = mkdtempSync(join(tmpdir(), 'command-line-'));
  readonly #children: ChildProcess[] = [];
  readonly #serving: NodeHere[] = [];
  readonly #main: string;

  /** `main` is the program to run in processes of its own; by default that of this build. */
  constructor({ main = MAIN }: { readonly main?: string } = {}) {
    this.#main = main;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /**
   * Runs a command to its end in this process, because loading the program takes longer than most commands. Use
   * `runApart` to test behaviour of a separate process.
   */
  async run(argv: readonly string[], env: Variables = {}, input = ''): Promise<CommandResult> {
    return this.#inFolder(() =>
      runInProcess(argv, {
        env: { PATH: process.env['PATH'] ?? '', ...env },
        input,
        program: [process.execPath, MAIN],
        openNode,
        inspectNode,
        problemsOf: (error) => (error instanceof BootError ? error.problems : []),
      }),
    );
  }

  /** Starts a node in this process, on a free port unless `env` names one. It prints nothing. */
  async serve(configFile?: string, env: Variables = {}): Promise<ServingNode> {
    return this.#inFolder(async () => {
      const node = await createNode({
        configFile,
        env: { PATH: process.env['PATH'] ?? '', SVC_PORT: '0', ...this.#ownPlace(env), ...env },
        adapters: { log: createMemoryLogger([]), extras: [quietBilling] },
      });
      const serving = await NodeHere.start(node);
      this.#serving.push(serving);
      return serving;
    });
  }

  /** Runs a command to its end in a separate process, as a user would. */
  async runApart(argv: readonly string[], env: Variables = {}, input = ''): Promise<CommandResult> {
    const child = this.#spawn(argv, env);
    child.stdin?.on('error', () => {}).end(input);
    return resultOf(child);
  }

  /**
   * Runs a command that kills itself as it writes this text to its standard error, so that no speed decides when.
   * Rejects with its output if it ends in any other way.
   */
  killAtText(argv: readonly string[], output: string, env: Variables = {}): Promise<void> {
    const preload = `const { write } = process.stderr;
      process.stderr.write = (...given) => {
        if (String(given[0]).includes(${JSON.stringify(output)})) process.kill(process.pid, 'SIGKILL');
        return write.apply(process.stderr, given);
      };`;
    return this.#kill(argv, preload, `it wrote "${output}"`, env);
  }

  /** Runs a command that kills itself when a draft has just got this name. Rejects as `killAtText` does. */
  killAtFile(argv: readonly string[], name: string, env: Variables = {}): Promise<void> {
    const preload = `import promises from 'node:fs/promises';
      import { syncBuiltinESMExports } from 'node:module';
      const { link } = promises;
      promises.link = async (draft, path) => {
        await link(draft, path);
        if (String(path).endsWith(${JSON.stringify(name)})) process.kill(process.pid, 'SIGKILL');
      };
      syncBuiltinESMExports();`;
    return this.#kill(argv, preload, `the file ${name} appeared`, env);
  }

  /** Runs a command, and kills it right after it has replaced the file of this name for the given time. */
  killAtReplacement(argv: readonly string[], name: string, time: number, env: Variables = {}): Promise<void> {
    const preload = `import promises from 'node:fs/promises';
      import { syncBuiltinESMExports } from 'node:module';
      const { rename } = promises;
      let times = 0;
      promises.rename = async (draft, path) => {
        await rename(draft, path);
        times += String(path).endsWith(${JSON.stringify(`/${name}`)}) ? 1 : 0;
        if (times === ${time}) process.kill(process.pid, 'SIGKILL');
      };
      syncBuiltinESMExports();`;
    return this.#kill(argv, preload, `the file ${name} was replaced`, env);
  }

  async #kill(argv: readonly string[], preload: string, moment: string, env: Variables): Promise<void> {
    const flag = `--import=data:text/javascript,${encodeURIComponent(preload)}`;
    const child = this.#spawn(argv, { ...env, NODE_OPTIONS: flag });
    const { stderr } = await resultOf(child);
    if (child.signalCode !== 'SIGKILL') throw new Error(`the command ended before ${moment}: ${stderr}`);
  }

  /** Starts a node on a free port and waits until it serves requests. Rejects with its output when it exits before. */
  async start(argv: readonly string[] = [], env: Variables = {}): Promise<RunningProgram> {
    const child = this.#spawn(['start', ...argv], { SVC_PORT: '0', ...env });
    const result = resultOf(child);
    const ended = result.then(({ stderr }) => Promise.reject(new Error(`the node ended: ${stderr}`)));
    const { url, greeting } = await Promise.race([servedAddress(child), ended]);
    const end = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<CommandResult> => {
      child.kill(signal);
      return result;
    };
    return { url, greeting, child, end };
  }

  /** True while a node in this process serves. */
  get isServing(): boolean {
    return this.#serving.some(({ isEnded }) => !isEnded);
  }

  async dispose(): Promise<void> {
    for (const node of this.#serving) await node.end();
    for (const child of this.#children) {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Whole paths, because the node resolves some of them when the current folder of this process is another again. */
  #ownPlace({ SVC_DATABASE_URL: database }: Variables): Variables {
    return database === undefined ? { SVC_DB_PATH: this.path('data/svc.db') } : { SVC_DATA_FOLDER: this.path('data') };
  }

  #inFolder<T>(work: () => Promise<T>): Promise<T> {
    return inTurn(async () => {
      const cwd = process.cwd();
      const umask = process.umask(OWNER_ONLY);
      process.chdir(this.folder);
      try {
        return await work();
      } finally {
        process.chdir(cwd);
        process.umask(umask);
      }
    });
  }

  #spawn(argv: readonly string[], env: Variables): ChildProcess {
    const child = spawn(process.execPath, [this.#main, ...argv], {
      cwd: this.folder,
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: 'pipe',
    });
    this.#children.push(child);
    return child;
  }
}

const OWNER_ONLY = 0o077;

let last: Promise<unknown> = Promise.resolve();

/** Runs one piece of work after another, because a process has only one current folder. */
const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
  const next = last.then(work);
  last = next.catch(() => {});
  return next;
};

const resultOf = async (child: ChildProcess): Promise<CommandResult> => {
  const [stdout, stderr, [exitCode]] = await Promise.all([
    child.stdout === null ? '' : text(child.stdout),
    child.stderr === null ? '' : text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { exitCode: exitCode ?? -1, stdout, stderr };
};
