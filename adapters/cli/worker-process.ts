import cluster, { type Worker } from 'node:cluster';
import { EXIT } from '../../kernel/command-api.ts';
import type { NodeHandle } from './command-line-deps.ts';
import { errorReport, type FindProblems } from './report-error.ts';
import type { StopSignal } from './stop-signal.ts';

/** The report of a worker to its supervisor: the address that it serves on, or the reason why it cannot serve. */
export type WorkerReport = { readonly serving: string } | { readonly failure: string };

/** This process as one of several behind a port; undefined when it stands alone or is the supervisor. */
export const thisWorker = (): Worker | undefined => cluster.worker;

/** The variable by which a supervisor tells a worker its place. */
export const PLACE_VARIABLE = 'NODE_WORKER_PLACE';

/** Place of this worker among the others, from 0; one that takes the place of another has the same. */
export const placeOfThisWorker = (): number | undefined =>
  thisWorker() === undefined ? undefined : Number(process.env[PLACE_VARIABLE] ?? 0);

/**
 * Serves until the signal, or until the supervisor is gone: nothing would stop, replace or count this process then. The
 * worker reports a problem that keeps it from serving to the supervisor, which tells the operator once. Returns the
 * exit code.
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
    // Node ends a worker that loses its supervisor at once, running requests and all, unless it counts as leaving.
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
    // An open channel would keep the process alive.
    worker.exitedAfterDisconnect = true;
    if (worker.isConnected()) process.disconnect();
  }
};

/** Resolves when the report is sent, or when there is no supervisor left. */
const tell = (worker: Worker, report: WorkerReport): Promise<void> =>
  new Promise((resolve) => {
    if (worker.isConnected()) worker.send(report, () => resolve());
    else resolve();
  });
