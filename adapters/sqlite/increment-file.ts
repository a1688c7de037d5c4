import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type IncrementFile, incrementName } from '../../ports/ports.ts';
import { digestFile, syncPath } from '../files/durable-file.ts';

/** The form of the files, with a version. */
export const INCREMENT_FORMAT = 'sqlite-pages-1';
/** Bytes before the pages of a step: its time, the size of the database and the number of its pages. */
export const STEP_BYTES = 16;
export const DIGEST_BYTES = 32;

/** The first line of an increment. It ties the file to the one before it. */
export interface IncrementHeader {
  readonly format: typeof INCREMENT_FORMAT;
  /** A name that all increments on one base share, and no others. */
  readonly chain: string;
  /** 0 for the base, which holds every page. */
  readonly number: number;
  /** The SHA-256 of the file before this one; null for the base. */
  readonly previous: string | null;
  readonly page_bytes: number;
}

/** The pages of a database as of one moment: those that changed since the step before, or all. */
export interface PageStep {
  readonly atMs: number;
  readonly databasePages: number;
  /** The number of pages. */
  readonly count: number;
  pages(): Iterable<readonly [number, Buffer]>;
}

/** Returns the pages without those behind the end of the database, which a commit that shrinks it leaves. */
export const withinEnd = (
  pages: Iterable<readonly [number, Buffer]>,
  databasePages: number,
): (readonly [number, Buffer])[] => [...pages].filter(([number]) => number <= databasePages);

/** Writes an increment, which has its name only when it is whole and on disk. */
export const writeIncrement = async (
  folder: string,
  header: IncrementHeader,
  steps: readonly PageStep[],
  isResumed = false,
): Promise<IncrementFile> => {
  const untilMs = steps.at(-1)?.atMs ?? 0;
  const { number } = header;
  const name = incrementName({ number, untilMs, isResumed });
  const draft = join(folder, `${name}.partial`);
  // A fast level: pages shrink to a third, and the next levels win a few per cent for twice the time.
  await pipeline(
    spelled(header, steps),
    createGzip({ level: 1 }),
    createWriteStream(draft, { flags: 'wx', mode: 0o600 }),
  );
  await syncPath(draft);
  const digest = await digestFile(draft);
  await rename(draft, join(folder, name));
  await syncPath(folder);
  return { chain: header.chain, name, ...digest, number, untilMs, isResumed };
};

const WRITTEN_AT_ONCE = 1024 * 1024;

function* spelled(header: IncrementHeader, steps: readonly PageStep[]): Generator<Buffer> {
  const hash = createHash('sha256');
  let held: Buffer[] = [];
  let heldBytes = 0;
  const hold = (bytes: Buffer): boolean => {
    hash.update(bytes);
    held.push(bytes);
    heldBytes += bytes.length;
    return heldBytes >= WRITTEN_AT_ONCE;
  };
  const release = (): Buffer => {
    const all = Buffer.concat(held);
    held = [];
    heldBytes = 0;
    return all;
  };
  hold(Buffer.from(`${JSON.stringify(header)}\n`));
  for (const { atMs, databasePages, count, pages } of steps) {
    hold(stepHeader(atMs, databasePages, count));
    for (const [number, page] of pages()) {
      const at = Buffer.alloc(4);
      at.writeUInt32BE(number);
      hold(at);
      if (hold(page)) yield release();
    }
  }
  hold(stepHeader(0, 0, 0));
  yield release();
  yield hash.digest();
}

const stepHeader = (atMs: number, databasePages: number, count: number): Buffer => {
  const bytes = Buffer.alloc(STEP_BYTES);
  bytes.writeBigUInt64BE(BigInt(atMs));
  bytes.writeUInt32BE(databasePages, 8);
  bytes.writeUInt32BE(count, 12);
  return bytes;
};
