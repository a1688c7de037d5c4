import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type ChangeRecorder, type IncrementFile, type RecordOptions, ServiceError } from '../../ports/ports.ts';
import { lockOf, unusableLock } from './store-lock.ts';

const RECORD_PROGRAM = fileURLToPath(new URL('./record-worker.js', import.meta.url));
/** A message to the process. `begin` names a further chain, and `end` one that goes no further. */
export type RecordRequest = 'stop' | { readonly begin: string } | { readonly end: string };

/** The exit code of a process that found another one at the same work. */
export const RECORDED_ELSEWHERE = 75;
/** The exit code of a process that cannot use the lock. */
export const LOCK_UNUSABLE = 76;
/** The argument of a process that begins a new chain in any case. */
export const ANEW = 'anew';
/** A process that was asked to stop and has not is killed after this. */
const STOP_MS = 4_000;

/**
 * Records the changes of a store's file in increments. A child process does so, because it reads the file outside
 * SQLite, and closing it drops all of SQLite's locks in the process that closes it. See `FactStore.recordChanges`.
 */
export const recordChanges = (
  path: string,
  folder: string,
  { chain, everyMs, goesOn, onIncrement }: RecordOptions,
): ChangeRecorder => {
  const worker = fork(RECORD_PROGRAM, [path, folder, chain, String(everyMs), goesOn ? '' : ANEW], {
    env: {},
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let said = '';
  worker.stderr?.on('data', (text: Buffer) => {
    said = `${said}${text.toString('utf8')}`.slice(-MOST_SAID);
  });
  worker.on('message', (increment) => onIncrement(increment as IncrementFile));
  let isStopping = false;
  const ended = new Promise<void>((resolve, reject) => {
    const fail = (cause: unknown): void =>
      reject(
        new ServiceError('unavailable', 'the changes of the store could not be recorded', {
          hint: 'look at the cause; a full disk of the backups needs space. The recording begins anew by itself',
          cause,
        }),
      );
    worker.once('error', fail);
    worker.once('close', (code) => {
      if (isStopping || code === 0) resolve();
      else if (code === RECORDED_ELSEWHERE) reject(elsewhere(path));
      else if (code === LOCK_UNUSABLE) reject(unusableLock(path, new Error(said)));
      else fail(new Error(`the process ended early: ${said}`));
    });
  });
  ended.catch(() => {});
  const ask = (request: RecordRequest): void => {
    if (worker.connected) worker.send(request, () => {});
  };
  return {
    ended,
    begin: (further) => ask({ begin: further }),
    end: (former) => ask({ end: former }),
    stop: async () => {
      isStopping = true;
      ask('stop');
      const timer = setTimeout(() => worker.kill('SIGKILL'), STOP_MS);
      await ended.catch(() => {}).finally(() => clearTimeout(timer));
    },
  };
};

const MOST_SAID = 2_000;

const elsewhere = (path: string): ServiceError =>
  new ServiceError('conflict', 'another process records the changes of the store', {
    hint: `one process of several does so; when it ends, the next one goes on. "lsof ${lockOf(path)}" names it`,
  });
