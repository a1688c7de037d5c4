import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CeilingLayoutName } from '../ceiling/ceiling-layout.ts';
import { lastWords, makeFolder, type ServerProcess, stopServer } from './child-process.ts';

const CEILING = fileURLToPath(new URL('../ceiling/ceiling-server.js', import.meta.url));
const READ_CEILING = fileURLToPath(new URL('../ceiling/read-server.js', import.meta.url));
const KEY = 'ceiling-0123456789abcdef0123456789abcdef';

export interface CeilingOptions {
  /** The layout of the tables. Default: one row per assertion. */
  readonly layout?: CeilingLayoutName;
  /** The size of the answer to its bare GET, in bytes. */
  readonly answerBytes?: number;
  /** The address of an empty PostgreSQL database. Default: a SQLite file. */
  readonly database?: string;
}

/** Starts the bare prototype server on an empty store. */
export const startCeiling = async ({
  layout = 'one-row',
  answerBytes = 0,
  database,
}: CeilingOptions = {}): Promise<ServerProcess> => {
  const folder = await makeFolder();
  const store = database ?? join(folder, 'ceiling.db');
  return startProgram(folder, store, [CEILING, store, KEY, String(answerBytes), layout]);
};

/** Starts the bare server of entity queries on the file of a node. */
export const startReadCeiling = async (database: string): Promise<ServerProcess> =>
  startProgram(await makeFolder(), database, [READ_CEILING, database]);

const startProgram = async (folder: string, store: string, argv: readonly string[]): Promise<ServerProcess> => {
  const errorFile = join(folder, 'stderr.log');
  const errors = openSync(errorFile, 'a');
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', errors] });
  closeSync(errors);
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout?.once('data', (line: Buffer) => resolve((JSON.parse(line.toString()) as { port: number }).port));
    child.once('exit', () => reject(new Error(`the ceiling prototype ended: ${lastWords(errorFile)}`)));
  });
  const stop = (): Promise<void> => stopServer(child, folder);
  return { port, key: KEY, pid: child.pid ?? 0, folder, database: store, stop };
};
