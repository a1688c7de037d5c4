import { fstatSync, openSync, statSync, writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { type ChainState, isWaiting, takeChain } from './chain-state.ts';
import { type PageStep, withinEnd } from './increment-file.ts';
import { PageDigests } from './page-digests.ts';
import { type ChangedPages, LogReader, someBytesAt } from './read-log.ts';
import { ChainWriter, type WholeStep } from './record-chain.ts';
import { ANEW, LOCK_UNUSABLE, RECORDED_ELSEWHERE, type RecordRequest } from './record-changes.ts';
import { loadSqliteDriver, type SqliteDatabase } from './sqlite-driver.ts';
import { isBusy } from './sqlite-errors.ts';
import { takeLock } from './store-lock.ts';

/**
 * The program of the child process that records the changes of a store. Its arguments are the file of the store, the
 * folder for the increments, the name of a new chain, and the milliseconds between two increments. A last argument
 * `anew` begins the new chain although the last one could go on. It sends each `IncrementFile` to its parent, and takes
 * a `RecordRequest` from it. It ends at the message `stop` after it has written the rest, with its parent, and when
 * another process records the store.
 */

/** The distance between the points in time that a restore can reach. */
const LOOK_MS = 100;
const PATIENCE_MS = 5_000;
const FORMER_ENDS_MS = 1_000;

const [path = '', folder = '', chain = '', everyMs = '5000', manner = ''] = process.argv.slice(2);

/** Makes this process the only one that records the store. */
const lockRecorder = (): void => {
  try {
    // The recorder of a killed node ends as soon as it finds out.
    locks.push(takeLock(path, FORMER_ENDS_MS));
  } catch (error) {
    if (isBusy(error)) process.exit(RECORDED_ELSEWHERE);
    writeSync(process.stderr.fd, String(error));
    process.exit(LOCK_UNUSABLE);
  }
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
  readonly #ended = new Set<string>();
  #databasePages = 0;
  #lastMs: number;

  /** `lastMs` is the end of the chain before. */
  constructor(lastMs: number) {
    this.#lastMs = lastMs;
    this.#holds[0].begin();
    this.#log.read();
  }

  /** Begins a chain with every page, or lets a former one go on with those that differ. Looks go on meanwhile. */
  async begin(name: string, former?: ChainState): Promise<void> {
    this.#holdOfBase.begin();
    const log = new LogReader(path);
    const logged = log.read();
    log.close();
    const pageBytes = logged?.pageBytes ?? pageBytesOf(someBytesAt(this.#file, 0, 100));
    const whole = wholeStep(this.#file, pageBytes, logged, this.#nowMs());
    this.#databasePages = whole.databasePages;
    const state = former?.pageBytes === pageBytes ? former : newChain(name, pageBytes);
    // Those that still wait for the target are named again.
    for (const file of state.files) if (isWaiting(folder, file)) process.send?.(file);
    const writer = new ChainWriter(folder, state, (increment) => process.send?.(increment));
    this.#chains.push(writer);
    await writer.begin(whole);
    this.#holdOfBase.end();
  }

  /** Ends a chain as it is. The others go on. */
  end(name: string): void {
    this.#ended.add(name);
  }

  look(): void {
    const [before, after] = this.#holds;
    after.begin();
    const changed = this.#log.read();
    if (changed !== undefined) {
      this.#databasePages = changed.databasePages;
      const step = stepOf(changed, this.#nowMs());
      for (const writer of this.#chains) writer.add(step);
    }
    before.end();
    this.#holds = [after, before];
  }

  get hasBegun(): boolean {
    return this.#chains.some((writer) => writer.hasBegun);
  }

  get isFull(): boolean {
    return this.#chains.some((writer) => writer.isFull);
  }

  async flush(): Promise<void> {
    const idle = { atMs: this.#nowMs(), databasePages: this.#databasePages, count: 0, pages: () => [] };
    for (const writer of this.#chains) {
      if (this.#ended.has(writer.chain)) writer.end();
      else await writer.flush(idle);
    }
    this.#chains = this.#chains.filter((writer) => !this.#ended.has(writer.chain));
  }

  /** Points in time of a chain only go up, also when the clock goes back: a restore stops at the first later one. */
  #nowMs(): number {
    this.#lastMs = Math.max(Date.now(), this.#lastMs + 1);
    return this.#lastMs;
  }
}

/** The database as of the last commit of the log that was read. SQLite moves no later one into the file meanwhile. */
const wholeStep = (file: number, pageBytes: number, logged: ChangedPages | undefined, atMs: number): WholeStep => {
  const databasePages = logged?.databasePages ?? Math.floor(fstatSync(file).size / pageBytes);
  const pageAt = (number: number): Buffer => {
    const page = logged?.pages.get(number) ?? someBytesAt(file, (number - 1) * pageBytes, pageBytes);
    if (page.length !== pageBytes) throw new Error('the file of the store ends early');
    return page;
  };
  return {
    atMs,
    databasePages,
    count: databasePages,
    pageAt,
    *pages() {
      for (let number = 1; number <= databasePages; number += 1) yield [number, pageAt(number)] as const;
    },
  };
};

const stepOf = ({ pages, databasePages }: ChangedPages, atMs: number): PageStep => {
  const kept = withinEnd(pages, databasePages);
  return { atMs, databasePages, count: kept.length, pages: () => kept };
};

/** SQLite spells the largest size as 1. */
const pageBytesOf = (header: Buffer): number => {
  const bytes = header.readUInt16BE(16);
  return bytes === 1 ? 65_536 : bytes;
};

const newChain = (name: string, pageBytes: number): ChainState => ({
  chain: name,
  database: databaseId,
  pageBytes,
  digests: new PageDigests(),
  files: [],
});

lockRecorder();
/** A copied file has another number, so two stores do not go on with one chain. */
const databaseId = String(statSync(path, { bigint: true }).ino);
const former = takeChain(folder, manner === ANEW ? undefined : databaseId);
const recorder = new Recorder(former?.files.at(-1)?.untilMs ?? 0);
let isStopping = false;
let beginnings = recorder.begin(chain, former);
process.on('message', (request: RecordRequest) => {
  if (request === 'stop') isStopping = true;
  else if ('end' in request) recorder.end(request.end);
  // An error of `begin` stays unhandled, so it ends this process.
  else beginnings = beginnings.then(() => recorder.begin(request.begin));
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
if (!recorder.hasBegun) await beginnings;
recorder.look();
await recorder.flush();
process.disconnect?.();
process.exit(0);
