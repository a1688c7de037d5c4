import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** The first four bytes of a log. The last bit says that its checksums read words with the high byte first. */
const MAGIC = 0x377f0682;
/** The bytes of the header with the salt, from and until. */
const SALT = [16, 24] as const;
const FRAMES_AT_ONCE = 256;

/** Pages that commits have changed, as of the last of them. */
export interface ChangedPages {
  readonly pageBytes: number;
  /** The size of the database after the last commit. */
  readonly databasePages: number;
  readonly pages: ReadonlyMap<number, Buffer>;
}

type Sums = readonly [number, number];

interface Place {
  readonly salt: Buffer;
  readonly pageBytes: number;
  readonly isHighFirst: boolean;
  /** The byte after the last commit that was read. */
  readonly offset: number;
  readonly sums: Sums;
}

/**
 * Reads the write-ahead log of a database from commit to commit, by the format that SQLite documents. The caller
 * begins a read transaction before each call, and ends it only after the next call. So the log begins anew at most once
 * between two calls, and only after all of it was read. Its new salt may be any: a connection that has emptied the log
 * leaves it to the next writer, who draws it at random.
 */
export class LogReader {
  readonly #path: string;
  /** Stays open, so that no other file can get its number. SQLite's locks lie on other files. */
  #file: number | undefined;
  #place: Place | undefined;

  constructor(database: string) {
    this.#path = `${database}-wal`;
  }

  /** Returns the pages of the commits since the last call. Throws when commits are missing. */
  read(): ChangedPages | undefined {
    this.#file ??= openLog(this.#path);
    if (this.#file === undefined) return undefined;
    requireSame(this.#file, this.#path);
    const header = logHeaderAt(this.#file);
    const start = header === undefined ? undefined : placeIn(header);
    if (start === undefined) return undefined;
    const isFirst = this.#place === undefined;
    if (this.#place === undefined || !start.salt.equals(this.#place.salt)) this.#place = start;
    const changed = this.#readFrames(this.#file, this.#place);
    if (!isFirst || this.#isStill(start)) return changed;
    // No earlier call has held this log, so it may have begun anew in the middle of the frames.
    this.#place = undefined;
    return this.read();
  }

  #isStill({ salt }: Place): boolean {
    const header = this.#file === undefined ? undefined : logHeaderAt(this.#file);
    return header?.subarray(...SALT).equals(salt) === true;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #readFrames(file: number, from: Place): ChangedPages | undefined {
    const frameBytes = FRAME_HEADER_BYTES + from.pageBytes;
    const pages = new Map<number, Buffer>();
    let databasePages = 0;
    let uncommitted = new Map<number, Buffer>();
    let { offset, sums } = from;
    for (;;) {
      const chunk = someBytesAt(file, offset, FRAMES_AT_ONCE * frameBytes);
      for (let at = 0; at + frameBytes <= chunk.length; at += frameBytes) {
        const frame = chunk.subarray(at, at + frameBytes);
        const next = sumsAfter(frame, from, sums);
        if (next === undefined) return found(pages, databasePages, from);
        sums = next;
        offset += frameBytes;
        uncommitted.set(frame.readUInt32BE(0), frame.subarray(FRAME_HEADER_BYTES));
        const committedPages = frame.readUInt32BE(4);
        if (committedPages === 0) continue;
        for (const [number, page] of uncommitted) pages.set(number, page);
        uncommitted = new Map();
        databasePages = committedPages;
        this.#place = { ...from, offset, sums };
      }
      if (chunk.length < FRAMES_AT_ONCE * frameBytes) return found(pages, databasePages, from);
    }
  }
}

const found = (
  pages: ReadonlyMap<number, Buffer>,
  databasePages: number,
  { pageBytes }: Place,
): ChangedPages | undefined => (databasePages === 0 ? undefined : { pages, databasePages, pageBytes });

/** Returns the header of an open log, or the bytes in its place; undefined for a log that is shorter. */
export const logHeaderAt = (file: number): Buffer | undefined => bytesAt(file, 0, HEADER_BYTES);

/** Returns undefined for other bytes in the place of a header. */
export const logSaltIn = (header: Buffer): string | undefined =>
  hasMagic(header) ? header.toString('hex', ...SALT) : undefined;

const hasMagic = (header: Buffer): boolean => [MAGIC, MAGIC + 1].includes(header.readUInt32BE(0));

/** Returns undefined for a header that is being written. */
const placeIn = (header: Buffer): Place | undefined => {
  if (!hasMagic(header)) return undefined;
  const isHighFirst = header.readUInt32BE(0) === MAGIC + 1;
  const sums = summed([0, 0], header.subarray(0, FRAME_HEADER_BYTES), isHighFirst);
  if (!areAt(header, FRAME_HEADER_BYTES, sums)) return undefined;
  const salt = Buffer.from(header.subarray(...SALT));
  return { salt, pageBytes: header.readUInt32BE(8), isHighFirst, offset: HEADER_BYTES, sums };
};

/** Returns the checksums after a frame; undefined for one that does not follow the frames before it. */
const sumsAfter = (frame: Buffer, { salt, isHighFirst }: Place, sums: Sums): Sums | undefined => {
  if (!frame.subarray(8, 16).equals(salt)) return undefined;
  const ofHeader = summed(sums, frame.subarray(0, 8), isHighFirst);
  const next = summed(ofHeader, frame.subarray(FRAME_HEADER_BYTES), isHighFirst);
  return areAt(frame, 16, next) ? next : undefined;
};

const areAt = (bytes: Buffer, at: number, [first, second]: Sums): boolean =>
  bytes.readUInt32BE(at) === first && bytes.readUInt32BE(at + 4) === second;

const summed = ([first, second]: Sums, bytes: Buffer, isHighFirst: boolean): Sums => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let [one, two] = [first, second];
  for (let at = 0; at < bytes.length; at += 8) {
    one = (one + view.getUint32(at, !isHighFirst) + two) >>> 0;
    two = (two + view.getUint32(at + 4, !isHighFirst) + one) >>> 0;
  }
  return [one, two];
};

/** The last process on a store removes the log. Commits of another log may be lost then, and the hold was broken. */
const requireSame = (file: number, path: string): void => {
  const [open, named] = [fstatSync(file, { bigint: true }), statSync(path, { bigint: true, throwIfNoEntry: false })];
  if (named?.ino !== open.ino || named.dev !== open.dev) throw new Error('the log of the store was replaced');
};

const openLog = (path: string): number | undefined => {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/** Returns the bytes of a file from a place on: fewer at its end. */
export const someBytesAt = (file: number, offset: number, bytes: number): Buffer => {
  const buffer = Buffer.allocUnsafe(bytes);
  let done = 0;
  while (done < bytes) {
    const read = readSync(file, buffer, done, bytes - done, offset + done);
    if (read === 0) break;
    done += read;
  }
  return buffer.subarray(0, done);
};

const bytesAt = (file: number, offset: number, bytes: number): Buffer | undefined => {
  const found = someBytesAt(file, offset, bytes);
  return found.length === bytes ? found : undefined;
};
