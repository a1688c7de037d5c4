import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readLines } from '../../kernel/command-api.ts';
import { othersGoFirst } from '../../kernel/internal-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';
import { archiveFile, archiveIn, type OpenArchive } from './archive-bytes.ts';
import type { ImportFile, ImportInput, ImportLine } from './importers-api.ts';
import { jsonItems } from './json-items.ts';
import { utf8Of } from './text-encoding.ts';
import { listZip, readZipEntry } from './zip-archive.ts';

/** A value has at most 1 MiB, which JSON escapes may lengthen six times. The rest of a line is short. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;
const MAX_FOLDER_DEPTH = 32;
const MAX_FILES = 1_000_000;
const ZIP = Buffer.from('PK');
const ZIP_BYTES = 4;
const PIECE_BYTES = 64 * 1024;

export interface OpenedInput extends ImportInput {
  readonly totalBytes: number;
  /** Bytes read so far. Counts the compressed size of compressed files. */
  readBytes(): number;
  /** Returns the time of the last change of the current file, in milliseconds since 1970; null if unknown. */
  modifiedMs(): number | null;
  /** Digest of the content, and of the names in a folder. */
  digest(): Promise<string>;
}

interface Place {
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number | null;
  open(onRead: (bytes: number) => void): AsyncIterable<Buffer>;
}

/**
 * Opens a file, an archive or a folder. Reads names but no contents. `encoding` applies to text without a byte order
 * mark; the default is UTF-8.
 */
export const openInput = async (path: string, encoding?: string): Promise<OpenedInput> => {
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) throw new ServiceError('lookup', `there is no file or folder ${path}`);
  if (stats.isDirectory()) return inputOf(path, await placesBelow(path), { archive: false, encoding });
  if (!stats.isFile()) throw new ServiceError('validation', `${path} is neither a file nor a folder`);
  const whole = placeOf(path, basename(path), stats.size, stats.mtimeMs);
  if (!isZip(await beginningOf(path))) return inputOf(path, [whole], { archive: false, encoding });
  return inputOf(path, await placesIn(archiveFile(path)), { archive: whole, encoding });
};

/** A file that a caller has sent. */
export interface SentFile {
  readonly name: string;
  readonly content: Buffer;
  readonly modifiedMs: number | null;
}

/** Opens a file or an archive in memory, as `openInput` does. Reading it fails once the signal has aborted. */
export const openSent = async (
  { name, content, modifiedMs }: SentFile,
  encoding?: string,
  signal?: AbortSignal,
): Promise<OpenedInput> => {
  const whole = { path: basename(name), sizeBytes: content.length, modifiedMs, open: piecesOf(content, signal) };
  if (!isZip(content.subarray(0, ZIP_BYTES))) return inputOf(name, [whole], { archive: false, encoding });
  const places = await placesIn(archiveIn(content, signal), MAX_SENT_BYTES);
  return inputOf(name, places, { archive: whole, encoding });
};

/** The maximum size of a sent archive after it is unpacked. It limits the time that a node spends on one request. */
const MAX_SENT_BYTES = 128 * 1024 * 1024;

const placesIn = async (archive: OpenArchive, maxBytes = Number.POSITIVE_INFINITY): Promise<Place[]> => {
  const entries = (await listZip(archive)).toSorted((one, other) => (one.path < other.path ? -1 : 1));
  if (entries.reduce((sum, { bytes }) => sum + bytes, 0) > maxBytes) {
    throw new ServiceError('too_large', `the archive unpacks to more than ${maxBytes / 1024 / 1024} MiB`, {
      hint: 'import it with "fact-memory-node import-from", which has no such limit',
    });
  }
  return entries.map((entry) => ({
    path: entry.path,
    sizeBytes: entry.packedBytes,
    modifiedMs: entry.modifiedMs,
    open: (onRead) => readZipEntry(archive, entry, onRead),
  }));
};

interface InputForm {
  /** The archive that contains the files; false without one. */
  readonly archive: Place | false;
  readonly encoding: string | undefined;
}

const inputOf = (path: string, places: readonly Place[], { archive, encoding }: InputForm): OpenedInput => {
  let read = 0;
  let modifiedMs: number | null = null;
  const onRead = (bytes: number): void => {
    read += bytes;
  };
  return {
    name: basename(path),
    totalBytes: places.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    readBytes: () => read,
    modifiedMs: () => modifiedMs,
    async *files() {
      for (const place of places) {
        modifiedMs = place.modifiedMs;
        yield fileOf(place, onRead, encoding);
      }
    },
    async digest() {
      const hash = createHash('sha256');
      for (const place of archive === false ? places : [archive]) {
        hash.update(`${place.path.length}:${place.path}:${place.sizeBytes}:`);
        for await (const chunk of place.open(() => {})) hash.update(chunk);
      }
      return hash.digest('hex');
    },
  };
};

const fileOf = (
  { path, modifiedMs, open }: Place,
  onRead: (bytes: number) => void,
  encoding: string | undefined,
): ImportFile => {
  const utf8 = (isStrict: boolean) => utf8Of(open(onRead), path, { encoding, isStrict });
  return {
    path,
    modifiedMs,
    bytes: () => open(onRead),
    utf8: () => utf8(true),
    lines: () => textLines(utf8(false)),
    items: (lists) => jsonItems(utf8(true), path, lists),
    async text(maxBytes) {
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of utf8(false)) {
        bytes += chunk.length;
        if (bytes > maxBytes) return null;
        chunks.push(chunk);
      }
      const whole = Buffer.concat(chunks);
      return isUtf8(whole) ? whole.toString() : null;
    },
  };
};

async function* textLines(source: AsyncIterable<Buffer>): AsyncGenerator<ImportLine> {
  for await (const { number, bytes } of readLines(source, MAX_LINE_BYTES)) {
    yield { number, text: bytes === null || !isUtf8(bytes) ? null : bytes.toString() };
  }
}

const placeOf = (file: string, path: string, sizeBytes: number, modifiedMs: number | null): Place => ({
  path,
  sizeBytes,
  modifiedMs,
  async *open(onRead) {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      onRead(chunk.length);
      yield chunk;
    }
  },
});

/** Does not follow links. Leaves out hidden files and folders. */
const placesBelow = async (folder: string): Promise<Place[]> => {
  const places: Place[] = [];
  const walk = async (below: string, depth: number): Promise<void> => {
    if (depth > MAX_FOLDER_DEPTH) throw tooLarge(`folders deeper than ${MAX_FOLDER_DEPTH}`);
    const entries = await readdir(join(folder, below), { withFileTypes: true });
    for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory()) await walk(path, depth + 1);
      if (!entry.isFile()) continue;
      if (places.length === MAX_FILES) throw tooLarge(`more than ${MAX_FILES} files`);
      const { size, mtimeMs } = await stat(join(folder, path));
      places.push(placeOf(join(folder, path), path, size, mtimeMs));
    }
  };
  await walk('', 0);
  return places;
};

const tooLarge = (what: string): ServiceError =>
  new ServiceError('validation', `the folder has ${what}`, { hint: 'import parts of it one after the other' });

/** Yields the pieces of a content, and lets other requests go on between them. */
const piecesOf = (content: Buffer, signal?: AbortSignal): Place['open'] =>
  async function* (onRead) {
    for (let at = 0; at < content.length; at += PIECE_BYTES) {
      await othersGoFirst();
      signal?.throwIfAborted();
      const piece = content.subarray(at, at + PIECE_BYTES);
      onRead(piece.length);
      yield piece;
    }
  };

const beginningOf = async (path: string): Promise<Buffer> => {
  const archive = await archiveFile(path)();
  try {
    return await archive.read(0, ZIP_BYTES);
  } finally {
    await archive.close();
  }
};

const isZip = (beginning: Buffer): boolean =>
  beginning.length === ZIP_BYTES && beginning.subarray(0, 2).equals(ZIP) && (beginning[2] === 3 || beginning[2] === 5);
