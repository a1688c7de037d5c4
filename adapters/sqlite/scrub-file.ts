import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ServiceError } from '../../ports/ports.ts';

/**
 * A message of the child process. `turn` ends the previous turn, and requests the permission to block writes again. The
 * other message has the problem, or null on success.
 */
export type ScrubMessage = 'turn' | { readonly problem: string | null };

/** The message by which the parent process grants a turn. */
export const GO = 'go';

const SCRUB_PROGRAM = fileURLToPath(new URL('./scrub-worker.js', import.meta.url));

/**
 * Destroys the remains of deleted and moved rows in the file of a store, and empties its log. It blocks writes of all
 * processes only for milliseconds at a time. Each time it works inside `turn`, which holds back the writes of this
 * process, so that they cannot starve it. Rejects with `unavailable` on a failure. A child process does the work,
 * because closing the file outside SQLite drops all of SQLite's locks in the process that closes it.
 */
export const scrubFile = (path: string, turn: (work: () => Promise<void>) => Promise<void>): Promise<void> =>
  new Promise((resolve, reject) => {
    const fail = (cause: unknown): void => {
      reject(
        new ServiceError('unavailable', 'the remains of erased facts could not be removed from the file of the store', {
          hint: 'end long reads of other processes, and try again; if it fails again, run "fact-memory-node verify"',
          cause,
        }),
      );
    };
    const worker = fork(SCRUB_PROGRAM, [path], { env: {}, execArgv: [], stdio: 'ignore' });
    let endTurn = (): void => {};
    const work = (): Promise<void> =>
      new Promise((ended) => {
        endTurn = ended;
        // The exit of the process also ends its turn.
        if (!worker.connected || !worker.send(GO)) ended();
      });
    worker.on('message', (message: ScrubMessage) => {
      endTurn();
      if (message === 'turn') turn(work).catch(fail);
      else if (message.problem === null) resolve();
      else fail(new Error(message.problem));
    });
    worker.once('error', fail);
    worker.once('exit', () => {
      endTurn();
      fail(new Error('the process ended early'));
    });
  });
