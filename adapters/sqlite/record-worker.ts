import { fstatSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { PageStep } from './increment-file.ts';
import { type ChangedPages, LogReader, someBytesAt } from './read-log.ts';
import { ChainWriter } from './record-chain.ts';
import { RECORDED_ELSEWHERE, type RecordRequest } from './record-changes.ts';
import { loadSqliteDriver, type SqliteDatabase } from './sqlite-driver.ts';
import { isBusy } from './sqlite-errors.ts';

/**
 * The program of the child process that records the changes of a store. Its arguments are the file of the store, the
 * folder for the increments, the name of their chain, and the milliseconds between two of them. It sends each
 * `IncrementFile` to its parent, and takes a `RecordRequest` from it. It ends at the message `stop` after it has
 * written the rest, with its parent, and when another process records the store.
 */

/** The distance between the points in time that a restore can reach. */
const LOOK_MS = 100;
const PATIENCE_MS = 5_000;

const [path = '', folder = '', chain = '', everyMs = '5000'] = process.argv.slice(2);

/**
 * Makes this process the only one that records the store. The lock of a database of its own goes with the process that
 * holds it, however that process ends, so the next one need not wait.
 */
const holdAlone = (): void => {
  try {
    const database = loadSqliteDriver().open(`${path}-recorder`);
    database.exec('PRAGMA busy_timeout = 0');
    database.exec('BEGIN EXCLUSIVE');
    locks.push(database);
  } catch (error) {
    if (isBusy(error)) process.exit(RECORDED_ELSEWHERE);
    throw error;
  }
  // A killed process has left its files.
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
};
/** Stays open: a collected connection has no lock. */
const locks: SqliteDatabase[] = [];

/** A connection that keeps SQLite from writing over the part of the log that is not read yet. */
class Hold {
  readonly #database: SqliteDatabase = loadSqliteDriver().open(path);

  constructor() {
    this.#database.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
    this.#database.exec('PRAGMA query_only = ON');
  }

  begin(): void {
    this.#database.exec('BEGIN');
    this.#database.exec('SELECT count(*) FROM sqlite_schema');
  }

  end(): void {
    this.#database.exec('COMMIT');
  }
}

/** Sees every commit: a new hold begins before each look at the log, and the former one ends after it. */
class Recorder {
  // Stays open: closing a file drops all locks that SQLite has on it in this process.
  readonly #file = openSync(path, 'r');
  readonly #log = new LogReader(path);
  readonly #holdOfBase = new Hold();
  #holds: readonly [Hold, Hold] = [new Hold(), new Hold()];
  #chains: ChainWriter[] = [];
  #databasePages = 0;

  constructor() {
    this.#holds[0].begin();
    this.#log.read();
  }

  /** Begins a chain with every page, as of now. Looks go on while its base is written. */
  async begin(name: string): Promise<void> {
    this.#holdOfBase.begin();
    const log = new LogReader(path);
    const logged = log.read();
    log.close();
    const pageBytes = logged?.pageBytes ?? pageBytesOf(someBytesAt(this.#file, 0, 100));
    const base = wholeStep(this.#file, pageBytes, logged, Date.now());
    this.#databasePages = base.databasePages;
    const writer = new ChainWriter(folder, name, pageBytes, (increment) => process.send?.(increment));
    this.#chains.push(writer);
    await writer.writeBase(base);
    this.#holdOfBase.end();
  }

  /** Ends a chain as it is. The others go on. */
  end(name: string): void {
    this.#chains = this.#chains.filter((writer) => writer.chain !== name);
  }

  look(): void {
    const [before, after] = this.#holds;
    after.begin();
    const changed = this.#log.read();
    if (changed !== undefined) {
      this.#databasePages = changed.databasePages;
      const step = stepOf(changed, Date.now());
      for (const writer of this.#chains) writer.add(step);
    }
    before.end();
    this.#holds = [after, before];
  }

  get hasBase(): boolean {
    return this.#chains.some((writer) => writer.hasBase);
  }

  get isFull(): boolean {
    return this.#chains.some((writer) => writer.isFull);
  }

  async flush(): Promise<void> {
    const idle = { atMs: Date.now(), databasePages: this.#databasePages, count: 0, pages: () => [] };
    for (const writer of this.#chains) await writer.flush(idle);
  }
}

/** The database as of the last commit of the log that was read. SQLite moves no later one into the file meanwhile. */
const wholeStep = (file: number, pageBytes: number, logged: ChangedPages | undefined, atMs: number): PageStep => {
  const databasePages = logged?.databasePages ?? Math.floor(fstatSync(file).size / pageBytes);
  return {
    atMs,
    databasePages,
    count: databasePages,
    *pages() {
      for (let number = 1; number <= databasePages; number += 1) {
        const page = logged?.pages.get(number) ?? someBytesAt(file, (number - 1) * pageBytes, pageBytes);
        if (page.length !== pageBytes) throw new Error('the file of the store ends early');
        yield [number, page] as const;
      }
    },
  };
};

const stepOf = ({ pages, databasePages }: ChangedPages, atMs: number): PageStep => {
  // A commit that shrinks the database leaves pages in the log that are no part of it any more.
  const kept = [...pages].filter(([number]) => number <= databasePages);
  return { atMs, databasePages, count: kept.length, pages: () => kept };
};

/** SQLite spells the largest size as 1. */
const pageBytesOf = (header: Buffer): number => {
  const bytes = header.readUInt16BE(16);
  return bytes === 1 ? 65_536 : bytes;
};

holdAlone();
const recorder = new Recorder();
let isStopping = false;
let bases = recorder.begin(chain);
process.on('message', (request: RecordRequest) => {
  if (request === 'stop') isStopping = true;
  else if ('end' in request) recorder.end(request.end);
  // An error of `begin` stays unhandled, so it ends this process.
  else bases = bases.then(() => recorder.begin(request.begin));
});
process.once('disconnect', () => process.exit(0));

let flushAt = performance.now() + Number(everyMs);
while (!isStopping) {
  await wait(LOOK_MS);
  recorder.look();
  if (!isStopping && !recorder.isFull && performance.now() < flushAt) continue;
  await recorder.flush();
  flushAt = performance.now() + Number(everyMs);
}
if (!recorder.hasBase) await bases;
recorder.look();
await recorder.flush();
process.disconnect?.();
process.exit(0);
