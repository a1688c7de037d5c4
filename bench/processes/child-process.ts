import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A server under load, in a separate process. */
export interface ServerProcess {
  readonly port: number;
  /** The credential with all permissions on the server. */
  readonly key: string;
  readonly pid: number;
  /** The folder with the server's store. `stop` removes it. */
  readonly folder: string;
  /** The server's store: the path of a file, or the address of a PostgreSQL database. */
  readonly database: string;
  stop(): Promise<void>;
}

/**
 * Returns the processor time so far of a process and those that it has started, in milliseconds; null where there is no
 * /proc.
 */
export const cpuMs = (pid: number): number | null =>
  sumOver(pid, (each) => {
    const fields = readFileSync(`/proc/${each}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
    // Linux counts in hundredths of a second.
    return (Number(fields[11]) + Number(fields[12])) * 10;
  });

/** Returns the peak resident memory of a process in MiB; null where there is no /proc. */
export const peakMemoryMiB = (pid: number): number | null => {
  try {
    return statusKiB(pid, 'VmHWM') / 1024;
  } catch {
    return null;
  }
};

/**
 * Returns the current resident memory in MiB of a process and those that it has started; null where there is no /proc.
 * Counts pages of files once, because all of them run one program.
 */
export const memoryMiB = (pid: number): number | null => {
  let filesKiB = 0;
  const ownKiB = sumOver(pid, (each) => {
    filesKiB = Math.max(filesKiB, statusKiB(each, 'RssFile'));
    return statusKiB(each, 'RssAnon') + statusKiB(each, 'RssShmem');
  });
  return ownKiB === null ? null : (ownKiB + filesKiB) / 1024;
};

const statusKiB = (pid: number, name: string): number =>
  Number(new RegExp(`${name}:\\s+([0-9]+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);

/** Sums over a process and those that it has started. Null where one of them is gone, or there is no /proc. */
const sumOver = (pid: number, read: (pid: number) => number): number | null => {
  try {
    return [pid, ...startedBy(pid)].reduce((sum, each) => sum + read(each), 0);
  } catch {
    return null;
  }
};

const startedBy = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1')
    .split(' ')
    .filter((text) => text.trim() !== '')
    .flatMap((text) => [Number(text), ...startedBy(Number(text))]);

export const makeFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'fact-bench-'));

/** Returns the last lines that a server wrote to its error file. */
export const lastWords = (errorFile: string): string =>
  readFileSync(errorFile, 'utf8').split('\n').slice(-12).join('\n');

export const stopServer = async (child: ChildProcess, folder: string): Promise<void> => {
  await endServer(child);
  await rm(folder, { recursive: true, force: true });
};

/** Stops a server and waits for its end. Does nothing for one that has ended already. */
export const endServer = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
};
