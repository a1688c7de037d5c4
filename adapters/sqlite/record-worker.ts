import { fstatSync, openSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { IncrementFile } from '../../ports/ports.ts';
import { INCREMENT_FORMAT, type PageStep, writeIncrement } from './increment-file.ts';
import { type ChangedPages, LogReader, someBytesAt } from './read-log.ts';
import { loadSqliteDriver, type SqliteDatabase } from './sqlite-driver.ts';

/**
 * The program of the child process that records the changes of a store. Its arguments are the file of the store, the
 * folder for the increments, the name of their chain, and the milliseconds between two of them. It sends each
 * `IncrementFile` to its parent, ends at the message `stop` after it has written the rest, and ends with its parent.
 */

/** The distance between the points in time that a restore can reach. */
const LOOK_MS = 100;
const PATIENCE_MS = 5_000;
/** Changes in memory beyond this are written before their time. */
const MOST_HELD_PAGES = 16_384;

const [path = '', folder = '', chain = '', everyMs = '5000'] = process.argv.slice(2);

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
  #holds: readonly [Hold, Hold] = [new Hold(), new Hold()];
  #previous: IncrementFile | undefined;
  #pageBytes = 0;
  #steps: PageStep[] = [];
  #held = 0;

  /** Writes every page, as of now. */
  async begin(): Promise<void> {
    this.#holds[0].begin();
    // Reading a long log takes a while. A second, short look adds the commits of that time to the base.
    const logged = merged(this.#log.read(), this.#log.read());
    const atMs = Date.now();
    this.#pageBytes = logged?.pageBytes ?? pageBytesOf(someBytesAt(this.#file, 0, 100));
    await this.#write([wholeStep(this.#file, this.#pageBytes, logged, atMs)]);
  }

  look(): void {
    const [before, after] = this.#holds;
    after.begin();
    const changed = this.#log.read();
    if (changed !== undefined) {
      this.#steps.push(stepOf(changed, Date.now()));
      this.#held += changed.pages.size;
    }
    before.end();
    this.#holds = [after, before];
  }

  get isFull(): boolean {
    return this.#held >= MOST_HELD_PAGES;
  }

  async flush(): Promise<void> {
    const steps = this.#steps;
    this.#steps = [];
    this.#held = 0;
    if (steps.length > 0) await this.#write(steps);
  }

  async #write(steps: readonly PageStep[]): Promise<void> {
    const header = {
      format: INCREMENT_FORMAT,
      chain,
      number: this.#previous === undefined ? 0 : this.#previous.number + 1,
      previous: this.#previous?.sha256 ?? null,
      page_bytes: this.#pageBytes,
    } as const;
    this.#previous = await writeIncrement(folder, header, steps);
    process.send?.(this.#previous);
  }
}

const merged = (first: ChangedPages | undefined, then: ChangedPages | undefined): ChangedPages | undefined =>
  first && then ? { ...then, pages: new Map([...first.pages, ...then.pages]) } : (then ?? first);

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

let isStopping = false;
process.on('message', (message) => {
  if (message === 'stop') isStopping = true;
});
process.once('disconnect', () => process.exit(0));

const recorder = new Recorder();
await recorder.begin();
let flushAt = performance.now() + Number(everyMs);
while (!isStopping) {
  await wait(LOOK_MS);
  recorder.look();
  if (!isStopping && !recorder.isFull && performance.now() < flushAt) continue;
  await recorder.flush();
  flushAt = performance.now() + Number(everyMs);
}
recorder.look();
await recorder.flush();
process.disconnect?.();
process.exit(0);
