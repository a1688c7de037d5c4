import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { inspectNode } from '../../../config/inspect-node.ts';
import { openNode } from '../../../config/open-node.ts';
import { BootError } from '../../../kernel/problems/boot-problem.ts';
import { servedAddress } from '../../kit/served-address.ts';
import { type CommandResult, runInProcess } from './run-in-process.ts';

const MAIN = fileURLToPath(new URL('../../../config/main.js', import.meta.url));

export type Variables = Readonly<Record<string, string>>;

/** A running node, started as a user would. */
export interface RunningProgram {
  readonly url: string;
  /** The output of the node until it began to serve requests. */
  readonly greeting: string;
  readonly child: ChildProcess;
  /** Sends the signal and waits until the process ends. */
  end(signal?: NodeJS.Signals): Promise<CommandResult>;
}

/** Runs the built program in a folder of its own, and removes everything on `dispose`. */
export class Workplace {
  readonly folder = mkdtempSync(join(tmpdir(), 'command-line-'));
  readonly #children: ChildProcess[] = [];
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
    return inTurn(async () => {
      const cwd = process.cwd();
      const umask = process.umask(OWNER_ONLY);
      process.chdir(this.folder);
      try {
        return await runInProcess(argv, {
          env: { PATH: process.env['PATH'] ?? '', ...env },
          input,
          program: [process.execPath, MAIN],
          openNode,
          inspectNode,
          problemsOf: (error) => (error instanceof BootError ? error.problems : []),
        });
      } finally {
        process.chdir(cwd);
        process.umask(umask);
      }
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
  async killAtText(argv: readonly string[], output: string, env: Variables = {}): Promise<void> {
    const preload = `const { write } = process.stderr;
      process.stderr.write = (...given) => {
        if (String(given[0]).includes(${JSON.stringify(output)})) process.kill(process.pid, 'SIGKILL');
        return write.apply(process.stderr, given);
      };`;
    const flag = `--import=data:text/javascript,${encodeURIComponent(preload)}`;
    const child = this.#spawn(argv, { ...env, NODE_OPTIONS: flag });
    const { stderr } = await resultOf(child);
    if (child.signalCode !== 'SIGKILL') throw new Error(`the command ended before it wrote "${output}": ${stderr}`);
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

  async dispose(): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
    }
    rmSync(this.folder, { recursive: true, force: true });
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
