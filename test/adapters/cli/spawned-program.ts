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
  /** The output until the node served. */
  readonly greeting: string;
  readonly child: ChildProcess;
  /** Sends the signal and waits for the end. */
  end(signal?: NodeJS.Signals): Promise<CommandResult>;
}

/** A folder of its own, with the built program run in it. Everything is gone after `dispose`. */
export class Workplace {
  readonly folder = mkdtempSync(join(tmpdir(), 'command-line-'));
  readonly #children: ChildProcess[] = [];

  path(name: string): string {
    return join(this.folder, name);
  }

  /**
   * Runs a command to its end, in this process: to load the program takes longer than most commands. `runApart` is for
   * what a process of its own shows.
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

  /** Runs a command to its end, as a user would. */
  async runApart(argv: readonly string[], env: Variables = {}, input = ''): Promise<CommandResult> {
    const child = this.#spawn(argv, env);
    child.stdin?.on('error', () => {}).end(input);
    return resultOf(child);
  }

  /**
   * Starts a node on a free port and waits until it says that it serves. Rejects with its output when it ends before.
   */
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
    const child = spawn(process.execPath, [MAIN, ...argv], {
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

/** A process is in one folder at a time. */
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
