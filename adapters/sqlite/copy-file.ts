import { fork } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CopyOptions, ServiceError, type StoreCopy } from '../../ports/ports.ts';

/** The layout of a copy: one file that SQLite itself has written, without a log beside it. */
export const SQLITE_LAYOUT = 'sqlite-file-1';
export const COPY_NAME = 'store.db';

export type CopyOutcome =
  | { readonly copy: StoreCopy }
  | { readonly problem: string; readonly hint?: string | undefined; readonly code?: string | undefined };

const CHECK_MS = 250;
const COPY_PROGRAM = fileURLToPath(new URL('./copy-worker.js', import.meta.url));

/**
 * Copies the committed contents of a store's file into a new file. Writes of all processes go on, and their commits
 * stay in the log until the copy is done. A child process makes the copy, because SQLite cannot cancel it, and
 * terminating a thread within it would end the whole node. See `FactStore.copyInto`.
 */
export const copyFile = (path: string, folder: string, { signal, onProgress }: CopyOptions): Promise<StoreCopy> =>
  new Promise((resolve, reject) => {
    const worker = fork(COPY_PROGRAM, [path, folder], {
      env: {},
      execArgv: [],
      stdio: 'ignore',
      serialization: 'advanced',
    });
    const endLooks = watchSize(path, join(folder, COPY_NAME), onProgress);
    const settle = (end: () => void): void => {
      endLooks();
      signal?.removeEventListener('abort', give);
      end();
    };
    const fail = (cause: unknown, hint?: string, reason = ''): void =>
      settle(() => {
        reject(
          new ServiceError('unavailable', `the store could not be copied${reason}`, {
            hint: hint ?? 'free as much space on the disk of the copy as the store takes, and try again',
            cause,
          }),
        );
      });
    const give = (): void => {
      fail(signal?.reason, 'the work was cancelled; run it again');
      worker.kill('SIGKILL');
    };
    signal?.addEventListener('abort', give, { once: true });
    worker.once('message', (message) => {
      const outcome = message as CopyOutcome;
      if ('copy' in outcome) settle(() => resolve(outcome.copy));
      else {
        const { problem, hint = 'see the log of the node', code } = outcome;
        fail(Object.assign(new Error(problem), { code }), hint, `: ${problem}`);
      }
    });
    worker.once('error', (error) => fail(error));
    worker.once('exit', () => fail(new Error('the process ended early')));
    if (signal?.aborted === true) give();
  });

/** Watches the size of the written file, because SQLite reports no progress. */
const watchSize = (from: string, to: string, onProgress: CopyOptions['onProgress']): (() => void) => {
  if (onProgress === undefined) return () => {};
  const look = async (): Promise<void> => {
    const [whole, written] = await Promise.all([sizeOf(from), sizeOf(to)]);
    onProgress(Math.min(written, whole), whole);
  };
  const timer = setInterval(() => void look(), CHECK_MS).unref();
  return () => clearInterval(timer);
};

const sizeOf = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.size ?? 0;
