import { parentPort, workerData } from 'node:worker_threads';
import { openWriter, type SqliteFile } from '../open-connection.ts';
import { loadSqliteDriver } from '../sqlite-driver.ts';
import { serveWriter } from './serve-writer.ts';

/* The body of the thread that writes. Takes `WriterSteps` and posts a `WriterAnswer` to each list of them. */

if (parentPort !== null) {
  const file: SqliteFile = { ...(workerData as Omit<SqliteFile, 'driver'>), driver: loadSqliteDriver() };
  serveWriter(parentPort, () => openWriter(file));
}
