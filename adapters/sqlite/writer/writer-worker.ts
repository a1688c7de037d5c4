import { parentPort, workerData } from 'node:worker_threads';
import { openWriter } from '../open-connection.ts';
import { loadSqliteDriver } from '../sqlite-driver.ts';
import { ExitGate } from './exit-gate.ts';
import { serveWriter } from './serve-writer.ts';

/**
 * The entry point of the writing thread. It receives lists of `WriterStep` and posts a `WriterAnswer` to each of them.
 */

export interface WriterWorkerData {
  readonly path: string;
  readonly busyTimeoutMs: number;
  /** The shared memory of the `ExitGate`. */
  readonly gate: SharedArrayBuffer;
}

if (parentPort !== null) {
  const { path, busyTimeoutMs, gate } = workerData as WriterWorkerData;
  const file = { path, busyTimeoutMs, driver: loadSqliteDriver() };
  serveWriter(parentPort, () => openWriter(file), new ExitGate(gate));
}
