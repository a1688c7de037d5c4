import { mkdtemp, rm } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createNode } from '../config/create-node.ts';
import { printTable } from './report/print-table.ts';

export interface FilesOptions {
  /** Prints the names of the files as well. */
  readonly list?: boolean;
}

const BUILD = new URL('..', import.meta.url).href;
/** A pause that is long enough for deferred work of a request: indexing, deliveries, the log. */
const SETTLE_MS = 1_500;

/** Returns a new fact each time, because a repeated fact takes a shorter path through the code. */
const factAbout = (entity: string): unknown => ({
  entity,
  relation: 'memory:role',
  value: { type: 'string', v: 'CEO' },
  source: 'agent:bench',
  confidence: 1,
  scope: 'company',
});

/**
 * Counts the source files in which some function ran while a node served one request, by the engine's own coverage.
 * This shows how much code a request passes through. Background work counts too; the row for an idle node shows its
 * share.
 */
export const benchFilesPerRequest = async ({ list = false }: FilesOptions): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-files-'));
  const node = await createNode({
    env: {
      SVC_DB_PATH: join(folder, 'node.db'),
      SVC_AUTH_REQUIRED: 'false',
      SVC_PORT: '0',
      SVC_LOG_LEVEL: 'silent',
    },
  });
  const { url } = await node.start();
  const post = async (path: string, body: unknown): Promise<void> => {
    const headers = { 'Content-Type': 'application/json' };
    const reply = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!reply.ok) throw new Error(`${path} was refused: ${await reply.text()}`);
  };
  let asserted = 0;
  const requests = {
    idle: async () => {},
    'POST /v1/facts': () => post('/v1/facts', factAbout(`user:alice-${++asserted}`)),
    'POST /v1/recall': () => post('/v1/recall', { query: 'Who is Alice?', token_budget: 500 }),
  };
  // Runs every kind of request once before the measurement, because code that loads or compiles at the first request
  // does not count.
  for (const request of Object.values(requests)) await request();
  await wait(SETTLE_MS);
  const rows: string[][] = [];
  const files = new Map<string, readonly string[]>();
  for (const [name, request] of Object.entries(requests)) {
    const found = await filesOf(request);
    files.set(name, found);
    rows.push([name, String(found.length), ...FOLDERS.map((top) => String(countIn(found, top)))]);
  }
  await node.stop();
  await rm(folder, { recursive: true });
  printTable(['request', 'files', ...FOLDERS], rows);
  if (list) for (const [name, found] of files) console.log(`\n${name}\n  ${found.join('\n  ')}`);
};

const FOLDERS = ['kernel', 'ports', 'adapters', 'plugins', 'config'] as const;

const countIn = (files: readonly string[], top: string): number =>
  files.filter((file) => file.startsWith(`${top}/`)).length;

const filesOf = async (request: () => Promise<void>): Promise<string[]> => {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await request();
  await wait(SETTLE_MS);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  session.disconnect();
  return result
    .filter(
      ({ url, functions }) => url.startsWith(BUILD) && !url.startsWith(`${BUILD}bench/`) && functions.some(hasRun),
    )
    .map(({ url }) => fileURLToPath(url).slice(fileURLToPath(BUILD).length))
    .sort();
};

const hasRun = ({ ranges }: { readonly ranges: readonly { readonly count: number }[] }): boolean =>
  (ranges[0]?.count ?? 0) > 0;
