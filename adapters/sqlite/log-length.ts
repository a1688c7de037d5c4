import { closeSync, fstatSync, openSync, truncateSync } from 'node:fs';
import { ServiceError } from '../../ports/ports.ts';
import { KEPT_LOG_BYTES } from './open-connection.ts';
import { logHeaderAt, logSaltIn } from './read-log.ts';

interface LogBeginning {
  readonly bytes: number;
  /** Differs between a log and the one that begins anew in its place; undefined without a header. */
  readonly salt: string | undefined;
}

/**
 * Tells whether the log of an open store was cut. SQLite counts its frames in the index and writes behind them, however
 * short the log is. So it leaves a hole, behind which the next start finds no commit. This process cannot read the
 * index, because closing its file would drop the locks of SQLite: https://sqlite.org/walformat.html
 */
export class LogLength {
  readonly #path: string;
  #former: LogBeginning | undefined;
  #isCut = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** The size of the log at the last `require`. */
  get bytes(): number {
    return this.#former?.bytes ?? 0;
  }

  /** Whether the next commit begins the log, after the file has received everything in it. */
  get isEmpty(): boolean {
    return this.#former?.bytes === 0;
  }

  /** Throws `unavailable` if the log was cut. The caller holds the write lock. */
  require(): void {
    const found = beginningOf(this.#path);
    if (found === undefined) return;
    this.#noteHole(found);
    // SQLite shortens a log that begins anew, which has another salt, or this one if the transaction filled the cache.
    const isShorter = found.salt === this.#former?.salt && found.bytes < (this.#former?.bytes ?? 0);
    if (found.bytes > 0 && found.bytes < KEPT_LOG_BYTES && isShorter) this.#isCut = true;
    if (this.#isCut) throw cut(this.#path);
    this.#former = found;
  }

  /** Throws `commit_unknown` if a commit after `require` found a log that was empty because it was cut. */
  requireCommit(): void {
    if (!this.isEmpty) return;
    const found = beginningOf(this.#path);
    if (found !== undefined) this.#noteHole(found);
    if (!this.#isCut) return;
    throw new ServiceError('commit_unknown', 'the log of the store was emptied beside the node', { hint: HINT });
  }

  /** Empties a log that begins with a hole. Otherwise SQLite moves the hole into the file when the node stops. */
  #noteHole(found: LogBeginning): void {
    // A crash of the machine may leave such a log, which the next commit begins anew.
    if (!hasHole(found) || this.#former === undefined || hasHole(this.#former)) return;
    this.#isCut = true;
    truncateSync(this.#path);
  }
}

const hasHole = ({ bytes, salt }: LogBeginning): boolean => bytes > 0 && salt === undefined;

const HINT =
  'the commits in it are lost: stop the node, run "fact-memory-node verify", and restore a backup if it finds damage ' +
  'or facts are missing';

const cut = (path: string): ServiceError =>
  new ServiceError('unavailable', `the log of the store was cut or emptied beside the node: ${path}`, { hint: HINT });

/** Returns undefined for a log that this process may not read. */
const beginningOf = (path: string): LogBeginning | undefined => {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    // The size comes first: a header that is read after it belongs to this size, or to a later log.
    const { size } = fstatSync(file);
    const header = logHeaderAt(file);
    // Another process may empty the log after the look at its size. A hole has the size of a header at least.
    return header === undefined ? { bytes: 0, salt: undefined } : { bytes: size, salt: logSaltIn(header) };
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
};
