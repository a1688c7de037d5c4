import { Worker } from 'node:worker_threads';
import { ServiceError } from '../../ports/ports.ts';

/**
 * Rewrites the file of a store without its deleted rows and empties its log, in a separate thread. Blocks all writes
 * meanwhile. Rejects with `unavailable` on a failure.
 */
export const rewriteFile = (path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const fail = (cause: unknown): void => {
      reject(
        new ServiceError('unavailable', 'the file of the store could not be rewritten without what was erased', {
          hint: 'free as much disk space as the file takes, end long reads of other processes, and try again',
          cause,
        }),
      );
    };
    const worker = new Worker(new URL('./vacuum-worker.js', import.meta.url), { workerData: { path } });
    worker.once('message', (problem: string | null) => {
      if (problem === null) resolve();
      else fail(new Error(problem));
    });
    worker.once('error', fail);
    worker.once('exit', () => fail(new Error('the thread ended early')));
  });
