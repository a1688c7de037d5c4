import { createInflateRaw } from 'node:zlib';
import { ServiceError } from '../../kernel/plugin-api.ts';
import type { ArchiveBytes, OpenArchive } from './archive-bytes.ts';

const MAX_ENTRIES = 200_000;
const MAX_DIRECTORY_BYTES = 64 * 1024 * 1024;
/** The maximum compression ratio. Ordinary text stays below it; a higher ratio is an attack on memory or disk. */
const MAX_RATIO = 250;
/** Up to this size, the ratio is not limited. */
const RATIO_FREE_BYTES = 16 * 1024 * 1024;
const READ_BYTES = 64 * 1024;

const END = 0x06054b50;
const END_BYTES = 22;
const WIDE_LOCATOR = 0x07064b50;
const WIDE_LOCATOR_BYTES = 20;
const WIDE_END = 0x06064b50;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
const MAX_COMMENT_BYTES = 65_535;
const WIDE = 0xffffffff;
const WIDE_EXTRA = 0x0001;

export interface ZipEntry {
  readonly path: string;
  readonly isEncrypted: boolean;
  readonly method: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly offset: number;
  /**
   * Time of the last change; null if the archive has none. An archive contains no offset, so the time counts as UTC.
   */
  readonly modifiedMs: number | null;
}

/** Lists the files of an archive without unpacking them. */
export const listZip = async (open: OpenArchive): Promise<ZipEntry[]> => {
  const archive = await open();
  try {
    const { size } = archive;
    const { offset, bytes, count } = await findDirectory(archive, size);
    if (count > MAX_ENTRIES || bytes > MAX_DIRECTORY_BYTES) throw broken('its directory is too large');
    if (offset + bytes > size) throw broken('its directory lies outside of the file');
    const entries = readDirectory(await readAt(archive, offset, bytes), count);
    // Entries may refer to the same packed bytes. Each entry then has a harmless ratio, so their sum is checked too.
    const unpacked = entries.reduce((sum, entry) => sum + entry.bytes, 0);
    if (unpacked > RATIO_FREE_BYTES + size * MAX_RATIO) throw broken('it unpacks to far more than it may');
    return entries;
  } finally {
    await archive.close();
  }
};

/** Unpacks one file of an archive as a stream, without writing to disk. */
export async function* readZipEntry(
  open: OpenArchive,
  entry: ZipEntry,
  onRead: (bytes: number) => void,
): AsyncGenerator<Buffer, void, undefined> {
  if (entry.isEncrypted) throw broken('one of its files is encrypted');
  if (entry.method !== 0 && entry.method !== 8) throw broken('one of its files is packed in an unknown way');
  const archive = await open();
  try {
    const local = await readAt(archive, entry.offset, LOCAL_BYTES);
    if (local.readUInt32LE(0) !== LOCAL) throw broken('one of its files is not where the directory says');
    const start = entry.offset + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28);
    const packed = readRange(archive, start, entry.packedBytes, onRead);
    let bytes = 0;
    for await (const chunk of entry.method === 0 ? packed : inflated(packed)) {
      bytes += chunk.length;
      if (bytes > entry.bytes || bytes > RATIO_FREE_BYTES + entry.packedBytes * MAX_RATIO) {
        throw broken('one of its files unpacks to far more than it may');
      }
      yield chunk;
    }
    if (bytes !== entry.bytes) throw broken('one of its files is damaged');
  } finally {
    await archive.close();
  }
}

async function* inflated(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const stream = createInflateRaw({ chunkSize: READ_BYTES });
  const feed = async (): Promise<void> => {
    try {
      for await (const chunk of packed) {
        if (!stream.write(chunk)) await new Promise<void>((resolve) => stream.once('drain', resolve));
        if (stream.destroyed) return;
      }
      stream.end();
    } catch (error) {
      stream.destroy(error as Error);
    }
  };
  void feed();
  try {
    for await (const chunk of stream) yield chunk as Buffer;
  } catch (error) {
    throw error instanceof ServiceError ? error : broken('one of its files is damaged');
  }
}

async function* readRange(
  archive: ArchiveBytes,
  start: number,
  bytes: number,
  onRead: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes; at += READ_BYTES) {
    const chunk = await readAt(archive, start + at, Math.min(READ_BYTES, bytes - at));
    onRead(chunk.length);
    yield chunk;
  }
}

interface Directory {
  readonly offset: number;
  readonly bytes: number;
  readonly count: number;
}

const findDirectory = async (archive: ArchiveBytes, size: number): Promise<Directory> => {
  const tailBytes = Math.min(size, END_BYTES + MAX_COMMENT_BYTES);
  const tail = await readAt(archive, size - tailBytes, tailBytes);
  for (let at = tail.length - END_BYTES; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== END || at + END_BYTES + tail.readUInt16LE(at + 20) > tail.length) continue;
    const wideAt = size - tailBytes + at - WIDE_LOCATOR_BYTES;
    const wide = wideAt < 0 ? null : await wideDirectory(archive, wideAt);
    return (
      wide ?? {
        count: tail.readUInt16LE(at + 10),
        bytes: tail.readUInt32LE(at + 12),
        offset: tail.readUInt32LE(at + 16),
      }
    );
  }
  throw broken('it has no directory; it may be cut short');
};

const wideDirectory = async (archive: ArchiveBytes, at: number): Promise<Directory | null> => {
  const locator = await readAt(archive, at, WIDE_LOCATOR_BYTES);
  if (locator.readUInt32LE(0) !== WIDE_LOCATOR) return null;
  const end = await readAt(archive, number64(locator, 8), 56);
  if (end.readUInt32LE(0) !== WIDE_END) throw broken('its directory is damaged');
  return { count: number64(end, 32), bytes: number64(end, 40), offset: number64(end, 48) };
};

const readDirectory = (directory: Buffer, count: number): ZipEntry[] => {
  const entries: ZipEntry[] = [];
  let at = 0;
  for (let nth = 0; nth < count; nth += 1) {
    if (at + ENTRY_BYTES > directory.length || directory.readUInt32LE(at) !== ENTRY)
      throw broken('its directory is damaged');
    const nameBytes = directory.readUInt16LE(at + 28);
    const extraBytes = directory.readUInt16LE(at + 30);
    const nameAt = at + ENTRY_BYTES;
    if (nameAt + nameBytes + extraBytes > directory.length) throw broken('its directory is damaged');
    const path = directory.toString('utf8', nameAt, nameAt + nameBytes).replaceAll('\\', '/');
    if (isSafePath(path)) {
      entries.push({
        path,
        isEncrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
        method: directory.readUInt16LE(at + 10),
        modifiedMs: dosInstant(directory.readUInt16LE(at + 14), directory.readUInt16LE(at + 12)),
        ...wideSizes(directory.subarray(nameAt + nameBytes, nameAt + nameBytes + extraBytes), {
          bytes: directory.readUInt32LE(at + 24),
          packedBytes: directory.readUInt32LE(at + 20),
          offset: directory.readUInt32LE(at + 42),
        }),
      });
    }
    at = nameAt + nameBytes + extraBytes + directory.readUInt16LE(at + 32);
  }
  return entries;
};

/** Returns an instant in milliseconds since 1970. The date counts from 1980, and the time in steps of two seconds. */
const dosInstant = (date: number, time: number): number | null => {
  const [year, month, day] = [1980 + (date >> 9), (date >> 5) & 15, date & 31];
  return month === 0 || day === 0
    ? null
    : Date.UTC(year, month - 1, day, time >> 11, (time >> 5) & 63, (time & 31) * 2);
};

type Sizes = Pick<ZipEntry, 'bytes' | 'packedBytes' | 'offset'>;

/** Reads the sizes of files beyond 4 GiB from an extra field, which holds only values that do not fit elsewhere. */
const wideSizes = (extra: Buffer, sizes: Sizes): Sizes => {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== WIDE_EXTRA) continue;
    let place = at + 4;
    const next = (size: number): number => {
      if (size !== WIDE) return size;
      if (place + 8 > extra.length) throw broken('its directory is damaged');
      place += 8;
      return number64(extra, place - 8);
    };
    return { bytes: next(sizes.bytes), packedBytes: next(sizes.packedBytes), offset: next(sizes.offset) };
  }
  return sizes;
};

/** Rejects paths that lead out of the archive. Nothing is written to them, but they show a malicious file. */
const isSafePath = (path: string): boolean =>
  !path.endsWith('/') && !path.startsWith('/') && !/^[a-z]:/i.test(path) && !path.split('/').includes('..');

const number64 = (buffer: Buffer, at: number): number => {
  const value = Number(buffer.readBigUInt64LE(at));
  if (!Number.isSafeInteger(value)) throw broken('its directory is damaged');
  return value;
};

const readAt = async (archive: ArchiveBytes, position: number, length: number): Promise<Buffer> => {
  const bytes = await archive.read(position, length);
  if (bytes.length !== length) throw broken('it is cut short');
  return bytes;
};

const broken = (what: string): ServiceError =>
  new ServiceError('validation', `the zip archive cannot be read: ${what}`, { hint: 'download the export again' });
