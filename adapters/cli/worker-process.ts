import cluster, { type Worker } from 'node:cluster';
import { EXIT } from '../../kernel/command-api.ts';
import type { NodeHandle } from './command-line-deps.ts';
import { errorReport, type FindProblems } from './report-error.ts';
import type { StopSignal } from './stop-signal.ts';

/** The report of a worker to its supervisor: its address when it serves, or the reason why it cannot. */
export type WorkerReport = { readonly serving: string } | { readonly failure: string };

/** This process as a worker; undefined for the supervisor and for a process that serves alone. */
export const thisWorker = (): Worker | undefined => cluster.worker;

/** The environment variable with the index of a worker, which the supervisor sets. */
export const PLACE_VARIABLE = 'NODE_WORKER_PLACE';

/** Returns the index of this worker, from 0; a replacement has the index of the worker that it replaces. */
export const placeOfThisWorker = (): number | undefined =>
  thisWorker() === undefined ? undefined : Number(process.env[PLACE_VARIABLE] ?? 0);

/**
 * Serves until a signal, or until the supervisor is gone, because nothing else can stop or replace this process.
 * Reports a start problem to the supervisor, which prints it once. Returns the exit code.
 */
export const serveAsWorker = async (
  worker: Worker,
  open: () => Promise<NodeHandle>,
  signal: StopSignal,
  problemsOf: FindProblems,
): Promise<number> => {
  let node: NodeHandle | undefined;
  try {
    node = await open();
    await node.start();
    // Marks the worker as leaving. Otherwise Node ends a worker that loses its supervisor at once, with its running
    // requests.
    worker.exitedAfterDisconnect = true;
    worker.once('disconnect', () => signal.raise());
    await tell(worker, { serving: node.url() ?? '' });
    await signal.received;
    return EXIT.ok;
  } catch (error) {
    await tell(worker, { failure: errorReport(error, problemsOf) });
    return EXIT.failed;
  } finally {
    await node?.stop();
    // Closes the channel, which would keep the process alive.
    worker.exitedAfterDisconnect = true;
    if (worker.isConnected()) process.disconnect();
  }
};

/** Sends a report. Resolves when it is sent, or when the supervisor is gone. */
const tell = (worker: Worker, report: WorkerReport): Promise<void> =>
  new Promise((resolve) => {
    if (worker.isConnected()) worker.send(report, () => resolve());
    else resolve();
  });
