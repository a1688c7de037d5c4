import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** The size and digest of a written file, as in `CopiedFile`. */
export interface WrittenBytes {
  readonly bytes: number;
  readonly sha256: string;
}

/** Writes a new file that only its owner may read, and resolves when it is on disk. Fails if the file exists. */
export const writeDurably = async (
  path: string,
  source: Readable,
  onBytes: (bytes: number) => void = () => {},
): Promise<WrittenBytes> => {
  const file = await open(path, 'wx', 0o600);
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      await file.writeFile(chunk);
      hash.update(chunk);
      bytes += chunk.length;
      onBytes(bytes);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { bytes, sha256: hash.digest('hex') };
};

/** Reads a whole file and returns its size and digest. */
export const digestFile = async (path: string): Promise<WrittenBytes> => {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
};

/** Syncs a file or folder to disk, so that it survives a crash of the machine. */
export const syncPath = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};
