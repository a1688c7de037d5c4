import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { servedAddress } from '../kit/served-address.ts';

/** The time limit of a program, longer than any test needs. */
const LIFE_LIMIT_MS = 240_000;

export interface StartedProgram {
  readonly url: string;
  readonly greeting: string;
  /** Sends a signal to every process of the program, as a terminal does, and resolves with its exit code and log. */
  end(signal?: NodeJS.Signals): Promise<{ readonly exitCode: number | null; readonly stderr: string }>;
}

export interface ProgramPlace {
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a command that serves a node, in its own process group. Rejects with its log when it exits early. */
export const startProgram = async (
  [command, ...argv]: readonly [string, ...string[]],
  { folder, env = {} }: ProgramPlace,
): Promise<StartedProgram> => {
  const child = spawn(command, argv, {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env },
    stdio: 'pipe',
    detached: true,
  });
  // Kills the program if the test fails before it ends it; the test run would otherwise wait for the program.
  const stopsLate = setTimeout(() => signalGroup(child, 'SIGKILL'), LIFE_LIMIT_MS).unref();
  const kill = (): void => signalGroup(child, 'SIGKILL');
  process.once('exit', kill);
  child.once('close', () => {
    clearTimeout(stopsLate);
    process.off('exit', kill);
  });
  const ended = Promise.all([text(child.stderr), once(child, 'close') as Promise<[number | null]>]).then(
    ([stderr, [exitCode]]) => ({ exitCode, stderr }),
  );
  const isEarly = ended.then(({ stderr }) => Promise.reject(new Error(`the program ended: ${stderr}`)));
  try {
    const { url, greeting } = await Promise.race([servedAddress(child), isEarly]);
    return {
      url,
      greeting,
      end(signal = 'SIGINT') {
        signalGroup(child, signal);
        return ended;
      },
    };
  } catch (error) {
    signalGroup(child, 'SIGKILL');
    throw error;
  }
};

const signalGroup = (child: ChildProcess, signal: NodeJS.Signals): void => {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // The process group has already ended.
  }
};
