import { once } from 'node:events';
import { fsyncSync, openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { GO, type ScrubMessage } from './scrub-file.ts';
import { loadSqliteDriver, type SqliteDatabase } from './sqlite-driver.ts';
import { isBusy } from './sqlite-errors.ts';
import { findTreePages, openPagedFile, type PagedFile, readPages, unusedRanges } from './tree-pages.ts';
import { SMALLEST_WRITE } from './writer/sqlite-writer.ts';

/**
 * The program of the child process that removes the remains of deleted rows from the file of a store. Its argument is
 * the file. It sends a `ScrubMessage` to its parent. The writer of a store zeroes deleted cells and freed pages
 * (`secure_delete`). Remains exist only in the unused part of pages that SQLite has split or merged, and in the log.
 * This program zeroes those parts directly in the file, some pages at a time. Meanwhile it holds the write lock, after
 * the file has received everything in the log. So no process writes the file, and the file itself shows which pages
 * belong to trees.
 */

/** The time limit for waiting until other processes and readers release the lock or the log. */
const PATIENCE_MS = 60_000;
/** As short as the pauses of writers, which compete for the lock. */
const PAUSE_MS = 2;

/** The number of pages per lock, some ten milliseconds of work. */
const PAGES_AT_ONCE = 1_000;

/** The number of attempts to complete the log under the lock, because running reads end within milliseconds. */
const ATTEMPTS_UNDER_LOCK = 20;
const SHORT_PAUSE_MS = 5;

/** The time for which emptying the log may block writes at once. */
const TRUNCATE_WAIT_MS = 200;

const rowsOf = (database: SqliteDatabase, sql: string): number[][] => {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return (statement.all() as (number | bigint)[][]).map((row) => row.map(Number));
};

const untilDone = async (attempt: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      if (await attempt()) return;
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    if (performance.now() >= deadline) throw new Error('the log of the store is in use');
    await sleep(PAUSE_MS);
  }
};

/** Moves frames of the log into the file. Returns whether the file then has all of them. */
const completeFile = (checkpoints: SqliteDatabase): boolean => {
  const [[isBlocked, frames, moved] = []] = rowsOf(checkpoints, 'PRAGMA wal_checkpoint(PASSIVE)');
  return isBlocked === 0 && frames === moved;
};

const staysComplete = async (checkpoints: SqliteDatabase): Promise<boolean> => {
  for (let attempt = 0; attempt < ATTEMPTS_UNDER_LOCK; attempt += 1) {
    if (completeFile(checkpoints)) return true;
    await sleep(SHORT_PAUSE_MS);
  }
  return false;
};

const zeroUnused = (file: PagedFile, isTreePage: Uint8Array, first: number): void => {
  const pages = readPages(file, first, Math.min(PAGES_AT_ONCE, isTreePage.length - first));
  for (let at = 0; at < pages.length; at += file.pageSize) {
    const number = first + at / file.pageSize;
    if (isTreePage[number] !== 1) continue;
    const page = pages.subarray(at, at + file.pageSize);
    for (const [from, to] of unusedRanges(page, file.usableSize)) {
      const unused = page.subarray(from, to);
      if (unused.every((byte) => byte === 0)) continue;
      writeSync(file.descriptor, unused.fill(0), 0, unused.length, (number - 1) * file.pageSize + from);
    }
  }
};

interface Connections {
  readonly writes: SqliteDatabase;
  /** A connection of its own, because SQLite refuses checkpoints inside a transaction. */
  readonly checkpoints: SqliteDatabase;
}

/** Scrubs the pages from `first` on. Returns the first page of the next piece; undefined behind the last page. */
const scrubPiece = async (
  { writes, checkpoints }: Connections,
  file: PagedFile,
  first: number,
): Promise<{ readonly next: number | undefined } | undefined> => {
  completeFile(checkpoints);
  writes.exec('BEGIN IMMEDIATE');
  try {
    if (!(await staysComplete(checkpoints))) return undefined;
    const [[pageCount = 0] = []] = rowsOf(writes, 'PRAGMA page_count');
    const roots = rowsOf(writes, 'SELECT rootpage FROM sqlite_schema WHERE rootpage > 0').map(([root]) => root ?? 0);
    zeroUnused(file, findTreePages(file, roots, pageCount), first);
    // A commit makes other connections drop their cached pages, which still have the remains.
    writes.exec(SMALLEST_WRITE);
    writes.exec('COMMIT');
    const next = first + PAGES_AT_ONCE;
    return { next: next > pageCount ? undefined : next };
  } finally {
    if (writes.isTransaction) writes.exec('ROLLBACK');
  }
};

const emptyLog = (checkpoints: SqliteDatabase): boolean => {
  const [[isBlocked] = []] = rowsOf(checkpoints, 'PRAGMA wal_checkpoint(TRUNCATE)');
  return isBlocked === 0;
};

const scrub = async (path: string): Promise<void> => {
  const open = (): SqliteDatabase => {
    const database = loadSqliteDriver().open(path);
    // A less strict sync is enough: checkpoints still sync, and the commits of this process may be lost.
    database.exec('PRAGMA busy_timeout = 0; PRAGMA synchronous = NORMAL');
    return database;
  };
  const connections = { writes: open(), checkpoints: open() };
  // Stays open until the process ends, because closing it drops the locks of the connections.
  const file = openPagedFile(openSync(path, 'r+'));
  // Page 1 has no rows, only the schema.
  for (let at: number | undefined = 2; at !== undefined; ) {
    const first: number = at;
    await untilDone(async () => {
      await turn();
      const piece = await scrubPiece(connections, file, first);
      if (piece !== undefined) at = piece.next;
      return piece !== undefined;
    });
  }
  fsyncSync(file.descriptor);
  connections.checkpoints.exec(`PRAGMA busy_timeout = ${TRUNCATE_WAIT_MS}`);
  await untilDone(async () => {
    await turn();
    return emptyLog(connections.checkpoints);
  });
};

const tell = (message: ScrubMessage): Promise<void> =>
  new Promise((told) => {
    process.send?.(message, () => told());
  });

/** Ends the current turn, and waits for the next one. */
const turn = async (): Promise<void> => {
  const granted = once(process, 'message');
  await tell('turn');
  const [answer] = await granted;
  if (answer !== GO) throw new Error('the parent process sent something else');
};

const outcome = async (): Promise<ScrubMessage> => {
  try {
    await scrub(process.argv[2] as string);
    return { problem: null };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'unknown' };
  }
};

// The process may end at any moment, because it changes only unused bytes.
process.once('disconnect', () => process.exit());
await tell(await outcome());
process.exit();
